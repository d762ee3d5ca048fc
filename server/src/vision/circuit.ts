export interface CircuitOptions {
  /** Failures in a row that open it. */
  failures: number;
  /** How long it stays open before one call may try. */
  restMs: number;
  now: () => number;
}

/** A circuit breaker: after some failures in a row nobody asks for a while, then one call tries for all. */
export interface Circuit {
  /** True when a call may go ahead; it must then report how it went. */
  enter(): boolean;
  succeeded(): void;
  failed(): void;
  /** The call ended without telling anything about the server, by its caller's own will. */
  abandoned(): void;
  readonly isOpen: boolean;
}

export function createCircuit({ failures, restMs, now }: CircuitOptions): Circuit {
  let inARow = 0;
  let openUntil: number | null = null;
  let trying = false;
  return {
    enter() {
      if (openUntil === null) return true;
      if (trying || now() < openUntil) return false;
      trying = true;
      return true;
    },
    succeeded() {
      inARow = 0;
      openUntil = null;
      trying = false;
    },
    failed() {
      inARow += 1;
      if (trying || inARow >= failures) openUntil = now() + restMs;
      trying = false;
    },
    abandoned() {
      trying = false;
    },
    get isOpen() {
      return openUntil !== null;
    },
  };
}
