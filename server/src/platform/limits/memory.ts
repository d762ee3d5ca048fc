import { type Given, type LimitStore, SLOTS, type Want } from './store.ts';

interface Slot {
  /** The time of its last permit. */
  last: number;
  count: number;
}

/** The permits of one key. Slots are in order of time. */
export interface Window {
  slots: Slot[];
}

/**
 * Takes permits from a window and changes it. A slot leaves as a whole, one window's length after its last permit. No
 * permit is freed too early, and the slot's first permit is freed at most one slot's length too late.
 */
export function takeFrom(window: Window, { wanted, limit, windowMs }: Omit<Want, 'key'>, now: number): Given {
  const slotMs = Math.max(1, Math.floor(windowMs / SLOTS));
  // A clock that was set back must not free anything early.
  const at = Math.max(now, window.slots.at(-1)?.last ?? 0);
  window.slots = window.slots.filter(slot => slot.last > at - windowMs);
  const { slots } = window;
  const before = slots.reduce((sum, slot) => sum + slot.count, 0);
  const granted = Math.max(0, Math.min(wanted, limit - before));
  if (granted > 0) {
    const newest = slots.at(-1);
    if (newest && Math.floor(newest.last / slotMs) === Math.floor(at / slotMs)) {
      newest.last = at;
      newest.count += granted;
    } else slots.push({ last: at, count: granted });
  }
  const used = before + granted;
  const remaining = Math.max(0, limit - used);
  return {
    granted,
    remaining,
    waitMs: remaining > 0 ? null : waitOf(slots, used, limit, windowMs) - at,
    resetMs: slots[0] ? slots[0].last + windowMs - at : 0,
  };
}

/** Returns the time until enough slots have left to free a permit. */
function waitOf(slots: readonly Slot[], used: number, limit: number, windowMs: number): number {
  let left = used;
  let at = 0;
  for (const slot of slots) {
    left -= slot.count;
    at = slot.last + windowMs;
    if (left < limit) break;
  }
  return at;
}

const SWEEP_MS = 60_000;

/** Keeps windows in this process's memory. Exact only when this is the only process. */
export function createMemoryStore(now: () => number = Date.now): LimitStore {
  const windows = new Map<string, Window & { forgetAt: number }>();
  let sweepAt = 0;
  return {
    async take(wants) {
      const at = now();
      if (at >= sweepAt) {
        for (const [key, window] of windows) if (window.forgetAt <= at) windows.delete(key);
        sweepAt = at + SWEEP_MS;
      }
      return wants.map(want => {
        const window = windows.get(want.key) ?? { slots: [], forgetAt: 0 };
        windows.set(want.key, window);
        const given = takeFrom(window, want, at);
        window.forgetAt = at + want.windowMs;
        return given;
      });
    },
    async close() {
      windows.clear();
    },
  };
}
