import { ROOT } from '@firsthand/look/root.ts';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWords } from '../base/language.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { type Fact, Facts, Progress } from '../base/parts/shown.tsx';
import { Notice } from '../base/parts/states.tsx';
import { Ask } from '../entry/session/ask.tsx';
import { useMay } from '../entry/session/signed-in.ts';
import './batches.css';

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
  const mayStop = useMay('member');
  return (
    <>
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{title}</PageTitle>
          {tag}
        </div>
        <div className="toolbar">
          {stop.possible && mayStop && (
            <Ask
              label={stop.label}
              weight="quiet"
              slim
              title={stop.title}
              text={stop.text}
              run={stop.run}
              refreshes={[stop.refreshes]}
              says={stop.said}
            />
          )}
          <a className="button quiet slim" href={`${ROOT}${path}/results`} download={`${id}.csv`}>
            <Icon name="download" />
            {t('batch.results')}
          </a>
          <CurlMenu
            requests={[
              { label: t('batch.progressOf'), to: `GET ${path}` },
              { label: t('batch.results'), to: `GET ${path}/results` },
              { label: stop.label, to: `POST ${path}/cancel` },
            ]}
          />
        </div>
      </div>
      <ProgressCard {...props} />
      {children}
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
    <section className="card section batch-progress stack" aria-label={t('batch.progressOf')}>
      <p>
        <strong>{progress}</strong>
      </p>
      {/* Each step of the way would interrupt whoever listens; the end is news. */}
      <p className="unseen" role="status">
        {ended_at && progress}
      </p>
      {stopped && <Notice look="doubtful">{t('batch.notAllowed')}</Notice>}
      <Progress label={t('batch.progressOf')} done={done} of={total} />
      <Facts facts={all} />
    </section>
  );
}
