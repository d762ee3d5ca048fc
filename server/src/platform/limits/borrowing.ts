import type { Given, Want } from './store.ts';

type Permit = Omit<Want, 'wanted'>;

/** At most this many permits of a key are borrowed, and at most 2.5% of its limit. */
const MOST = 4;
const SHARE = 40;
const KEPT = 10_000;

interface Account {
  limit: number;
  windowMs: number;
  /** What the store had left, and when it said so; the whole limit before it was asked. */
  remaining: number;
  resetMs: number;
  since: number;
  /** Permits that the store has not counted yet. */
  owed: number;
  lastAt: number;
}

/**
 * Grants a few permits of a key without asking the store, as long as no more than half the limit is known to be used. They are
 * counted when the node next asks, so a client that calls now and then costs the store nothing. One node alone stays exact. Of
 * several, each may let {@link MOST} more through in a window.
 */
export function createBorrowing(now: () => number) {
  const accounts = new Map<string, Account>();

  function accountOf({ key, limit, windowMs }: Permit, at: number): Account | null {
    const known = accounts.get(key);
    if (known && at - known.lastAt < windowMs) return known.limit === limit ? known : null;
    if (accounts.size >= KEPT) {
      for (const [name, account] of accounts) if (at - account.lastAt >= account.windowMs) accounts.delete(name);
      if (accounts.size >= KEPT) accounts.clear();
    }
    const fresh = { limit, windowMs, remaining: limit, resetMs: windowMs, since: at, owed: 0, lastAt: at };
    accounts.set(key, fresh);
    return fresh;
  }

  return {
    /** Grants one permit, or returns null: then the store must be asked. */
    borrow(permit: Permit) {
      const most = Math.min(MOST, Math.floor(permit.limit / SHARE));
      if (most === 0) return null;
      const at = now();
      const account = accountOf(permit, at);
      if (!account || account.owed >= most || account.remaining - account.owed <= permit.limit / 2) return null;
      account.owed += 1;
      account.lastAt = at;
      return {
        allowed: true as const,
        limit: permit.limit,
        remaining: account.remaining - account.owed,
        resetMs: Math.max(1, account.resetMs - (at - account.since)),
        waitMs: null,
      };
    },

    /** Takes what is owed, to be counted with the next claim of this key. */
    repay(key: string): number {
      const account = accounts.get(key);
      if (!account) return 0;
      const { owed } = account;
      account.owed = 0;
      return owed;
    },

    /** Notes what the store answered. */
    learn({ key, limit, windowMs }: Permit, { remaining, resetMs }: Given): void {
      const account = accounts.get(key);
      if (!account) return;
      const at = now();
      Object.assign(account, { limit, windowMs, remaining, resetMs, since: at, lastAt: at });
    },
  };
}
