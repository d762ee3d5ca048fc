import { timerMs } from '../waits.ts';
import { ApiError, errorFromResponse, NetworkError } from './errors.ts';
import type {
  CaptureSubmission,
  CaptureView,
  Challenge,
  FilmAnnouncement,
  ProgressReport,
  PublicView,
  UploadTarget,
} from './wire.ts';

export type CaptureClientOptions = {
  /** The verification id (`vfy_…`). It lets its holder capture, so treat it as a secret. */
  token: string;
  /** Origin of the service without a trailing slash; empty for the page's own origin. */
  baseUrl?: string;
  fetch?: typeof fetch;
  /** A request without an answer for this long counts as a lost connection. */
  timeoutMs?: number;
};

export type CaptureClient = ReturnType<typeof createCaptureClient>;

type Reach = { fetch: typeof fetch; timeoutMs: number };

/**
 * Sends a request and reads its answer, both within `timeoutMs`. An own timer, because React Native has no `AbortSignal.timeout`, and the
 * fetch of an app may ignore its signal.
 */
async function call<T>(
  reach: Reach,
  url: string,
  init: RequestInit,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  const { fetch, timeoutMs } = reach;
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No answer within ${timeoutMs} ms.`));
      ending.abort();
    }, timerMs(timeoutMs));
  });
  const exchange = async () => {
    // Called by its name: as a method of another object a browser's `fetch` throws.
    const answer = await fetch(url, { ...init, signal: ending.signal });
    if (!answer.ok) throw await errorFromResponse(answer);
    return read(answer);
  };
  try {
    return await Promise.race([exchange(), late]);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new NetworkError(cause);
  } finally {
    clearTimeout(timer);
  }
}

const read = <T>(reach: Reach, url: string, init: RequestInit = {}): Promise<T> =>
  call(reach, url, init, async answer => (await answer.json()) as T);

const ignored = async () => {};

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/**
 * The end user's side of one verification, with one method for each route. Every method rejects with `ApiError` (the
 * service refused; `code` says why) or `NetworkError` (no answer arrived; safe to try again).
 */
export function createCaptureClient(options: CaptureClientOptions) {
  const { token, baseUrl = '', timeoutMs = 30_000 } = options;
  const reach: Reach = { fetch: options.fetch ?? globalThis.fetch.bind(globalThis), timeoutMs };
  const path = (suffix: string) => `${baseUrl}/v1/verifications/${encodeURIComponent(token)}${suffix}`;

  return {
    token,

    /** The verification as the end user may see it. `not_found` for an unknown id. */
    view: () => read<CaptureView>(reach, `${baseUrl}/v1/verify/${encodeURIComponent(token)}`),

    /** The share-safe projection that the certificate shows. */
    publicView: () => read<PublicView>(reach, path('/public')),

    /**
     * Asks for the moves of a camera session. They hold for one photo of the step; the trace must begin before
     * `expires_at`. Asking again ends the challenge before.
     */
    createChallenge: (request: { step_key: string }) => read<Challenge>(reach, path('/challenges'), post(request)),

    /**
     * Announces the film that answers a challenge, as soon as photo and film are made. The service notes the time: a film that it hears of after
     * the challenge's `expires_at` counts as late.
     */
    announceFilm: async (film: FilmAnnouncement) => {
      await call(reach, path('/films'), post(film), ignored);
    },

    /** Creates a single-use upload URL for the bytes of one capture. The URL accepts only `contentType`. */
    uploadUrl: (request: { contentType: string; step_key?: string; size_bytes?: number }) =>
      read<UploadTarget>(reach, path('/captures/upload-url'), post(request)),

    /**
     * Submits a capture after its bytes were PUT. Requests with the same `idempotencyKey` or the same `image_key` are
     * the same capture, however often you send them.
     */
    submit: (capture: CaptureSubmission, idempotencyKey: string) =>
      read<CaptureView>(reach, path('/captures'), post(capture, { 'idempotency-key': idempotencyKey })),

    /** Sends text answers by step key. Faults name `answers.<key>`. */
    answers: (answers: Record<string, string>) => read<CaptureView>(reach, path('/answers'), post({ answers })),

    /** Reports where the person is. Best effort: the caller goes on, whatever the result. */
    progress: async (report: ProgressReport) => {
      await call(reach, path('/progress'), post(report), ignored);
    },

    /** Sends the report while the page is closing. Returns false when the browser does not queue it. */
    progressOnLeave: (report: ProgressReport): boolean =>
      navigator.sendBeacon(path('/progress'), new Blob([JSON.stringify(report)], { type: 'application/json' })),
  };
}
