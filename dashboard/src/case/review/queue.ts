import type { Review, ReviewInput, ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../base/api/call.ts';
import { endIfUnauthorized } from '../../entry/session/query-client.ts';
import { loadPicture } from '../photo/pictures.ts';

/** The case at hand and the next two. */
const AHEAD = 3;
/** A claim lasts ten minutes; whoever works here renews it well before. */
const RENEW_MS = 4 * 60_000;
const UNDO_MS = 10 * 60_000;

export interface Done {
  verification: Verification;
  /** Null while it is on its way. */
  review: Review | null;
}

interface Queue {
  cases: readonly Verification[];
  at: number;
  done: readonly Done[];
  /** Nothing more waits for this person. */
  empty: boolean;
  error: unknown;
}

const START: Queue = { cases: [], at: 0, done: [], empty: false, error: null };

/** Pictures of a case are decoded before it is shown. */
function preload({ captures }: Verification): void {
  for (const { preview_url, image_url } of captures) {
    const url = preview_url ?? image_url;
    if (url) loadPicture(url).catch(() => undefined);
  }
}

/**
 * The cases that this person holds: one at hand, the next ones fetched ahead, so that the next is painted at once. A
 * decision is sent while the next case is shown; one that fails brings its case back.
 */
export function useQueue(queue: ReviewQueue) {
  const [state, setState] = useState(START);
  const now = useRef(state);
  const filling = useRef(false);
  const undoing = useRef(false);
  const shownAt = useRef(Date.now());
  const renewedAt = useRef(Date.now());
  const change = useCallback((next: (old: Queue) => Queue) => {
    now.current = next(now.current);
    setState(now.current);
  }, []);

  const fill = useCallback(async () => {
    if (filling.current) return;
    filling.current = true;
    try {
      while (now.current.cases.length < AHEAD) {
        // A case whose decision is on its way is still ours: unnamed, it would come back as the next one.
        const deciding = now.current.done.filter(({ review }) => review === null);
        const holding = [...now.current.cases, ...deciding.map(({ verification }) => verification)].map(({ id }) => id);
        const next = await call('POST /v1/reviews/next', { body: { queue, holding } });
        if (next === undefined) {
          change(old => ({ ...old, empty: true, error: null }));
          return;
        }
        preload(next);
        change(old =>
          old.cases.some(({ id }) => id === next.id)
            ? old
            : { ...old, cases: [...old.cases, next], empty: false, error: null },
        );
      }
    } catch (error) {
      endIfUnauthorized(error);
      change(old => ({ ...old, error }));
    } finally {
      filling.current = false;
    }
  }, [queue, change]);

  useEffect(() => {
    change(() => START);
    filling.current = false;
    void fill();
    const release = () => {
      for (const { id } of now.current.cases) {
        // `keepalive`: it is sent even when the tab closes.
        void fetch(`${ROOT}/v1/reviews/${id}/release`, { method: 'POST', keepalive: true }).catch(() => undefined);
      }
    };
    window.addEventListener('pagehide', release);
    return () => {
      window.removeEventListener('pagehide', release);
      release();
    };
  }, [fill, change]);

  // A key press shows that the person is at work, so the claims continue.
  useEffect(() => {
    const active = () => {
      if (Date.now() - renewedAt.current < RENEW_MS) return;
      renewedAt.current = Date.now();
      for (const { id } of now.current.cases)
        call('POST /v1/reviews/:id/claim', { id, body: {} }).catch(() => undefined);
    };
    window.addEventListener('keydown', active);
    window.addEventListener('pointerdown', active);
    return () => {
      window.removeEventListener('keydown', active);
      window.removeEventListener('pointerdown', active);
    };
  }, []);

  const at = Math.min(state.at, state.cases.length - 1);
  const current = state.cases[at];
  const currentId = current?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the clock starts when another case is shown
  useEffect(() => {
    shownAt.current = Date.now();
  }, [currentId]);

  const putBack = (verification: Verification) =>
    change(old => ({
      ...old,
      cases: [verification, ...old.cases.filter(({ id }) => id !== verification.id)],
      at: 0,
      done: old.done.filter(done => done.verification.id !== verification.id),
    }));

  /** Resolves to the error that it failed with, or null. */
  const decide = async (input: Omit<ReviewInput, 'seconds'>): Promise<unknown> => {
    if (!current) return null;
    const seconds = Math.round((Date.now() - shownAt.current) / 1_000);
    const { id } = current;
    change(old => ({
      ...old,
      cases: old.cases.filter(one => one.id !== id),
      at: Math.max(0, Math.min(at, old.cases.length - 2)),
      done: [...old.done, { verification: current, review: null }],
    }));
    try {
      const review = await call('POST /v1/verifications/:id/reviews', { id, body: { ...input, seconds } });
      change(old => ({
        ...old,
        done: old.done.map(done => (done.verification.id === id ? { ...done, review } : done)),
      }));
      void fill();
      return null;
    } catch (error) {
      endIfUnauthorized(error);
      const taken =
        error instanceof ApiError &&
        (error.code === 'claimed' || error.code === 'already_decided' || error.code === 'own_photo');
      if (taken) change(old => ({ ...old, done: old.done.filter(done => done.verification.id !== id) }));
      else putBack(current);
      void fill();
      return error;
    }
  };

  const last = state.done.at(-1);
  const mayUndo = last?.review && Date.now() - Date.parse(last.review.created_at) < UNDO_MS;

  /** Takes the last decision back and shows its case again. */
  const undo = async (): Promise<unknown> => {
    if (!last?.review || !mayUndo || undoing.current) return null;
    const { id } = last.verification;
    undoing.current = true;
    try {
      await call('DELETE /v1/verifications/:id/reviews/:review', { id, review: last.review.id });
      putBack(await call('POST /v1/reviews/:id/claim', { id, body: {} }));
      return null;
    } catch (error) {
      endIfUnauthorized(error);
      return error;
    } finally {
      undoing.current = false;
    }
  };

  const go = (by: number) =>
    change(old => ({
      ...old,
      at: Math.max(0, Math.min(old.cases.length - 1, Math.min(old.at, old.cases.length - 1) + by)),
    }));

  return { ...state, at, current, decide, undo, mayUndo: Boolean(mayUndo), go, fill };
}
