import { timerMs } from '../waits.ts';

/** Waits for the delay. Ends early when the network returns, when the page becomes visible, or when `signal` fires. */
export function pauseUntilWorthIt(delayMs: number, signal?: AbortSignal): Promise<void> {
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
    const timer = setTimeout(done, timerMs(delayMs));
    globalThis.addEventListener('online', done);
    document.addEventListener('visibilitychange', seen);
    signal?.addEventListener('abort', done);
  });
}
