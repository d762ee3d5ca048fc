import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { PageTitle } from '../base/parts/page.tsx';
import { Progress } from '../base/parts/progress.tsx';
import { Empty, Read } from '../base/parts/states.tsx';
import { BULK, BulkTag, isUnderWay } from './bulk-state.tsx';

const LOOK_AGAIN_MS = 2_000;

/** Acts on many verifications, newest first. */
export default function BulkActsPage() {
  const { t } = useWords();
  const { ago, exactly } = useMoments();
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
        <PageTitle intro={t('bulk.intro')}>{t('page.bulkActs')}</PageTitle>
        <CurlMenu acts={[{ label: t('bulk.list'), request: { method: 'GET', path: '/v1/bulk-acts' } }]} />
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
            <section className="card section" aria-label={t('page.bulkActs')}>
              <ul className="rows">
                {all.map(act => (
                  <li className="row" key={act.id}>
                    <BulkTag of={act} />
                    <div className="row-main">
                      <span className="row-name">
                        <Link href={`/bulk-acts/${act.id}`}>
                          {t('bulk.start', { act: t(`bulk.${act.act}`), n: act.total })}
                        </Link>
                      </span>
                      <span className="soft small">
                        <time dateTime={act.created_at} title={exactly(act.created_at)}>
                          {ago(act.created_at)}
                        </time>
                        {act.failed > 0 && ` · ${t('bulk.failedOf', { n: act.failed })}`}
                      </span>
                    </div>
                    {isUnderWay(act) && (
                      <Progress label={t('batch.progressAct')} done={act.done + act.failed} of={act.total} />
                    )}
                  </li>
                ))}
              </ul>
              {acts.hasNextPage && (
                <Button busy={acts.isFetchingNextPage} onPress={() => void acts.fetchNextPage()}>
                  {t('common.more')}
                </Button>
              )}
            </section>
          );
        }}
      </Read>
    </>
  );
}
