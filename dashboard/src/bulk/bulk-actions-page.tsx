import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { More } from '../base/parts/more.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Progress } from '../base/parts/progress.tsx';
import { Empty, Read } from '../base/parts/states.tsx';
import { BULK, BulkTag, isUnderWay } from './bulk-state.tsx';

const LOOK_AGAIN_MS = 2_000;

/** Actions on many verifications, newest first. */
export default function BulkActionsPage() {
  const { t } = useWords();
  const acts = useInfiniteQuery({
    queryKey: BULK,
    queryFn: ({ signal, pageParam }) =>
      call('GET /v1/bulk-acts', { signal, query: { limit: '50', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(page => page.data.some(isUnderWay)) ? LOOK_AGAIN_MS : false,
  });
  return (
    <>
      <p className="small">
        <Link href="/verifications">{t('page.verifications')}</Link>
      </p>
      <div className="title-line">
        <PageTitle intro={t('bulk.intro')}>{t('page.bulkActions')}</PageTitle>
        <CurlMenu requests={[{ label: t('bulk.list'), request: { method: 'GET', path: '/v1/bulk-acts' } }]} />
      </div>
      <Read query={acts}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
          if (all.length === 0) {
            return (
              <Empty icon="layers" title={t('bulk.none')}>
                <p>{t('bulk.noneText')}</p>
              </Empty>
            );
          }
          return (
            <section className="card section" aria-label={t('page.bulkActions')}>
              <ul className="rows">
                {all.map(one => (
                  <BulkRow key={one.id} bulk={one} />
                ))}
              </ul>
              <More list={acts} />
            </section>
          );
        }}
      </Read>
    </>
  );
}

function BulkRow({ bulk }: { bulk: BulkAction }) {
  const { t } = useWords();
  const { ago, exactly } = useMoments();
  const { id, act, total, done, failed, created_at } = bulk;
  return (
    <li className="row">
      <BulkTag of={bulk} />
      <div className="row-main">
        <span className="row-name">
          <Link href={`/bulk-acts/${id}`}>{t('bulk.start', { action: t(`bulk.${act}`), n: total })}</Link>
        </span>
        <span className="soft small">
          <time dateTime={created_at} title={exactly(created_at)}>
            {ago(created_at)}
          </time>
          {failed > 0 && ` · ${t('bulk.failedOf', { n: failed })}`}
        </span>
      </div>
      {isUnderWay(bulk) && <Progress label={t('batch.progressOf')} done={done + failed} of={total} />}
    </li>
  );
}
