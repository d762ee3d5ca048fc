import { ROOT } from '@firsthand/look/root.ts';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Confirm } from '../base/parts/dialog.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Progress } from '../base/parts/progress.tsx';
import { useSay } from '../base/parts/toasts.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';
import './batches.css';

type Fact = readonly [name: string, value: ReactNode];

interface Stop<After> {
  /** The job is under way. */
  possible: boolean;
  label: string;
  title: string;
  text: string;
  run: () => Promise<After>;
  refreshes: QueryKey;
  said: (after: After) => string;
}

interface LongWorkProps<After> {
  id: string;
  /** Its address in the API. `/results` and `/cancel` follow it. */
  path: string;
  title: string;
  tag: ReactNode;
  /** How far it has come, in words. */
  progress: string;
  done: number;
  total: number;
  counts: readonly Fact[];
  created_at: string;
  ended_at?: string | undefined;
  /** Why the service cancelled it. */
  stopped?: 'not_allowed' | undefined;
  /** Stand after the times. */
  facts?: readonly Fact[];
  stop: Stop<After>;
  children: ReactNode;
}

/** A job of many parts: its progress, its results as a file, and a way to stop it. */
export function LongWork<After>(props: LongWorkProps<After>) {
  const { id, path, title, tag, stop, children } = props;
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{title}</PageTitle>
          {tag}
        </div>
        <div className="toolbar">
          {stop.possible && isAtLeast(tenant.role, 'member') && (
            <Button slim onPress={() => setAsking(true)}>
              {stop.label}
            </Button>
          )}
          <a className="button quiet slim" href={`${ROOT}${path}/results`} download={`${id}.csv`}>
            <Icon name="download" />
            {t('batch.results')}
          </a>
          <CurlMenu
            requests={[
              { label: t('batch.progressOf'), request: { method: 'GET', path } },
              { label: t('batch.results'), request: { method: 'GET', path: `${path}/results` } },
              { label: stop.label, request: { method: 'POST', path: `${path}/cancel` } },
            ]}
          />
        </div>
      </div>
      <ProgressCard {...props} />
      {children}
      {asking && <Stopping stop={stop} onClose={() => setAsking(false)} />}
    </>
  );
}

function ProgressCard<After>(props: LongWorkProps<After>) {
  const { progress, done, total, counts, created_at, ended_at, stopped, facts = [] } = props;
  const { t } = useWords();
  const { exactly, span } = useMoments();
  const all: Fact[] = [
    ...counts,
    [t('batch.factStarted'), exactly(created_at)],
    ...(ended_at ? [[t('batch.factTook'), span(Date.parse(ended_at) - Date.parse(created_at))] as const] : []),
    ...facts,
  ];
  return (
    <section className="card section batch-progress" aria-label={t('batch.progressOf')}>
      <p role="status">
        <strong>{progress}</strong>
      </p>
      {stopped && <p className="notice doubtful">{t('batch.notAllowed')}</p>}
      <Progress label={t('batch.progressOf')} done={done} of={total} />
      <dl className="facts">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Asks before the job stops. */
function Stopping<After>({ stop, onClose }: { stop: Stop<After>; onClose: () => void }) {
  const say = useSay();
  const stopping = useAction(stop.run, {
    refreshes: [stop.refreshes],
    onDone: after => {
      onClose();
      say(stop.said(after));
    },
  });
  return (
    <Confirm
      title={stop.title}
      action={stop.label}
      mutation={{ ...stopping, mutate: () => stopping.mutate(undefined) }}
      onClose={onClose}
    >
      <p>{stop.text}</p>
    </Confirm>
  );
}
