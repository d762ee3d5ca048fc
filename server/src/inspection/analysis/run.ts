import { setTimeout as sleep } from 'node:timers/promises';
import { AnalysisFault } from '@firsthand/forensics/running/pool.ts';
import { SpanKind } from '@opentelemetry/api';
import { BlobUnavailable } from '../../platform/blobs/faults.ts';
import { createBell } from '../../platform/db/listen.ts';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { logNameOf } from '../../platform/lib/log-name.ts';
import { inSpan } from '../../platform/lib/tracing.ts';
import {
  CLAIM_SECONDS,
  type ClaimedCapture,
  claimCapture,
  endDeadClaims,
  failAnalysis,
  putBack,
  renewClaims,
} from '../../verification/captures/analysis-queue.ts';
import { settle } from '../../verification/verdict/settle.ts';
import { analyzeCapture, PictureFault } from './analyze.ts';

/** Look this often even without a notification, because the end of a retry pause sends none. */
const POLL_MS = 1_000;
const RENEW_MS = (CLAIM_SECONDS * 1_000) / 3;
/** How long running analyses may take to finish after the process is asked to stop. */
const GRACE_MS = 20_000;
/** While the blob store is unavailable, each thread tries one capture this often. No capture loses its turn. */
const STORE_PAUSE_MS = 2_000;
/** Stop waiting for an unavailable store after this long. */
const STORE_GIVE_UP_MS = 24 * 3_600_000;

export interface Analyses {
  /** Signals that a capture may be waiting. */
  ring(): void;
  /** Resolves when every thread has loaded its models. */
  warm: Promise<void>;
  /** Takes no more captures, hands back those that no thread has begun, gives the others a moment to finish, and hands back the rest. */
  stop(): Promise<void>;
}

/**
 * Analyses captures in the order of their turns until stopped. Any number of nodes may run it. It takes a capture only when a thread is
 * warm and free: until then another node can take it, and another tenant's capture can overtake those that wait. Work outside the pixels (blob store, model, search) occupies no
 * thread.
 */
export async function startAnalyses(deps: Deps, o: { alone: boolean }): Promise<Analyses> {
  const { workerConcurrency, analysisRetrySeconds } = deps.config;
  if (o.alone) await endDeadClaims(deps.db, analysisRetrySeconds);
  const bell = createBell();
  const inWork = new Map<string, Promise<void>>();
  let threadsWarm = 0;
  let threadsBusy = 0;
  let storeAwayUntil = 0;
  let stopping = false;
  let abandoned = false;

  const start = (capture: ClaimedCapture) => {
    threadsBusy += 1;
    let holdsThread = true;
    const freeThread = () => {
      if (!holdsThread) return;
      holdsThread = false;
      threadsBusy -= 1;
      bell.ring();
    };
    const work = analyse(capture, freeThread)
      .catch(error =>
        deps.log.error({ err: error, captureId: capture.id }, 'the outcome of an analysis was not written'),
      )
      .finally(() => {
        inWork.delete(capture.id);
        freeThread();
        bell.ring();
      });
    inWork.set(capture.id, work);
  };

  const analyse = async (capture: ClaimedCapture, freeThread: () => void): Promise<void> => {
    const { id, analysis_attempts: attempt } = capture;
    if (attempt > analysisRetrySeconds.length + 1) {
      await giveUp(deps, capture, `no attempt of ${attempt - 1} came back: the process ended each time`);
      return;
    }
    const end = deps.metrics.jobs.startTimer({ job: 'analyze_capture' });
    try {
      await inSpan('job analyze_capture', spanOf(capture), () => analyzeCapture(deps, capture, freeThread));
      end({ outcome: 'done' });
    } catch (error) {
      end({ outcome: 'failed' });
      if (abandoned) return;
      const what = whatNow(error, capture, analysisRetrySeconds, deps.clock.now());
      if (what.do === 'give_up') {
        deps.log.error({ err: error, captureId: id, attempt }, 'analysis ended in a permanent error');
        await giveUp(deps, capture, error instanceof Error ? error.message : String(error));
        return;
      }
      if (error instanceof BlobUnavailable) storeAwayUntil = performance.now() + STORE_PAUSE_MS;
      deps.log.warn({ err: error, captureId: id, attempt }, 'analysis failed; it will be tried again');
      await putBack(deps.db, [id], what);
    }
  };

  // Not awaited: the threads warm up at low priority beside the API.
  const warm = deps.pictures.warmUp(() => {
    threadsWarm += 1;
    bell.ring();
  });
  const running = (async () => {
    while (!stopping) {
      bell.quiet();
      try {
        while (!stopping && threadsBusy < threadsWarm && inWork.size < workerConcurrency) {
          if (performance.now() < storeAwayUntil) break;
          const capture = await claimCapture(deps.db, [...inWork.keys()]);
          if (!capture) break;
          start(capture);
        }
      } catch (error) {
        deps.log.warn({ err: error }, 'no capture could be taken; trying again');
        await sleep(POLL_MS);
      }
      await bell.wait(POLL_MS);
    }
  })();
  const renewing = setInterval(() => {
    renewClaims(deps.db, [...inWork.keys()]).catch(error =>
      deps.log.warn({ err: error }, 'claims on captures were not renewed'),
    );
  }, RENEW_MS);

  return {
    ring: bell.ring,
    warm,
    async stop() {
      stopping = true;
      bell.ring();
      await running;
      deps.pictures.drain();
      await Promise.race([Promise.all(inWork.values()), sleep(GRACE_MS, undefined, { ref: false })]);
      clearInterval(renewing);
      abandoned = true;
      await putBack(deps.db, [...inWork.keys()], { pauseSeconds: 0, uncounted: true }).catch(error =>
        deps.log.warn({ err: error }, 'claims on captures were not handed back; they end by themselves'),
      );
    },
  };
}

