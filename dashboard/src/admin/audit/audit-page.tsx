import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { More } from '../../base/parts/more.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Empty, Read } from '../../base/parts/states.tsx';
import { PEOPLE } from '../../base/people.ts';
import './audit.css';

/** Every management action: who did it, from where, and what changed. */
export default function AuditPage() {
  const { t } = useWords();
  const entries = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ signal, pageParam }) =>
      call('GET /v1/audit-log', { signal, query: { limit: '50', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  const people = useInfiniteQuery({
    queryKey: PEOPLE,
    queryFn: ({ signal, pageParam }) => call('GET /v1/people', { signal, query: { limit: '100', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  const names = new Map(
    people.data?.pages.flatMap(page =>
      page.data.map(person => [person.id, person.name ?? person.email ?? person.id] as const),
    ),
  );
  return (
    <div className="wide tall stack">
      <div className="title-line">
        <PageTitle intro={t('audit.intro')}>{t('page.audit')}</PageTitle>
        <CurlMenu requests={[{ label: t('page.audit'), request: { method: 'GET', path: '/v1/audit-log' } }]} />
      </div>
      <Read query={entries}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
          if (all.length === 0) return <Empty icon="list" title={t('audit.none')} />;
          return (
            <div className="card audit">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t('audit.when')}</th>
                    <th scope="col">{t('audit.what')}</th>
                    <th scope="col">{t('audit.who')}</th>
                    <th scope="col">{t('audit.on')}</th>
                    <th scope="col">{t('audit.where')}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map(entry => (
                    <Entry key={entry.id} entry={entry} name={names.get(entry.actor.id ?? '')} />
                  ))}
                </tbody>
              </table>
              <More list={entries} />
            </div>
          );
        }}
      </Read>
    </div>
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
      <td>{name ?? t(`actor.${entry.actor.kind}`)}</td>
      <td>{entry.target && <code>{entry.target}</code>}</td>
      <td>{[entry.address, entry.device].filter(Boolean).join(' · ')}</td>
    </tr>
  );
}
