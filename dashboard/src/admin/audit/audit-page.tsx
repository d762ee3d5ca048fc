import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useState } from 'react';
import { useList } from '../../base/api/list.ts';
import { endOf, startOf } from '../../base/days.ts';
import { useWords } from '../../base/language.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Days } from '../../base/parts/days.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/rows.tsx';
import { TitleLine } from '../../base/parts/section.tsx';
import { Table } from '../../base/parts/shown.tsx';
import { Empty, Read } from '../../base/parts/states.tsx';
import { PEOPLE } from '../../base/people.ts';
import './audit.css';

/** Every management action: who did it, from where, and what changed. */
export default function AuditPage() {
  const { t } = useWords();
  const entries = useList(['audit'], 'GET /v1/audit-log');
  const people = useList(PEOPLE, 'GET /v1/people', { query: { limit: '100' } });
  const names = new Map(people.data?.map(person => [person.id, person.name ?? person.email ?? person.id] as const));
  return (
    <div className="wide tall stack">
      <TitleLine
        title={t('page.audit')}
        intro={t('audit.intro')}
        requests={[
          { label: t('page.audit'), to: 'GET /v1/audit-log' },
          { label: t('audit.follow'), to: 'GET /v1/audit-log/feed' },
        ]}
      />
      <Download />
      <Read query={entries}>
        {all => {
          if (all.length === 0) return <Empty icon="list" title={t('audit.none')} />;
          return (
            <div className="card audit">
              <Table
                look="folds"
                heads={(['when', 'what', 'who', 'on', 'where'] as const).map(column => t(`audit.${column}`))}
              >
                {all.map(entry => (
                  <Entry key={entry.id} entry={entry} name={names.get(entry.actor.id ?? '')} />
                ))}
              </Table>
              <More list={entries} />
            </div>
          );
        }}
      </Read>
    </div>
  );
}

/** The log as a file: of all time, or of the days chosen by the person's calendar. */
function Download() {
  const { t } = useWords();
  const [range, setRange] = useState({ from: '', to: '' });
  const query = (format: string) =>
    new URLSearchParams({
      format,
      ...(range.from ? { from: startOf(range.from).toISOString() } : {}),
      ...(range.to ? { to: endOf(range.to).toISOString() } : {}),
    });
  return (
    <section className="toolbar" aria-label={t('audit.download')}>
      <Days label={t('audit.days')} range={range} onChange={setRange} />
      {(['csv', 'jsonl'] as const).map(format => (
        <a
          key={format}
          className="button quiet slim"
          href={`${ROOT}/v1/audit-log/export?${query(format)}`}
          download={`audit-log.${format}`}
        >
          <Icon name="download" />
          {t(`audit.${format}`)}
        </a>
      ))}
    </section>
  );
}

function Entry({ entry, name }: { entry: AuditEntry; name: string | undefined }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  const details = Object.entries(entry.detail);
  return (
    <tr>
      <td>
        <time dateTime={entry.created_at}>{exactly(entry.created_at)}</time>
      </td>
      <td>
        <code>{entry.action}</code>
        {details.length > 0 && (
          <span className="soft audit-detail">
            {details
              .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
              .join(' · ')}
          </span>
        )}
      </td>
      <td>
        {name ?? t(`actor.${entry.actor.kind}`)}
        {entry.actor.via && <span className="soft audit-detail">{t('actor.viaAgent')}</span>}
      </td>
      <td>
        {entry.target_name && <span className="audit-name">{entry.target_name}</span>}
        {entry.target && <code className="soft">{entry.target}</code>}
      </td>
      <td>{[entry.address, entry.device].filter(Boolean).join(' · ')}</td>
    </tr>
  );
}