const spanOf = ({ id, verification_id, analysis_attempts, traceparent }: ClaimedCapture) => ({
  kind: SpanKind.CONSUMER,
  parent: traceparent,
  attributes: {
    'firsthand.verification': logNameOf(verification_id),
    'firsthand.capture.id': id,
    'firsthand.attempt': analysis_attempts,
  },
});

type Next = { do: 'give_up' } | { do: 'try_again'; pauseSeconds: number; uncounted: boolean };

/**
 * Decides what follows a failure: give up at once on a picture fault, wait for an unavailable store, retry anything else until its attempts
 * are used up.
 */
export function whatNow(
  error: unknown,
  capture: Pick<ClaimedCapture, 'analysis_attempts' | 'created_at'>,
  retrySeconds: readonly number[],
  now: Date,
): Next {
  if (error instanceof PictureFault) return { do: 'give_up' };
  if (error instanceof AnalysisFault && error.code === 'closed') {
    return { do: 'try_again', pauseSeconds: 0, uncounted: true };
  }
  if (error instanceof BlobUnavailable) {
    return now.getTime() - capture.created_at.getTime() > STORE_GIVE_UP_MS
      ? { do: 'give_up' }
      : { do: 'try_again', pauseSeconds: STORE_PAUSE_MS / 1_000, uncounted: true };
  }
  const pauseSeconds = retrySeconds[capture.analysis_attempts - 1];
  return pauseSeconds === undefined ? { do: 'give_up' } : { do: 'try_again', pauseSeconds, uncounted: false };
}

/** Records the failure and settles the verification. If settling fails, records only the failure; the sweep settles later. */
async function giveUp(deps: Deps, capture: ClaimedCapture, reason: string): Promise<void> {
  try {
    await transaction(deps.db, async tx => {
      await failAnalysis(tx, capture.id, deps.clock.now(), reason);
      await settle(tx, deps, capture.verification_id);
    });
  } catch (error) {
    deps.log.error({ err: error, captureId: capture.id }, 'a failed analysis could not be settled yet');
    await failAnalysis(deps.db, capture.id, deps.clock.now(), reason);
  }
}
