import type { CaptureClient } from './client.ts';
import { ApiError, isTransient, NetworkError } from './errors.ts';
import { submissionOrder } from './order.ts';
import { type Put, putWithProgress } from './put.ts';
import type { CaptureStore, HeldCapture } from './store.ts';
import { uploadTrace } from './trace.ts';
import type { CaptureView, Fault } from './wire.ts';

export type SendProgress = {
  /**
   * `waiting`: the connection is lost. `busy`: the service asked to wait, or cannot answer now. Either way, held captures stay, and sending resumes by itself.
   */
  state: 'sending' | 'waiting' | 'busy' | 'finishing';
  sentBytes: number;
  totalBytes: number;
  /** Captures whose bytes the service has. */
  sent: number;
  total: number;
};

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

export type SendOptions = {
  client: CaptureClient;
  store: CaptureStore;
  onProgress?: (progress: SendProgress) => void;
  /** Stops sending. Held captures stay held. */
  signal?: AbortSignal;
  /** Gets one token for each capture, or none. A failure does not stop the capture. */
  attestation?: () => Promise<string | undefined>;
  put?: Put;
  /** Resolves when the next try makes sense: after the delay, or earlier when the network returns. */
  pause?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
};

/** A capture counts as refused after the service fails to find its uploaded bytes this many times. */
const MAX_REUPLOADS = 3;

const bytesOf = ({ bytes, session }: HeldCapture): number => bytes.byteLength + (session?.trace.byteLength ?? 0);

/** Bytes of a capture that the service has not got yet. */
const missingOf = ({ bytes, imageKey, session }: HeldCapture): number =>
  (imageKey ? 0 : bytes.byteLength) + (!session || session.traceKey ? 0 : session.trace.byteLength);

/** The service's codes for a capture that it never takes. */
const REFUSALS = new Set(['invalid_request', 'unknown_step', 'idempotency_conflict', 'step_full']);

/**
 * Sends everything held for a verification. Only one tab sends at a time. After an interruption, call it again with the same store to
 * resume. First PUTs all bytes, then submits all captures in a row, then the answers, so the verification cannot settle while an optional
 * capture is still uploading.
 *
 * @throws ApiError when the service refuses the whole verification (`not_found`, `expired`), or when `signal` fired
 * NetworkError.
 */
