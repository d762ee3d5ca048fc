import type { SystemFinding } from '@firsthand/contract/statistics/system.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { type Look, Tag } from '../../base/parts/shown.tsx';
import { Read } from '../../base/parts/states.tsx';
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
const ORDER = ['wrong', 'missing', 'ok'] as const;

/** The parts of this installation, and the cost of each missing one. */
export default function SystemPage() {
  const { t } = useWords();
  const system = useRead(['system'], 'GET /v1/system', {}, { refetchOnWindowFocus: 'always' });
  return (
    <>
      <TitleLine
        title={t('page.system')}
        intro={t('system.intro')}
        requests={[{ label: t('page.system'), to: 'GET /v1/system' }]}
      />
      <Read query={system}>
        {({ version, commit, findings }) => (
          <>
            <p className="soft small" lang="en">
              Firsthand {[version, commit].filter(Boolean).join('+')}
            </p>
            {ORDER.map(state => {
              const found = findings.filter(finding => finding.state === state);
              return found.length === 0 ? null : (
                <Section key={state} title={t(`system.${state}`)} intro={t(`system.${state}Intro`)}>
                  <ul className="rows">
                    {found.map(finding => (
                      <Row key={finding.part} finding={finding} />
                    ))}
                  </ul>
                </Section>
              );
            })}
            <p className="soft small">{t('system.doctor')}</p>
            <p className="copyable">
              <code>npx firsthand doctor</code>
            </p>
          </>
        )}
      </Read>
    </>
  );
}

function Row({ finding }: { finding: SystemFinding }) {
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
