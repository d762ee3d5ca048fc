import type { BulkAct } from '@firsthand/contract/bulk-acts.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../api/call.ts';
import { firstLines } from '../api/first-lines.ts';
import { codeText } from '../api/problem-text.ts';
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
import { BULK, BulkTag, isUnderWay } from './bulk-state.tsx';
import '../batches/batches.css';

const LOOK_AGAIN_MS = 1_000;
const SHOWN = 50;

/** One act on many verifications: how far it has come, what refused it and why. */
export default function BulkActPage() {
  const { id } = useParams<{ id: string }>();
  const { t } = useWords();
  const act = useQuery({
    queryKey: [...BULK, id],
    queryFn: ({ signal }) => call('GET /v1/bulk-acts/:id', { id, signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  });
  return (
    <div className="wide tall stack">
      <p className="small">
        <Link href="/bulk-acts">{t('page.bulkActs')}</Link>
      </p>
      <Read query={act}>{data => <Shown act={data} />}</Read>
    </div>
  );
}

function Shown({ act }: { act: BulkAct }) {
  const { t, number } = useWords();
  const { exactly, span } = useMoments();
  const say = useSay();
  const { tenant } = useSignedIn();
  const [asking, setAsking] = useState(false);
  const { id, total, done, failed, created_at, ended_at } = act;
  const path = `/v1/bulk-acts/${id}`;
  const stop = useAct(() => call('POST /v1/bulk-acts/:id/cancel', { id, body: {} }), {
    refreshes: [BULK],
    onDone: after => {
      setAsking(false);
      say(t('bulk.wasStopped', { n: after.done }));
    },
  });
  const facts: [string, string][] = [
    [t('bulk.factTotal'), number(total)],
    [t('bulk.factDone'), number(done)],
    [t('bulk.factFailed'), number(failed)],
    [t('bulk.factStarted'), exactly(created_at)],
    ...(ended_at
      ? ([[t('bulk.factTook'), span(Date.parse(ended_at) - Date.parse(created_at))]] as [string, string][])
      : []),
  ];
  return (
    <>
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{t(`bulk.${act.act}`)}</PageTitle>
          <BulkTag of={act} />
        </div>
        <div className="toolbar">
          {isUnderWay(act) && isAtLeast(tenant.role, 'member') && (
            <Button slim onPress={() => setAsking(true)}>
              {t('bulk.stop')}
            </Button>
          )}
          <a className="button quiet slim" href={`${path}/results`} download={`${id}.csv`}>
            <Icon name="download" />
            {t('bulk.results')}
          </a>
          <CurlMenu
            acts={[
              { label: t('bulk.progressAct'), request: { method: 'GET', path } },
              { label: t('bulk.results'), request: { method: 'GET', path: `${path}/results` } },
              { label: t('bulk.stop'), request: { method: 'POST', path: `${path}/cancel` } },
            ]}
          />
        </div>
      </div>
      <section className="card section batch-progress" aria-label={t('bulk.progressAct')}>
        <p role="status">
          <strong>{t('bulk.progress', { done: number(done + failed), of: number(total) })}</strong>
        </p>
        <Progress label={t('bulk.progressAct')} done={done + failed} of={total} />
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Refused act={act} />
      {asking && (
        <Confirm
          title={t('bulk.stopTitle')}
          action={t('bulk.stop')}
          act={{ ...stop, mutate: () => stop.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('bulk.stopText')}</p>
        </Confirm>
      )}
    </>
  );
}

/** The first verifications that refused the act; the file has them all. */
function Refused({ act }: { act: BulkAct }) {
  const words = useWords();
  const { t } = words;
  const results = useQuery({
    queryKey: [...BULK, act.id, 'refused', Math.min(act.failed, SHOWN)],
    queryFn: ({ signal }) => firstLines(`/v1/bulk-acts/${act.id}/results?result=failed`, SHOWN, signal),
  });
  return (
    <Section title={t('bulk.refused')} {...(act.failed > SHOWN ? { intro: t('bulk.refusedIntro') } : {})}>
      <Read query={results}>
        {lines =>
          lines.length === 0 ? (
            <p className="soft small">{t('bulk.noneRefused')}</p>
          ) : (
            <table className="columns">
              <thead>
                <tr>
                  <th scope="col">{t('batch.verification')}</th>
                  <th scope="col">{t('bulk.why')}</th>
                </tr>
              </thead>
              <tbody>
                {lines.map(([id = '', , code = '']) => (
                  <tr key={id}>
                    <th scope="row">
                      <Link href={`/verifications/${id}`}>
                        <code>…{id.slice(-6)}</code>
                      </Link>
                    </th>
                    <td>
                      {codeText(words, code)} <code className="soft">{code}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Read>
    </Section>
  );
}
