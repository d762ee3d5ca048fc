import type { CaptureClient } from './client.ts';
import { ApiError, isTransient, NetworkError } from './errors.ts';
import { pauseUntilWorthIt } from './pause.ts';
import { type Put, putWithProgress } from './put.ts';
import type { Bytes, CaptureStore, HeldCapture } from './store.ts';
import type { UploadTarget } from './wire.ts';

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

export type SendOptions<B extends Bytes = ArrayBuffer> = {
  client: CaptureClient;
  store: CaptureStore<B>;
  onProgress?: (progress: SendProgress) => void;
  /** Stops sending. Held captures stay held. */
  signal?: AbortSignal;
  /** Gets one token for each capture, or none. A failure does not stop the capture. */
  attestation?: (capture: HeldCapture<B>) => Promise<string | undefined>;
  put?: Put<B>;
  /** Resolves when the next try makes sense: after the delay, or earlier when the network returns. */
  pause?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
};

const bytesOf = ({ bytes, session }: HeldCapture<Bytes>): number => bytes.byteLength + (session?.trace.byteLength ?? 0);

/** Bytes of a capture that the service has not got yet. */
export const missingOf = ({ bytes, imageKey, session }: HeldCapture<Bytes>): number =>
  (imageKey ? 0 : bytes.byteLength) + (!session || session.traceKey ? 0 : session.trace.byteLength);

/** A person may wait ten minutes for a bucket that comes back. A longer `Retry-After` is the caller's to wait for. */
const LONGEST_RETRY_AFTER_MS = 600_000;

/** One run of sending. */
export type Sending<B extends Bytes = ArrayBuffer> = {
  client: CaptureClient;
  store: CaptureStore<B>;
  /** Captures that the service does not have yet. */
  held: HeldCapture<B>[];
  /** Captures dropped because their steps were full. */
  unneeded: number;
  attestation: (capture: HeldCapture<B>) => Promise<string | undefined>;
  /** PUTs bytes and reports how many went out. */
  put: (target: UploadTarget, bytes: B) => Promise<void>;
  report: (state: SendProgress['state'], current?: number) => void;
  /** Repeats `action` until it succeeds or fails for good. */
  persist: <T>(state: SendProgress['state'], action: () => Promise<T>) => Promise<T>;
};

export function startSending<B extends Bytes>(options: SendOptions<B>, held: HeldCapture<B>[]): Sending<B> {
  const { client, store, onProgress, signal, pause = pauseUntilWorthIt } = options;
  // `sendHeld` asks for a `put` where the bytes are not ArrayBuffers.
  const put = options.put ?? (putWithProgress as unknown as Put<B>);
  const totalBytes = held.reduce((sum, capture) => sum + bytesOf(capture), 0);
  const total = held.length;

  const report = (state: SendProgress['state'], current = 0) => {
    const sent = sending.held.filter(capture => missingOf(capture) === 0);
    const missing = sending.held.reduce((sum, capture) => sum + missingOf(capture), 0);
    onProgress?.({
      state,
      sentBytes: Math.min(totalBytes, totalBytes - missing + current),
      totalBytes,
      sent: total - sending.held.length + sent.length,
      total,
    });
  };

  async function persist<T>(state: SendProgress['state'], action: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      if (signal?.aborted) throw new NetworkError(signal.reason);
      try {
        return await action();
      } catch (error) {
        if (signal?.aborted || !isTransient(error)) throw error;
        const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
        if (asked !== undefined && asked > LONGEST_RETRY_AFTER_MS) throw error;
        report(error instanceof ApiError ? 'busy' : 'waiting');
        await pause(asked ?? Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2), signal);
        report(state);
      }
    }
  }

  const sending: Sending<B> = {
    client,
    store,
    held,
    unneeded: 0,
    attestation: options.attestation ?? (async () => undefined),
    put: (target, bytes) =>
      put(target, bytes, { onProgress: loaded => report('sending', loaded), ...(signal ? { signal } : {}) }),
    report,
    persist,
  };
  return sending;
}
