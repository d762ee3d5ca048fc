import { ROOT } from '@firsthand/look/root.ts';
import { type RefObject, useEffect, useRef } from 'react';
import { call } from '../../base/api/call.ts';
import type { Cases } from './cases.ts';

/** A claim lasts ten minutes; whoever works here renews it well before. */
const RENEW_MS = 4 * 60_000;

/** Gives every held case back, also while the tab closes: `keepalive` sends it even then. */
export function release({ cases }: Cases): void {
  for (const { id } of cases)
    void fetch(`${ROOT}/v1/reviews/${id}/release`, { method: 'POST', keepalive: true }).catch(() => undefined);
}

/** Renews the claims of the held cases. A key press shows that the person is at work. */
export function useRenewal(now: RefObject<Cases>): void {
  const renewedAt = useRef(Date.now());
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
  }, [now]);
}
