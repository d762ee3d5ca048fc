/**
 * Admits a fixed number of callers at a time. A free place goes to the account that holds the fewest; among those to the one that was
 * admitted least lately, and in an account to who waits longest.
 */
export interface Semaphore {
  /** Resolves to a function that admits the next caller. Rejects with the signal's reason if it aborts first. */
  enter(signal: AbortSignal, account: string): Promise<() => void>;
}

interface Line {
  held: number;
  /** Number of the last admission; 0 for none. */
  admitted: number;
  waiting: (() => void)[];
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  let admissions = 0;
  /** Accounts that hold a place or wait for one. */
  const lines = new Map<string, Line>();
  const lineOf = (account: string): Line => {
    const line = lines.get(account) ?? { held: 0, admitted: 0, waiting: [] };
    lines.set(account, line);
    return line;
  };
  const forget = (account: string): void => {
    const { held, waiting } = lineOf(account);
    if (held === 0 && waiting.length === 0) lines.delete(account);
  };
  const take = (account: string): (() => void) => {
    const line = lineOf(account);
    free -= 1;
    line.held += 1;
    admissions += 1;
    line.admitted = admissions;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      line.held -= 1;
      const [next] = [...lines.values()]
        .filter(({ waiting }) => waiting.length > 0)
        .toSorted((a, b) => a.held - b.held || a.admitted - b.admitted);
      next?.waiting[0]?.();
      forget(account);
    };
  };
  return {
    enter(signal, account) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) return Promise.resolve(take(account));
      const line = lineOf(account);
      return new Promise((resolve, reject) => {
        const stopWaiting = (): void => {
          line.waiting.splice(line.waiting.indexOf(admit), 1);
          signal.removeEventListener('abort', giveUp);
        };
        const admit = (): void => {
          stopWaiting();
          resolve(take(account));
        };
        const giveUp = (): void => {
          stopWaiting();
          forget(account);
          reject(signal.reason);
        };
        line.waiting.push(admit);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
