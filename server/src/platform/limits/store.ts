/** A request to a window: up to `wanted` permits of a key that has `limit` within any `windowMs`. */
export interface Want {
  key: string;
  wanted: number;
  limit: number;
  windowMs: number;
}

export interface Given {
  granted: number;
  /** Permits left after these. */
  remaining: number;
  /** Milliseconds until the next permit is free; null when one is. */
  waitMs: number | null;
  /** Milliseconds until the oldest permit counted leaves the window. */
  resetMs: number;
}

/**
 * Sliding windows by key. No period of `windowMs` sees more than `limit` permits of a key, however many nodes call it.
 * A permit is free again at most one slot (1/120 of the window) after the window has passed it.
 */
export interface LimitStore {
  /** Answers in the order of `wants`. Each key appears once. */
  take(wants: readonly Want[]): Promise<Given[]>;
  close(): Promise<void>;
}

/** The number of slots in a window. It bounds the memory for a key, however high its limit. */
export const SLOTS = 120;
