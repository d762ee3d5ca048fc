import type { CreationWarning } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { Notice } from '../../base/parts/states.tsx';

/** Required signals that this installation cannot evaluate, one notice each. */
export function Warnings({ of: { warnings = [] } }: { of: { warnings?: CreationWarning[] } }) {
  const { t } = useWords();
  return warnings.map(({ signal, reason }) => (
    <Notice key={signal} look="doubtful" icon="doubt">
      {t(`warning.${reason}`, { signal: t(`signal.${signal}`) })}
    </Notice>
  ));
}
