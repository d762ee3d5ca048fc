import type { LinkTemplateWithVersions } from '@firsthand/contract/management.ts';
import { useState } from 'react';
import { useWords } from '../language.tsx';
import { useMoments } from '../parts/moments.ts';
import { Section } from '../parts/page.tsx';
import { differences } from './differences.ts';
import './versions.css';

type Version = LinkTemplateWithVersions['versions'][number];

/** The published versions, each with its changes from the one before. */
export function Versions({ versions }: { versions: readonly Version[] }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  const [chosen, setChosen] = useState(versions[0]?.version);
  const version = versions.find(one => one.version === chosen) ?? versions[0];
  const before = versions.find(one => one.version === (version?.version ?? 0) - 1);
  if (!version) return null;
  const changes = before ? differences(before, version) : [];
  return (
    <Section
      title={t('versions.title')}
      aside={
        <label className="queue">
          <span className="unseen">{t('versions.choose')}</span>
          <select className="input" value={version.version} onChange={event => setChosen(Number(event.target.value))}>
            {versions.map(one => (
              <option key={one.version} value={one.version}>
                {t('versions.line', { version: one.version, at: exactly(one.published_at) })}
              </option>
            ))}
          </select>
        </label>
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
    </Section>
  );
}
