export interface CircuitOptions {
  /** Consecutive failures that open the circuit. */
  failures: number;
  /** How long the circuit stays open before one call may try. */
  restMs: number;
  now: () => number;
}

/** A circuit breaker. After several consecutive failures no call goes through for a while; then one trial call decides. */
export interface Circuit {
  /** Returns true when a call may proceed. That call must then report its result. */
  enter(): boolean;
  succeeded(): void;
  failed(): void;
  /** The caller cancelled the call, so it says nothing about the server. */
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
