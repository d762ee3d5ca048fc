export type Bell = ReturnType<typeof createBell>;

/** Wakes whoever waits, and remembers a ring that nobody waited for. */
export function createBell() {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    quiet: () => {
      rung = false;
    },
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        if (rung) return resolve();
        const timer = setTimeout(() => wake?.(), ms);
        wake = () => {
          clearTimeout(timer);
          wake = null;
          resolve();
        };
      }),
  };
}
