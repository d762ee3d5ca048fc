import { timerMs } from '../waits.ts';
import type { CaptureClient } from './client.ts';
import { ApiError, NetworkError } from './errors.ts';
import type { Bytes } from './store.ts';
import type { UploadTarget } from './wire.ts';

export type PutOptions = {
  /** Called with the bytes handed to the network so far. */
  onProgress?: (sentBytes: number) => void;
  signal?: AbortSignal;
  /** Gives up the connection when no byte moves for this long. */
  stallMs?: number;
};

export type Put<B extends Bytes = ArrayBuffer> = (
  target: UploadTarget,
  bytes: B,
  options?: PutOptions,
) => Promise<void>;

/** Asks for an upload URL and PUTs the bytes to it. Returns their `image_key`. */
export async function uploadBytes<B extends Bytes>(
  client: CaptureClient,
  put: (target: UploadTarget, bytes: B) => Promise<void>,
  { bytes, ...request }: { bytes: B; contentType: string; step_key: string },
): Promise<string> {
  const target = await client.uploadUrl({ ...request, size_bytes: bytes.byteLength });
  await put(target, bytes);
  return target.image_key;
}

/**
 * PUTs bytes to an upload URL. Uses XMLHttpRequest, because fetch does not report upload progress.
 *
 * @throws NetworkError when the connection was lost, stalled or `signal` fired; ApiError `http_<status>` otherwise.
 */
export const putWithProgress: Put = (target, bytes, { onProgress, signal, stallMs = 30_000 } = {}) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout>;
    const alive = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), timerMs(stallMs));
    };
    const abort = () => request.abort();
    const settle = (then: () => void) => {
      clearTimeout(stalled);
      signal?.removeEventListener('abort', abort);
      then();
    };
    request.open(target.method, target.upload_url);
    for (const [name, value] of Object.entries(target.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = event => {
      alive();
      onProgress?.(event.loaded);
    };
    request.onload = () =>
      settle(() => {
        if (request.status >= 200 && request.status < 300) resolve();
        else reject(new ApiError(request.status, `http_${request.status}`, `HTTP ${request.status}`));
      });
    request.onerror = () => settle(() => reject(new NetworkError()));
    request.onabort = () => settle(() => reject(new NetworkError(signal?.reason)));
    if (signal?.aborted) return reject(new NetworkError(signal.reason));
    signal?.addEventListener('abort', abort);
    alive();
    request.send(bytes);
  });
