import { setTimeout as sleep } from 'node:timers/promises';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import { createWakeup } from '../db/listen.ts';
import type { Deps } from '../deps.ts';
import { inSpan } from '../lib/tracing.ts';
import { CLAIM_SECONDS, type Claim, type PutBack, type Turns } from './turns.ts';

/** Look this often even without a notification, because the end of a retry pause sends none. */
const POLL_MS = 1_000;
const RENEW_MS = (CLAIM_SECONDS * 1_000) / 3;
/** How long running work may take to finish after the process is asked to stop. */
const GRACE_MS = 20_000;

export type Next = { do: 'give_up' } | ({ do: 'try_again' } & PutBack);

/** Work that a node takes in turn. */
export interface Taken<Row extends Claim> {
  turns: Turns<Row>;
  /** Pieces of work at once on this node. One more for an account that holds none. */
  places: number;
  /** Whether this node can begin one more now. */
  mayTake?(): boolean;
  /** The name in logs, spans and metrics. */
  nameOf(row: Row): string;
  /** For the span. */
  attributesOf(row: Row): Attributes;
  /** The signal is aborted when the process is stopping and the work has used its grace period. */
  work(row: Row, signal: AbortSignal): Promise<void>;
  /** Attempts after which none begins. */
  maxAttempts: number;
  /** Decides what follows a failure. */
  afterFailure(error: unknown, row: Row): Next;
  /** Ends the work for good. */
  giveUp(row: Row, error: unknown): Promise<void>;
  /** Called when the process is stopping, before it waits for running work. */
  stopping?(): void;
}

export interface Taking {
  /** Signals that work may be waiting, or that more can begin. */
  ring(): void;
  /** Takes no more work, gives what runs a moment to finish, and hands back the rest. */
  stop(): Promise<void>;
}

/** Takes work in the order of its turns until stopped. Any number of nodes may do so. */
export function startTaking<Row extends Claim>(deps: Pick<Deps, 'db' | 'log' | 'metrics'>, taken: Taken<Row>): Taking {
  const { turns } = taken;
  const wakeup = createWakeup();
  const inWork = new Map<string, { row: Row; ended: Promise<void> }>();
  const abandoning = new AbortController();
  let stopping = false;

  const start = (row: Row) => {
    const ended = attempt(deps, taken, row, abandoning.signal)
      .catch(error => deps.log.error({ err: error, ...lineOf(taken, row) }, 'the outcome of a job was not written'))
      .finally(() => {
        inWork.delete(row.id);
        wakeup.wake();
      });
    inWork.set(row.id, { row, ended });
  };
  const running = (async () => {
    while (!stopping) {
      wakeup.clear();
      try {
        while (!stopping && (taken.mayTake?.() ?? true)) {
          const held = [...inWork.values()].map(({ row }) => row);
          const row = await turns.claim(deps.db, held, taken.places);
          if (!row) break;
          start(row);
        }
      } catch (error) {
        deps.log.warn({ err: error }, 'no work could be taken; trying again');
        await sleep(POLL_MS);
      }
      await wakeup.wait(POLL_MS);
    }
  })();
  const renewing = setInterval(() => {
    turns
      .renew(deps.db, [...inWork.keys()])
      .catch(error => deps.log.warn({ err: error }, 'claims on work were not renewed'));
  }, RENEW_MS);

  return {
    ring: wakeup.wake,
    async stop() {
      stopping = true;
      wakeup.wake();
      await running;
      taken.stopping?.();
      const all = Promise.all([...inWork.values()].map(({ ended }) => ended));
      await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
      clearInterval(renewing);
      abandoning.abort();
      if (inWork.size === 0) return;
      await turns
        .putBack(deps.db, [...inWork.keys()], { pauseSeconds: 0, uncounted: true })
        .catch(error => deps.log.warn({ err: error }, 'claims on work were not handed back; they end by themselves'));
    },
  };
}

const lineOf = <Row extends Claim>(taken: Taken<Row>, row: Row) => ({
  job: taken.nameOf(row),
  ...taken.attributesOf(row),
  attempt: row.claimed_attempts,
});

/** Does a piece of work once, and writes down what follows if it failed. */
async function attempt<Row extends Claim>(
  deps: Pick<Deps, 'db' | 'log' | 'metrics'>,
  taken: Taken<Row>,
  row: Row,
  signal: AbortSignal,
): Promise<void> {
  const attempts = row.claimed_attempts;
  if (attempts > taken.maxAttempts) {
    const lost = new Error(`no attempt of ${attempts - 1} came back: the process ended each time`);
    deps.log.error({ err: lost, ...lineOf(taken, row) }, 'a job is given up');
    await taken.giveUp(row, lost);
    return;
  }
  const job = taken.nameOf(row);
  const end = deps.metrics.jobs.startTimer({ job });
  try {
    const attributes = { ...taken.attributesOf(row), 'firsthand.attempt': attempts };
    const span = { kind: SpanKind.CONSUMER, parent: row.traceparent, attributes };
    await inSpan(`job ${job}`, span, () => taken.work(row, signal));
    end({ outcome: 'done' });
  } catch (error) {
    end({ outcome: 'failed' });
    // The claim was handed back already.
    if (signal.aborted) return;
    const next = taken.afterFailure(error, row);
    if (next.do === 'give_up') {
      deps.log.error({ err: error, ...lineOf(taken, row) }, 'a job failed for good');
      await taken.giveUp(row, error);
      return;
    }
    deps.log.warn({ err: error, ...lineOf(taken, row) }, 'job failed; it will be tried again');
    await taken.turns.putBack(deps.db, [row.id], next);
  }
}