export function sendHeld(options: SendOptions): Promise<SendResult> {
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

async function send({
  client,
  store,
  onProgress = () => {},
  signal,
  attestation = async () => undefined,
  put = putWithProgress,
  pause = pauseUntilWorthIt,
}: SendOptions): Promise<SendResult> {
  const { token } = client;
  let held = await store.captures(token);
  let unneeded = 0;
  const totalBytes = held.reduce((sum, capture) => sum + bytesOf(capture), 0);
  const total = held.length;
  const report = (state: SendProgress['state'], current = 0) => {
    const sent = held.filter(capture => missingOf(capture) === 0);
    const missing = held.reduce((sum, capture) => sum + missingOf(capture), 0);
    onProgress({
      state,
      sentBytes: Math.min(totalBytes, totalBytes - missing + current),
      totalBytes,
      sent: total - held.length + sent.length,
      total,
    });
  };

  /** Repeats `act` until it succeeds or fails for good. */
  async function persist<T>(state: SendProgress['state'], act: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      if (signal?.aborted) throw new NetworkError(signal.reason);
      try {
        return await act();
      } catch (error) {
        if (signal?.aborted || !isTransient(error)) throw error;
        report(error instanceof ApiError ? 'busy' : 'waiting');
        const backoff = Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
        await pause(error instanceof ApiError ? (error.retryAfterMs ?? backoff) : backoff, signal);
        report(state);
      }
    }
  }

  const progressOf = { onProgress: (loaded: number) => report('sending', loaded), ...(signal ? { signal } : {}) };

  /** Repeats an upload whose URL expired before the bytes went out (the phone slept): its PUT fails with a bare status. */
  async function stored(send: () => Promise<string>): Promise<string> {
    for (let refusals = 0; ; refusals++) {
      try {
        // Creates a new upload URL with each PUT: a URL is good for one PUT within five minutes, and after a lost
        // answer nobody can tell whether that PUT happened.
        return await persist('sending', send);
      } catch (error) {
        const stale = error instanceof ApiError && (error.code.startsWith('http_') || error.code === 'forbidden');
        if (!stale || refusals === MAX_REUPLOADS) throw error;
      }
    }
  }

  /** Uploads what the service lacks: the picture, then the trace. */
  async function upload(capture: HeldCapture): Promise<void> {
    const { stepKey, contentType, bytes, session } = capture;
    if (!capture.imageKey) {
      capture.imageKey = await stored(async () => {
        const target = await client.uploadUrl({ contentType, step_key: stepKey, size_bytes: bytes.byteLength });
        await put(target, bytes, progressOf);
        return target.image_key;
      });
      await store.putCapture(capture);
      report('sending');
    }
    if (!session || session.traceKey) return;
    try {
      const { trace } = session;
      session.traceKey = await stored(() =>
        uploadTrace(client, { step_key: stepKey, trace }, (target, file) => put(target, file, progressOf)),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The service takes no trace: the photo goes without.
      delete capture.session;
    }
    await store.putCapture(capture);
    report('sending');
  }

  async function submit(capture: HeldCapture): Promise<CaptureView> {
    for (let uploads = 0; ; uploads++) {
      const { imageKey, session } = capture;
      if (!imageKey || missingOf(capture) > 0) {
        await upload(capture);
        continue;
      }
      const attestationToken = await attestation().catch(() => undefined);
      try {
        return await persist('finishing', () =>
          client.submit(
            {
              image_key: imageKey,
              image_sha256: capture.sha256,
              step_key: capture.stepKey,
              surface: capture.surface,
              client_captured_at: capture.capturedAt,
              ...(capture.location ? { location: capture.location } : {}),
              ...(capture.motionFrame ? { motion_frame_base64: toBase64(capture.motionFrame) } : {}),
              ...(attestationToken ? { attestation_token: attestationToken } : {}),
              ...(session?.traceKey
                ? {
                    challenge_id: session.challengeId,
                    trace_key: session.traceKey,
                    trace_sha256: session.traceSha256,
                  }
                : {}),
            },
            capture.id,
          ),
        );
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
        const lost = error.names('image_key') || error.names('image_sha256');
        const traceLost = error.names('trace_key') || error.names('trace_sha256');
        if (uploads < MAX_REUPLOADS && lost) delete capture.imageKey;
        else if (uploads < MAX_REUPLOADS && traceLost && !error.names('challenge_id')) delete session?.traceKey;
        // A service that does not know traces, or not this challenge, takes the photo alone.
        else if (session && (traceLost || error.names('challenge_id'))) delete capture.session;
        else throw error;
      }
    }
  }

  let view = await persist('sending', () => client.view());
  if (view.status === 'expired' || view.status === 'failed') return { outcome: 'closed', view };

  /** Runs one step of sending a capture. Returns the end of sending if the step ended it. */
  async function guarded(capture: HeldCapture, act: () => Promise<void>): Promise<SendResult | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'verification_closed') return settle(await persist('finishing', () => client.view()));
      // Any other error (a proxy's page, a store's bare status) says nothing about this capture, so it stays held.
      if (!REFUSALS.has(error.code)) throw error;
      await drop(capture);
      if (error.code === 'step_full') {
        unneeded += 1;
        return undefined;
      }
      const { code, fields } = error;
      return {
        outcome: 'refused',
        stepKey: capture.stepKey,
        message: fields[0]?.message ?? error.message,
        code,
        fields,
        unneeded,
      };
    }
  }

  async function drop(capture: HeldCapture): Promise<void> {
    await store.removeCapture(capture.id);
    held = held.filter(other => other !== capture);
  }

  report('sending');
  held = submissionOrder(view, held);
  for (const capture of [...held]) {
    const ended = missingOf(capture) === 0 ? undefined : await guarded(capture, () => upload(capture));
    if (ended) return ended;
  }
  report('finishing');
  for (const capture of [...held]) {
    const ended = await guarded(capture, async () => {
      view = await submit(capture);
      await drop(capture);
    });
    if (ended) return ended;
    report('finishing');
  }

  const answers = await store.answers(token);
  if (Object.keys(answers).length > 0) {
    try {
      view = await persist('finishing', () => client.answers(answers));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'verification_closed') return settle(await persist('finishing', () => client.view()));
      if (error.code !== 'invalid_request') throw error;
      const faults = error.fields.map(fault => [fault.path.replace(/^answers\./, ''), fault] as const);
      return { outcome: 'answers_refused', faults: Object.fromEntries(faults) };
    }
  }
  await store.clear(token);
  return { outcome: 'done', view, unneeded };

  async function settle(after: CaptureView): Promise<SendResult> {
    await store.clear(token);
    return after.status === 'expired' || after.status === 'failed'
      ? { outcome: 'closed', view: after }
      : { outcome: 'done', view: after, unneeded: unneeded + held.length };
  }
}

function toBase64(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let text = '';
  // In slices: spreading a whole picture into one call overflows the stack.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Waits for the delay. Ends early when the network returns, when the page becomes visible, or when `signal` fires. */
function pauseUntilWorthIt(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', seen);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const seen = () => {
      if (document.visibilityState === 'visible') done();
    };
    const timer = setTimeout(done, delayMs);
    globalThis.addEventListener('online', done);
    document.addEventListener('visibilitychange', seen);
    signal?.addEventListener('abort', done);
  });
}
