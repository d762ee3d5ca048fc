import { AnalysisFault } from '@firsthand/forensics/running/pool.ts';
import { BlobUnavailable } from '../../platform/blobs/faults.ts';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Next, startTaking, type Taking } from '../../platform/jobs/taking.ts';
import { logNameOf } from '../../platform/lib/log-name.ts';
import { CAPTURES, type ClaimedCapture, failAnalysis } from '../../verification/captures/analysis-queue.ts';
import { settle } from '../../verification/verdict/settle.ts';
import { analyzeCapture, PictureFault } from './analyze.ts';

/** While the blob store is unavailable, each thread tries one capture this often. No capture loses its turn. */
const STORE_PAUSE_MS = 2_000;
/** Stop waiting for an unavailable store after this long. */
const STORE_GIVE_UP_MS = 24 * 3_600_000;

export interface Analyses extends Taking {
  /** Resolves when every thread has loaded its models. */
  warm: Promise<void>;
}

/**
 * Analyses captures in the order of their turns until stopped. It takes a capture only when a thread is warm and free: until then another
 * node can take it, and another tenant's capture can overtake those that wait. Work outside the pixels (blob store, model, search)
 * occupies no thread. A node that stops hands back the captures that no thread has begun.
 */
export async function startAnalyses(deps: Deps, o: { alone: boolean }): Promise<Analyses> {
  const { workerConcurrency, analysisRetrySeconds } = deps.config;
  if (o.alone) await CAPTURES.endDead(deps.db, analysisRetrySeconds);
  let threadsWarm = 0;
  let threadsBusy = 0;
  let storeAwayUntil = 0;

  const work = async (capture: ClaimedCapture): Promise<void> => {
    threadsBusy += 1;
    let holdsThread = true;
    const freeThread = () => {
      if (!holdsThread) return;
      holdsThread = false;
      threadsBusy -= 1;
      taking.ring();
    };
    try {
      await analyzeCapture(deps, capture, freeThread);
    } finally {
      freeThread();
    }
  };
  const taking = startTaking<ClaimedCapture>(deps, {
    turns: CAPTURES,
    places: workerConcurrency,
    mayTake: () => threadsBusy < threadsWarm && performance.now() >= storeAwayUntil,
    nameOf: () => 'analyze_capture',
    attributesOf: ({ id, verification_id }) => ({
      'firsthand.verification': logNameOf(verification_id),
      'firsthand.capture.id': id,
    }),
    work,
    maxAttempts: analysisRetrySeconds.length + 1,
    afterFailure(error, capture) {
      const next = whatNow(error, capture, analysisRetrySeconds, deps.clock.now());
      if (next.do === 'try_again' && error instanceof BlobUnavailable) {
        storeAwayUntil = performance.now() + STORE_PAUSE_MS;
      }
      return next;
    },
    giveUp: (capture, error) => giveUp(deps, capture, error instanceof Error ? error.message : String(error)),
    stopping: () => deps.pictures.drain(),
  });
  // Not awaited: the threads warm up at low priority beside the API.
  const warm = deps.pictures.warmUp(() => {
    threadsWarm += 1;
    taking.ring();
  });
  return { ...taking, warm };
}

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
