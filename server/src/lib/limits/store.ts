/** What is asked of a window: up to `wanted` permits of a key that has `limit` within any `windowMs`. */
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
 * Sliding windows by key. However it is called, by however many nodes, no stretch of `windowMs` sees more than `limit`
 * permits of a key; and a permit that was given out is free again at most one slot (1/120 of the window) after the window
 * has passed over it.
 */
export interface LimitStore {
  /** Answers in the order of `wants`. A key stands in them once. */
  take(wants: readonly Want[]): Promise<Given[]>;
  close(): Promise<void>;
}

/** A window's time is cut into this many slots: what is remembered of a key, however high its limit. */
export const SLOTS = 120;
