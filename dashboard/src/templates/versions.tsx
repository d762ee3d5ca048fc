import type { LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import { useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { Section } from '../base/parts/page.tsx';
import { PhonePreview } from '../request/phone.tsx';
import { valuesOf } from '../request/values.ts';
import { differences } from './differences.ts';
import './versions.css';

type Version = LinkTemplateWithVersions['versions'][number];

/** The published versions: what differs from another one, by default the one before, in words and on two phones. */
export function Versions({ versions }: { versions: readonly Version[] }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  const [chosen, setChosen] = useState(versions[0]?.version);
  const [against, setAgainst] = useState<number>();
  const [phones, setPhones] = useState(false);
  const version = versions.find(one => one.version === chosen) ?? versions[0];
  const before = versions.find(one => one.version === (against ?? (version?.version ?? 0) - 1));
  if (!version) return null;
  const changes = before ? differences(before, version) : [];
  return (
    <Section
      title={t('versions.title')}
      aside={
        <div className="toolbar versions-choice">
          {(
            [
              ['versions.against', before?.version, setAgainst],
              ['versions.choose', version.version, setChosen],
            ] as const
          ).map(([label, value, set]) => (
            <label key={label} className="queue">
              <span className="unseen">{t(label)}</span>
              <select className="input" value={value ?? ''} onChange={event => set(Number(event.target.value))}>
                {value === undefined && <option value="">–</option>}
                {versions.map(one => (
                  <option key={one.version} value={one.version}>
                    {t('versions.line', { version: one.version, at: exactly(one.published_at) })}
                  </option>
                ))}
              </select>
            </label>
          ))}
          {before && (
            <Button slim aria-pressed={phones} onPress={() => setPhones(!phones)}>
              <Icon name="phone" />
              {t('versions.phones')}
            </Button>
          )}
        </div>
      }
    >
      {before === undefined ? (
        <p className="soft small">{t('versions.first')}</p>
      ) : changes.length === 0 ? (
        <p className="soft small">{t('versions.same')}</p>
      ) : (
        <table className="differences">
          <thead>
            <tr>
              <th scope="col">{t('versions.what')}</th>
              <th scope="col">{t('versions.before', { version: before.version })}</th>
              <th scope="col">{t('versions.now', { version: version.version })}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ path, was, is }) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>{was ?? '–'}</td>
                <td>{is ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {phones && before && (
        <div className="two-phones">
          {[before, version].map(one => (
            <section key={one.version} aria-label={t('versions.now', { version: one.version })}>
              <h3>{t('versions.now', { version: one.version })}</h3>
              <PhonePreview values={valuesOf(one.request).values} />
            </section>
          ))}
        </div>
      )}
    </Section>
  );
}
