import { useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { Section } from '../base/parts/section.tsx';
import { SelectField } from '../base/parts/select-field.tsx';
import { Table } from '../base/parts/shown.tsx';
import { PhonePreview } from '../request/phone.tsx';
import { valuesOf } from '../request/values.ts';
import { differences, type Version } from './differences.ts';
import './versions.css';

/** The published versions: what differs from another one, by default the one before, in words and on two phones. */
export function Versions({ versions }: { versions: readonly Version[] }) {
  const { t } = useWords();
  const [chosen, setChosen] = useState(versions[0]?.version);
  const [against, setAgainst] = useState<number>();
  const [phones, setPhones] = useState(false);
  const version = versions.find(one => one.version === chosen) ?? versions[0];
  const before = versions.find(one => one.version === (against ?? (version?.version ?? 0) - 1));
  if (!version) return null;
  return (
    <Section
      title={t('versions.title')}
      aside={
        <div className="toolbar versions-choice">
          <ChooseVersion
            label={t('versions.against')}
            versions={versions}
            chosen={before?.version}
            onChoose={setAgainst}
          />
          <ChooseVersion
            label={t('versions.choose')}
            versions={versions}
            chosen={version.version}
            onChoose={setChosen}
          />
          {before && (
            <Button slim aria-pressed={phones} onPress={() => setPhones(!phones)}>
              <Icon name="phone" />
              {t('versions.phones')}
            </Button>
          )}
        </div>
      }
    >
      {before ? <Differences before={before} version={version} /> : <p className="soft small">{t('versions.first')}</p>}
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

interface ChooseVersionProps {
  label: string;
  versions: readonly Version[];
  chosen: number | undefined;
  onChoose: (version: number) => void;
}

function ChooseVersion({ label, versions, chosen, onChoose }: ChooseVersionProps) {
  const { t } = useWords();
  const { exactly } = useMoments();
  return (
    <SelectField<string | number>
      label={label}
      slim
      options={[
        ...(chosen === undefined ? [['', '–'] as const] : []),
        ...versions.map(
          ({ version, published_at: at }) => [version, t('versions.line', { version, at: exactly(at) })] as const,
        ),
      ]}
      value={chosen ?? ''}
      onChosen={version => onChoose(Number(version))}
    />
  );
}

function Differences({ before, version }: { before: Version; version: Version }) {
  const { t } = useWords();
  const changes = differences(before, version);
  if (changes.length === 0) return <p className="soft small">{t('versions.same')}</p>;
  return (
    <Table
      look="differences"
      heads={[
        t('versions.what'),
        t('versions.before', { version: before.version }),
        t('versions.now', { version: version.version }),
      ]}
    >
      {changes.map(({ path, was, is }) => (
        <tr key={path}>
          <th scope="row">
            <code>{path}</code>
          </th>
          <td>{was ?? '–'}</td>
          <td>{is ?? '–'}</td>
        </tr>
      ))}
    </Table>
  );
}
