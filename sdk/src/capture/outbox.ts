import { submit, upload } from './deliver.ts';
import { ApiError } from './errors.ts';
import { submissionOrder } from './order.ts';
import type { Put } from './put.ts';
import { missingOf, type Sending, type SendOptions, startSending } from './sending.ts';
import type { Bytes, HeldCapture } from './store.ts';
import type { CaptureView, Fault } from './wire.ts';

/**
 * The end of sending. `refused`: the service does not take this capture because it cannot read the picture. The
 * device's store dropped it and still holds the rest. `answers_refused`: the same for text answers. `closed`: the
 * verification takes nothing more; `view` says why. `unneeded`: captures of this device that were dropped, because
 * another device or tab had filled their steps.
 */
export type SendResult =
  | { outcome: 'done'; view: CaptureView; unneeded: number }
  | { outcome: 'closed'; view: CaptureView }
  | {
      outcome: 'refused';
      stepKey: string;
      message: string;
      code: string;
      fields: ApiError['fields'];
      unneeded: number;
    }
  | { outcome: 'answers_refused'; faults: Record<string, Fault> };

/** The service's codes for a capture that it never takes. */
const REFUSALS = new Set(['invalid_request', 'unknown_step', 'idempotency_conflict', 'step_full']);

/**
 * Sends everything held for a verification. Only one tab sends at a time. After an interruption, call it again with the same store to
 * resume. First PUTs all bytes, then submits all captures in a row, then the answers, so the verification cannot settle while an optional
 * capture is still uploading.
 *
 * @throws ApiError when the service refuses the whole verification (`not_found`, `expired`) or asks for a wait of more than ten minutes;
 * NetworkError when `signal` fired.
 */
export function sendHeld(options: SendOptions): Promise<SendResult>;
export function sendHeld<B extends Bytes>(options: SendOptions<B> & { put: Put<B> }): Promise<SendResult>;
export function sendHeld<B extends Bytes>(options: SendOptions<B>): Promise<SendResult> {
  const { client, signal } = options;
  let started = false;
  const run = () => {
    started = true;
    return send(options);
  };
  if (!globalThis.navigator?.locks) return run();
  return navigator.locks
    .request(`firsthand-send-${client.token}`, signal ? { signal } : {}, run)
    .catch((error: unknown) => {
      // In a frame whose storage is blocked there are no locks, and no other tab to share photos with.
      if (!started && (error as DOMException).name === 'SecurityError') return run();
      throw error;
    });
}

async function send<B extends Bytes>(options: SendOptions<B>): Promise<SendResult> {
  const { client, store } = options;
  const sending = startSending(options, await store.captures(client.token));
  const { report, persist } = sending;
  let view = await persist('sending', () => client.view());
  if (isClosed(view)) return { outcome: 'closed', view };

  report('sending');
  sending.held = submissionOrder(view, sending.held);
  for (const capture of [...sending.held]) {
    if (missingOf(capture) === 0) continue;
    const end = await guarded(sending, capture, () => upload(sending, capture));
    if (end) return end;
  }
  report('finishing');
  for (const capture of [...sending.held]) {
    const end = await guarded(sending, capture, async () => {
      view = await submit(sending, capture);
      await drop(sending, capture);
    });
    if (end) return end;
    report('finishing');
  }
  return sendAnswers(sending, view);
}

const isClosed = ({ status }: CaptureView): boolean => status === 'expired' || status === 'failed';

/** Runs one step of sending a capture. Returns the end of sending if the step ended it. */
async function guarded<B extends Bytes>(
  sending: Sending<B>,
  capture: HeldCapture<B>,
  step: () => Promise<void>,
): Promise<SendResult | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'verification_closed') return settle(sending);
    // Any other error (a proxy's page, a store's bare status) says nothing about this capture, so it stays held.
    if (!REFUSALS.has(error.code)) throw error;
    await drop(sending, capture);
    if (error.code === 'step_full') {
      sending.unneeded += 1;
      return undefined;
    }
    const { code, fields } = error;
    const message = fields[0]?.message ?? error.message;
    return { outcome: 'refused', stepKey: capture.stepKey, message, code, fields, unneeded: sending.unneeded };
  }
}

async function drop<B extends Bytes>(sending: Sending<B>, capture: HeldCapture<B>): Promise<void> {
  await sending.store.removeCapture(capture.id);
  sending.held = sending.held.filter(other => other !== capture);
}

/** Sends the text answers, when all captures are in. `view`: as the service showed it last. */
async function sendAnswers<B extends Bytes>(sending: Sending<B>, view: CaptureView): Promise<SendResult> {
  const { client, store, persist, unneeded } = sending;
  const answers = await store.answers(client.token);
  let last = view;
  if (Object.keys(answers).length > 0) {
    try {
      last = await persist('finishing', () => client.answers(answers));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'verification_closed') return settle(sending);
      if (error.code !== 'invalid_request') throw error;
      const faults = error.fields.map(fault => [fault.path.replace(/^answers\./, ''), fault] as const);
      return { outcome: 'answers_refused', faults: Object.fromEntries(faults) };
    }
  }
  await store.clear(client.token);
  return { outcome: 'done', view: last, unneeded };
}

/** Ends sending to a verification that takes nothing more. */
async function settle<B extends Bytes>({ client, store, persist, held, unneeded }: Sending<B>): Promise<SendResult> {
  const view = await persist('finishing', () => client.view());
  await store.clear(client.token);
  return isClosed(view) ? { outcome: 'closed', view } : { outcome: 'done', view, unneeded: unneeded + held.length };
}
