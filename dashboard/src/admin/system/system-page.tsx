import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { Read } from '../../base/parts/states.tsx';
import { FindingRow } from './finding-row.tsx';

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
                      <FindingRow key={finding.part} finding={finding} />
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
