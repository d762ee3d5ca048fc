import { endIn } from '@firsthand/react/checks.ts';
import { useController } from '@firsthand/react/use-controller.ts';
import { ApiError, type CaptureView } from '@firsthand/sdk/capture';
import { useEffect, useMemo, useRef } from 'react';
import type { Link } from './capture.ts';
import { type CaptureController, type CaptureStatus, captureController } from './keeper.ts';
import type { Phone } from './phone.ts';

/**
 * How a capture ended. `done`: the service has everything required. `closed`: the link takes nothing more. `cancelled`: the person left;
 * `held` photos are still on the phone.
 */
export type CaptureEnd =
  | { outcome: 'done'; view: CaptureView }
  | { outcome: 'closed'; reason: 'expired' | 'withdrawn' | 'completed' | 'failed' | 'unknown' | 'redacted' }
  | { outcome: 'cancelled'; held: number };

export interface UseCaptureOptions extends Link {
  /** One for the whole app: `expoPhone()`. */
  phone: Phone;
  /** Called once for each link. */
  onEnd?: (end: CaptureEnd) => void;
}

type Actions = Pick<CaptureController, 'addPhoto' | 'removePhoto' | 'setAnswer' | 'send' | 'challenge' | 'report'>;
export interface CaptureHook extends CaptureStatus, Actions {
  /** Ends with `cancelled`. Photos and answers stay on the phone. */
  cancel: () => void;
}

/** The capture of one link as React state, for a screen of yours. It draws nothing. Give it a `phone` that stays the same. */
export function useCapture({ phone, token, baseUrl, onEnd }: UseCaptureOptions): CaptureHook {
  const heard = useRef(onEnd);
  heard.current = onEnd;
  const { controller, end } = useMemo(() => {
    let ended = false;
    const tell = (how: CaptureEnd) => {
      if (ended) return;
      ended = true;
      heard.current?.(how);
    };
    const made = captureController(phone, { token, baseUrl }, view => tell({ outcome: 'done', view }));
    return { controller: made, end: tell };
  }, [phone, token, baseUrl]);
  const state = useController(controller);
  const closed = isClosed(state);
  useEffect(() => {
    if (closed) end({ outcome: 'closed', reason: endIn(controller.state()) });
  }, [closed, controller, end]);
  useAgain(phone, controller, state);
  return useMemo(() => {
    const { addPhoto, removePhoto, setAnswer, send, challenge, report } = controller;
    const cancel = () => end({ outcome: 'cancelled', held: controller.state().photos.length });
    return { ...state, addPhoto, removePhoto, setAnswer, send, challenge, report, cancel };
  }, [controller, state, end]);
}

/** A link that is unknown cannot be opened by another try. */
export const isClosed = ({ phase, view, error }: CaptureStatus): boolean =>
  phase === 'closed' || (phase === 'failed' && view === null && error instanceof ApiError && error.status === 404);

/** Reads the verification again when the link expires, and after a lost connection or a locked phone when the app comes back. */
function useAgain(phone: Phone, controller: CaptureController, { phase, view, error }: CaptureStatus): void {
  const waits = phase === 'failed' && !(error instanceof ApiError);
  useEffect(() => {
    if (waits) return phone.onReturn(() => void controller.send());
    return undefined;
  }, [waits, phone, controller]);
  const expiresAt = phase === 'ready' ? view?.expires_at : undefined;
  useEffect(() => {
    const left = expiresAt === undefined ? 0 : Date.parse(expiresAt) - Date.now();
    // A phone whose clock is ahead asks once. Sending finds out by itself.
    if (left <= 0) return undefined;
    const timer = setTimeout(() => void controller.start(), left + 1_000);
    return () => clearTimeout(timer);
  }, [expiresAt, controller]);
}
