import type { CreationWarning } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { Icon } from '../../base/parts/icon.tsx';

/** Required signals that this installation cannot evaluate, one notice each. */
export function Warnings({ of: { warnings = [] } }: { of: { warnings?: CreationWarning[] } }) {
  const { t } = useWords();
  return warnings.map(({ signal, reason }) => (
    <p key={signal} className="notice doubtful">
      <Icon name="doubt" />
      <span>{t(`warning.${reason}`, { signal: t(`signal.${signal}`) })}</span>
    </p>
  ));
}
