import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { call } from '../base/api/call.ts';
import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { CaseLink } from '../base/parts/case-link.tsx';
import { Back, Section } from '../base/parts/section.tsx';
import { Table } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { BATCHES, BatchTag, isUnderWay } from './batch-state.tsx';
import { LongWork } from './long-work.tsx';
import { firstResults } from './results.ts';

const LOOK_AGAIN_MS = 1_000;

/** One list: how far it has come, what its rows became, and its end where somebody wants that. */
export default function BatchPage() {
  const { id } = useParams<{ id: string }>();
  const { t } = useWords();
  const batch = useRead(
    [...BATCHES, id],
    'GET /v1/batches/:id',
    { id },
    { refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOK_AGAIN_MS : false) },
  );
  return (
    <div className="wide tall stack">
      <Back to="/batches">{t('page.batches')}</Back>
      <Read query={batch} only>
        {data => <Shown batch={data} />}
      </Read>
    </div>
  );
}

function Shown({ batch }: { batch: Batch }) {
  const { t, number } = useWords();
  const { id, total, created, failed, send, template_id } = batch;
  const done = created + failed;
  return (
    <LongWork
      id={id}
      path={`/v1/batches/${id}`}
      title={t('batch.title', { n: total })}
      tag={<BatchTag of={batch} />}
      progress={t('batch.progress', { done: number(done), of: number(total) })}
      done={done}
      total={total}
      counts={[
        [t('batch.factRows'), number(total)],
        [t('batch.factMade'), number(created)],
        [t('batch.factFailed'), number(failed)],
      ]}
      created_at={batch.created_at}
      ended_at={batch.ended_at}
      stopped={batch.stopped}
      facts={[
        [t('batch.factSent'), t(send ? 'common.yes' : 'common.no')],
        ...(template_id === undefined
          ? []
          : [
              [
                t('batch.template'),
                <Link key="template" href={`/templates/${template_id}`}>
                  {t('batch.toTemplate')}
                </Link>,
              ] as const,
            ]),
      ]}
      stop={{
        possible: isUnderWay(batch),
        label: t('batch.cancel'),
        title: t('batch.cancelTitle'),
        text: t('batch.cancelText'),
        run: () => call('POST /v1/batches/:id/cancel', { id, body: {} }),
        refreshes: BATCHES,
        said: after => t('batch.wasCancelled', { n: after.created }),
      }}
    >
      <Results batch={batch} />
    </LongWork>
  );
}

/** The results of the first rows. The file has all. */
function Results({ batch }: { batch: Batch }) {
  const { t } = useWords();
  const results = useQuery({
    queryKey: [...BATCHES, batch.id, 'results', batch.state, batch.created + batch.failed > 0],
    queryFn: ({ signal }) => firstResults(batch.id, signal),
  });
  return (
    <Section title={t('batch.firstRows')} intro={t('batch.firstRowsIntro')}>
      <Read query={results}>
        {rows => (
          <Table look="columns folds" heads={[t('batch.row'), t('batch.verification'), t('batch.link')]}>
            {rows.map(({ row, id, url, error, name }) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                <td>
                  {id ? (
                    <CaseLink id={id} name={name} />
                  ) : error ? (
                    <span className="fault">{error}</span>
                  ) : (
                    <span className="soft">{t(batch.state === 'cancelled' ? 'batch.notMade' : 'batch.waits')}</span>
                  )}
                </td>
                <td>{url && <code className="soft">{url}</code>}</td>
              </tr>
            ))}
          </Table>
        )}
      </Read>
    </Section>
  );
}
