import type { SystemFinding } from '@firsthand/contract/statistics/system.ts';
import { useWords } from '../../base/language.tsx';
import { type Look, Tag } from '../../base/parts/shown.tsx';
import './system.css';

const LOOK: Record<SystemFinding['state'], Look> = {
  ok: ['check', 'verified'],
  missing: ['minus', ''],
  wrong: ['cross', 'failed'],
};
/** Working parts whose finding says more than their name: a version, a product. */
const NAMED = new Set<SystemFinding['part']>([
  'node',
  'disk_space',
  'database',
  'store',
  'vision_model',
  'text_reader',
]);

/** A part of the installation: what it gives, or what its absence costs. */
export function FindingRow({ finding }: { finding: SystemFinding }) {
  const { t } = useWords();
  const { part, state, what, advice } = finding;
  return (
    <li className="row system-row">
      <Tag look={LOOK[state]}>{t(`system.state.${state}`)}</Tag>
      <div className="row-main">
        <span className="row-name line">{t(`system.part.${part}`)}</span>
        {state === 'ok' ? (
          <>
            <span>{t(`system.gives.${part}`)}</span>
            {NAMED.has(part) && (
              <span className="soft small" lang="en">
                {what}
              </span>
            )}
          </>
        ) : (
          <>
            <span>{t(`system.cost.${part}`)}</span>
            <span className="soft small" lang="en">
              {advice ?? what}
            </span>
          </>
        )}
      </div>
    </li>
  );
}
