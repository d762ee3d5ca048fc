import type { ReviewInput, ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../base/api/call.ts';
import { DECIDED } from '../../base/today.ts';
import { endIfUnauthorized, queryClient } from '../../entry/session/query-client.ts';
import { type Cases, decided, lost, moved, NO_CASES, placeOf, putBack, sent } from './cases.ts';
import { useRenewal } from './use-claims.ts';
import { useFilled } from './use-filled.ts';

const UNDO_MS = 10 * 60_000;
/** The decision did not count, because the case is no longer this person's to decide. */
const TAKEN = new Set(['claimed', 'already_decided', 'own_photo', 'review_changed']);

/**
 * The cases that this person holds: one at hand, the next ones fetched ahead, so that the next is painted at once. A
 * decision is sent while the next case is shown; one that fails brings its case back.
 */
export function useQueue(queue: ReviewQueue) {
  const [state, setState] = useState(NO_CASES);
  const now = useRef(state);
  const change = useCallback((next: (old: Cases) => Cases) => {
    now.current = next(now.current);
    setState(now.current);
  }, []);
  const fill = useFilled(queue, now, change);
  useRenewal(now);
  const at = placeOf(state);
  const current = state.cases[at];
  const secondsShown = useSecondsShown(current?.id);

  /** Resolves to the error that it failed with, or null. */
  const decide = async (input: Omit<ReviewInput, 'seconds'>): Promise<unknown> => {
    if (!current) return null;
    const { id } = current;
    const body = { ...input, seconds: secondsShown(), version: current.review.version ?? 0 };
    change(old => sent(old, current));
    try {
      const review = await call('POST /v1/verifications/:id/reviews', { id, body });
      change(old => decided(old, id, review));
      void queryClient.invalidateQueries({ queryKey: DECIDED });
      return null;
    } catch (error) {
      endIfUnauthorized(error);
      const taken = error instanceof ApiError && TAKEN.has(error.code);
      change(old => (taken ? lost(old, id) : putBack(old, current)));
      return error;
    } finally {
      void fill();
    }
  };

  const { undo, mayUndo } = useUndo(state, change);
  return { ...state, at, current, decide, undo, mayUndo, go: (by: number) => change(old => moved(old, by)), fill };
}

/** Sends a decision. Resolves to the error that it failed with, or null. */
export type Decide = (input: Omit<ReviewInput, 'seconds'>) => Promise<unknown>;

/** Counts the seconds since another case was shown. */
export function useSecondsShown(id: string | undefined): () => number {
  const since = useRef(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the clock starts when another case is shown
  useEffect(() => {
    since.current = Date.now();
  }, [id]);
  return () => Math.round((Date.now() - since.current) / 1_000);
}

/** Takes the last decision back and shows its case again. */
function useUndo({ done }: Cases, change: (next: (old: Cases) => Cases) => void) {
  const undoing = useRef(false);
  const last = done.at(-1);
  const mayUndo = Boolean(last?.review && Date.now() - Date.parse(last.review.created_at) < UNDO_MS);

  /** Resolves to the error that it failed with, or null. */
  const undo = async (): Promise<unknown> => {
    if (!last?.review || !mayUndo || undoing.current) return null;
    const { id } = last.verification;
    undoing.current = true;
    try {
      await call('DELETE /v1/verifications/:id/reviews/:review', { id, review: last.review.id });
      void queryClient.invalidateQueries({ queryKey: DECIDED });
      const claimed = await call('POST /v1/reviews/:id/claim', { id, body: {} });
      change(old => putBack(old, claimed));
      return null;
    } catch (error) {
      endIfUnauthorized(error);
      return error;
    } finally {
      undoing.current = false;
    }
  };
  return { undo, mayUndo };
}
