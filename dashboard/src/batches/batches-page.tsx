import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { More } from '../base/parts/more.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Progress } from '../base/parts/progress.tsx';
import { saveFile } from '../base/parts/save-file.ts';
import { Empty, Read } from '../base/parts/states.tsx';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';
import { BATCHES, BatchTag, isUnderWay } from './batch-state.tsx';
import { SAMPLES, sampleText } from './samples.ts';
import './batches.css';

const LOOK_AGAIN_MS = 2_000;

/** Lists of people who each got a link, and how far each list has come. */
export default function BatchesPage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const member = isAtLeast(tenant.role, 'member');
  const batches = useInfiniteQuery({
    queryKey: BATCHES,
    queryFn: ({ signal, pageParam }) => call('GET /v1/batches', { signal, query: { limit: '50', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(page => page.data.some(isUnderWay)) ? LOOK_AGAIN_MS : false,
  });
  return (
    <>
      <div className="title-line">
        <PageTitle intro={t('batches.intro')}>{t('page.batches')}</PageTitle>
        <CurlMenu requests={[{ label: t('batches.list'), request: { method: 'GET', path: '/v1/batches' } }]} />
      </div>
      {member && (
        <div className="toolbar">
          <Link className="button main" href="/batches/new">
            <Icon name="plus" />
            {t('batches.new')}
          </Link>
        </div>
      )}
      <Read query={batches}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
          if (all.length === 0) return <NoBatch mayMake={member} />;
          return (
            <section className="card section" aria-label={t('page.batches')}>
              <ul className="rows">
                {all.map(batch => (
                  <Row key={batch.id} batch={batch} />
                ))}
              </ul>
              <More list={batches} />
            </section>
          );
        }}
      </Read>
    </>
  );
}

function NoBatch({ mayMake }: { mayMake: boolean }) {
  const { t } = useWords();
  return (
    <Empty icon="layers" title={t('batches.none')}>
      <p>{t(mayMake ? 'batches.noneText' : 'batches.noneRead')}</p>
      {mayMake && (
        <>
          <div className="actions">
            {SAMPLES.map(sample => (
              <Link key={sample} className="button quiet" href={`/batches/new?sample=${sample}`}>
                {t(`starter.${sample}`)}
              </Link>
            ))}
          </div>
          <Button weight="plain" onPress={() => saveFile('firsthand-sample.csv', sampleText('claim'))}>
            <Icon name="download" />
            {t('batches.sample')}
          </Button>
        </>
      )}
    </Empty>
  );
}

function Row({ batch }: { batch: Batch }) {
  const { t } = useWords();
  const { ago, exactly } = useMoments();
  const { id, total, created, failed, created_at } = batch;
  return (
    <li className="row">
      <BatchTag of={batch} />
      <div className="row-main">
        <span className="row-name">
          <Link href={`/batches/${id}`}>{t('batch.rows', { n: total })}</Link>
        </span>
        <span className="soft small">
          <time dateTime={created_at} title={exactly(created_at)}>
            {ago(created_at)}
          </time>{' '}
          · {t('batch.made', { n: created })}
          {failed > 0 && ` · ${t('batch.failedRows', { n: failed })}`} · <code>…{id.slice(-6)}</code>
        </span>
      </div>
      {isUnderWay(batch) && (
        <Progress
          label={t('batch.progress', { done: created + failed, of: total })}
          done={created + failed}
          of={total}
        />
      )}
    </li>
  );
}
