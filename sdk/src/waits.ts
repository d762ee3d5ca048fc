// How long to wait, as both clients read it.

/** 24.8 days. A timer for longer ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
export const timerMs = (ms: number): number => Math.min(ms, LONGEST_TIMER_MS);

/** `Retry-After` as seconds or as a date, in milliseconds. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
