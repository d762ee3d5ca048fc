import { ApiError, NetworkError, type Put } from '@firsthand/sdk/capture';
import type { Files } from './phone.ts';
import type { FileBytes } from './records.ts';

/** A timer this late has slept with its app. */
const LATE_MS = 2_000;

/**
 * PUTs a file. Ends when `signal` fires or no byte moves for a while, also where the system's upload never settles. The time that the app is
 * suspended does not count: on iOS the upload goes on meanwhile.
 */
export const putFrom =
  (files: Files): Put<FileBytes> =>
  (target, { path }, { onProgress, signal, stallMs = 30_000 } = {}) =>
    new Promise((resolve, reject) => {
      const ending = new AbortController();
      let stalled: ReturnType<typeof setTimeout> | undefined;
      const settle = (then: () => void) => {
        clearTimeout(stalled);
        signal?.removeEventListener('abort', stop);
        then();
      };
      const stop = () => {
        settle(() => reject(new NetworkError()));
        ending.abort();
      };
      const alive = () => {
        clearTimeout(stalled);
        const due = Date.now() + stallMs;
        stalled = setTimeout(() => (Date.now() > due + LATE_MS ? alive() : stop()), stallMs);
      };
      if (signal?.aborted) return reject(new NetworkError());
      signal?.addEventListener('abort', stop);
      alive();
      const { upload_url: url, method, headers } = target;
      const sent = (bytes: number) => {
        if (ending.signal.aborted) return;
        alive();
        onProgress?.(bytes);
      };
      files.upload(path, { url, method, headers, onProgress: sent, signal: ending.signal }).then(
        // Any answer resolves, a refusal too.
        status =>
          settle(() =>
            status >= 200 && status < 300
              ? resolve()
              : reject(new ApiError(status, `http_${status}`, `HTTP ${status}`)),
          ),
        error => settle(() => reject(new NetworkError(error))),
      );
    });
