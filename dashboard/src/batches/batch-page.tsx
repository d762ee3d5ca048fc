import type { Batch } from '@firsthand/contract/batches.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../api/call.ts';
import { useWords } from '../language.tsx';
import { Button } from '../parts/button.tsx';
import { CurlMenu } from '../parts/curl-menu.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useMoments } from '../parts/moments.ts';
import { PageTitle, Section } from '../parts/page.tsx';
import { Progress } from '../parts/progress.tsx';
import { useSay } from '../parts/said.tsx';
import { Read } from '../parts/states.tsx';
import { useAct } from '../session/recent.ts';
import { useSignedIn } from '../session/signed-in.ts';
import { isAtLeast } from '../shell/pages.ts';
import { BATCHES, BatchTag, isUnderWay } from './batch-state.tsx';
import { firstResults } from './results.ts';
import './batches.css';

const LOOK_AGAIN_MS = 1_000;

/** One list: how far it has come, what its rows became, and its end where somebody wants that. */
export default function BatchPage() {
  const { id } = useParams<{ id: string }>();
  const { t } = useWords();
  const batch = useQuery({
    queryKey: [...BATCHES, id],
    queryFn: ({ signal }) => call('GET /v1/batches/:id', { id, signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  });
  return (
    <div className="wide tall stack">
      <p className="small">
        <Link href="/batches">{t('page.batches')}</Link>
      </p>
      <Read query={batch}>{data => <Shown batch={data} />}</Read>
    </div>
  );
}

function Shown({ batch }: { batch: Batch }) {
  const { t, number } = useWords();
  const { exactly, span } = useMoments();
  const say = useSay();
  const { tenant } = useSignedIn();
  const [asking, setAsking] = useState(false);
  const { id, total, created, failed, created_at, ended_at, send, template_id } = batch;
  const done = created + failed;
  const cancel = useAct(() => call('POST /v1/batches/:id/cancel', { id, body: {} }), {
    refreshes: [BATCHES],
    onDone: after => {
      setAsking(false);
      say(t('batch.wasCancelled', { n: after.created }));
    },
  });
  const facts: [string, string][] = [
    [t('batch.factRows'), number(total)],
    [t('batch.factMade'), number(created)],
    [t('batch.factFailed'), number(failed)],
    [t('batch.factStarted'), exactly(created_at)],
    ...(ended_at
      ? ([[t('batch.factTook'), span(Date.parse(ended_at) - Date.parse(created_at))]] as [string, string][])
      : []),
    [t('batch.factSent'), t(send ? 'common.yes' : 'common.no')],
  ];
  return (
    <>
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{t('batch.title', { n: total })}</PageTitle>
          <BatchTag of={batch} />
        </div>
        <div className="toolbar">
          {isUnderWay(batch) && isAtLeast(tenant.role, 'member') && (
            <Button slim onPress={() => setAsking(true)}>
              {t('batch.cancel')}
            </Button>
          )}
          <a className="button quiet slim" href={`/v1/batches/${id}/results`} download={`${id}.csv`}>
            <Icon name="download" />
            {t('batch.results')}
          </a>
          <CurlMenu
            acts={[
              { label: t('batch.progressAct'), request: { method: 'GET', path: `/v1/batches/${id}` } },
              { label: t('batch.results'), request: { method: 'GET', path: `/v1/batches/${id}/results` } },
              { label: t('batch.cancel'), request: { method: 'POST', path: `/v1/batches/${id}/cancel` } },
            ]}
          />
        </div>
      </div>
      <section className="card section batch-progress" aria-label={t('batch.progressAct')}>
        <p role="status">
          <strong>{t('batch.progress', { done: number(done), of: number(total) })}</strong>
        </p>
        <Progress label={t('batch.progressAct')} done={done} of={total} />
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {template_id !== undefined && (
            <div>
              <dt>{t('batch.template')}</dt>
              <dd>
                <Link href={`/templates/${template_id}`}>{t('batch.toTemplate')}</Link>
              </dd>
            </div>
          )}
        </dl>
      </section>
      <Results batch={batch} />
      {asking && (
        <Confirm
          title={t('batch.cancelTitle')}
          action={t('batch.cancel')}
          act={{ ...cancel, mutate: () => cancel.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('batch.cancelText')}</p>
        </Confirm>
      )}
    </>
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
          <table className="columns">
            <thead>
              <tr>
                <th scope="col">{t('batch.row')}</th>
                <th scope="col">{t('batch.verification')}</th>
                <th scope="col">{t('batch.link')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ row, id, url, error }) => (
                <tr key={row}>
                  <th scope="row">{row}</th>
                  <td>
                    {id ? (
                      <Link href={`/verifications/${id}`}>
                        <code>…{id.slice(-6)}</code>
                      </Link>
                    ) : error ? (
                      <span className="fault">{error}</span>
                    ) : (
                      <span className="soft">{t(batch.state === 'cancelled' ? 'batch.notMade' : 'batch.waits')}</span>
                    )}
                  </td>
                  <td>{url && <code className="soft">{url}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Read>
    </Section>
  );
}
