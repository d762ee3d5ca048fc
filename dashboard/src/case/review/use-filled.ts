import type { ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { call } from '../../base/api/call.ts';
import { endIfUnauthorized } from '../../entry/session/query-client.ts';
import { loadPicture } from '../photo/pictures.ts';
import { added, type Cases, heldIds, NO_CASES } from './cases.ts';
import { release } from './use-claims.ts';

/** The case at hand and the next two. */
const AHEAD = 3;

/** Pictures of a case are decoded before it is shown. */
function preload({ captures }: Verification): void {
  for (const { preview_url, image_url } of captures) {
    const url = preview_url ?? image_url;
    if (url) loadPicture(url).catch(() => undefined);
  }
}

/** Claims cases of the queue until enough are held. Gives them back when the page or the queue is left. Returns the function that fills up again. */
export function useFilled(
  queue: ReviewQueue,
  now: RefObject<Cases>,
  change: (next: (old: Cases) => Cases) => void,
): () => Promise<void> {
  const filling = useRef(false);
  const fill = useCallback(async () => {
    if (filling.current) return;
    filling.current = true;
    try {
      while (now.current.cases.length < AHEAD) {
        const next = await call('POST /v1/reviews/next', { body: { queue, holding: heldIds(now.current) } });
        if (next === undefined) {
          change(old => ({ ...old, empty: true, error: null }));
          return;
        }
        preload(next);
        change(old => added(old, next));
      }
    } catch (error) {
      endIfUnauthorized(error);
      change(old => ({ ...old, error }));
    } finally {
      filling.current = false;
    }
  }, [queue, now, change]);

  useEffect(() => {
    change(() => NO_CASES);
    filling.current = false;
    void fill();
    const leave = () => release(now.current);
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [fill, now, change]);
  return fill;
}
