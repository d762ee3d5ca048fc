import type { Log } from '../lib/log.ts';
import type { Given, LimitStore, Want } from './store.ts';

/** One request's claim on a window. */
export type Permit = Omit<Want, 'wanted'>;

/** The answer to a claim, which the RateLimit headers report. */
export interface Standing {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetMs: number;
  /** Milliseconds until another try may succeed; null when this one did. */
  waitMs: number | null;
}

export interface Limiter {
  /** Returns one answer for each permit, in their order. */
  take(permits: readonly Permit[]): Promise<Standing[]>;
  /**
   * Takes `units`, such as bytes, from one window after the other, or what is left there: the claim that reaches the limit
   * is the last one allowed. Returns the first refusal, and null if there is none.
   */
  spend(permits: readonly Permit[], units: number): Promise<Standing | null>;
  /** Returns a refusal of this key that is still in force, without asking the store. */
  refused(key: string): Standing | null;
  close(): Promise<void>;
}

interface Waiting {
  permit: Permit;
  waiters: PromiseWithResolvers<Standing>[];
}

const WARN_EVERY_MS = 10_000;
/** How long a failed store is not asked, because each try may take the full timeout. */
const REST_MS = 1_000;
const REFUSALS_KEPT = 10_000;

/**
 * Batches claims. Claims that arrive during one call to the store wait and go together as the next call, so the store
 * sets its own pace however many requests there are. The limiter remembers a refusal until it ends, so hammering a
 * spent limit costs the store nothing. While the first of the stores fails, the next one counts. When all fail, nothing is
 * refused: the last store is the service's own database, and no request is answered without it.
 */
export function createLimiter(stores: readonly LimitStore[], log: Log, now: () => number = Date.now): Limiter {
  const restsUntil = new Map<LimitStore, number>();
  const refusals = new Map<string, { until: number; limit: number }>();
  let pending = new Map<string, Waiting>();
  let running = false;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function standingRefusal(key: string, limit?: number): Standing | null {
    const refusal = refusals.get(key);
    if (!refusal) return null;
    const waitMs = refusal.until - now();
    if (waitMs <= 0 || (limit !== undefined && limit !== refusal.limit)) {
      refusals.delete(key);
      return null;
    }
    return { allowed: false, limit: refusal.limit, remaining: 0, resetMs: waitMs, waitMs };
  }

  async function run(): Promise<void> {
    // Waits a moment, so that the claims of one request go together.
    await Promise.resolve();
    while (pending.size > 0) {
      const batch = [...pending.values()];
      pending = new Map();
      const answers = await takeFromFirst(batch.map(({ permit, waiters }) => ({ ...permit, wanted: waiters.length })));
      batch.forEach((waiting, index) => {
        settle(waiting, answers[index]!);
      });
    }
    running = false;
  }

  /** Takes from the first store that answers. Grants all if none does. */
  async function takeFromFirst(wants: readonly Want[]): Promise<Given[]> {
    for (const [place, store] of stores.entries()) {
      if (now() < (restsUntil.get(store) ?? 0)) continue;
      try {
        return await store.take(wants);
      } catch (error) {
        restsUntil.set(store, now() + REST_MS);
        if (now() - warnedAt <= WARN_EVERY_MS) continue;
        warnedAt = now();
        const then = place + 1 < stores.length ? 'the next one counts' : 'nothing is refused';
        log.warn({ err: error }, `the store of rate limits fails; ${then}`);
      }
    }
    return wants.map(({ wanted, limit, windowMs }) => ({
      granted: wanted,
      remaining: Math.max(0, limit - wanted),
      waitMs: null,
      resetMs: windowMs,
    }));
  }

  const standingOf = (limit: number, allowed: boolean, remaining: number, { resetMs, waitMs }: Given): Standing => ({
    allowed,
    limit,
    remaining: allowed ? remaining : 0,
    resetMs,
    waitMs: allowed ? null : (waitMs ?? 0),
  });

  function settle({ permit, waiters }: Waiting, given: Given): void {
    waiters.forEach((waiter, index) => {
      const remaining = given.remaining + given.granted - 1 - index;
      waiter.resolve(standingOf(permit.limit, index < given.granted, remaining, given));
    });
    if (given.granted < waiters.length) noteRefusal(permit, given);
  }

  function noteRefusal({ key, limit }: Permit, given: Given): void {
    if (given.waitMs !== null && given.waitMs > 0) {
      if (refusals.size >= REFUSALS_KEPT) {
        for (const [known, { until }] of refusals) if (until <= now()) refusals.delete(known);
        if (refusals.size >= REFUSALS_KEPT) refusals.clear();
      }
      refusals.set(key, { until: now() + given.waitMs, limit });
    }
  }

  return {
    take: permits =>
      Promise.all(
        permits.map(permit => {
          const refusal = standingRefusal(permit.key, permit.limit);
          if (refusal) return refusal;
          const known = pending.get(permit.key);
          const waiting =
            known && known.permit.limit === permit.limit ? known : { permit, waiters: known?.waiters ?? [] };
          const waiter = Promise.withResolvers<Standing>();
          waiting.waiters.push(waiter);
          pending.set(permit.key, waiting);
          if (!running) {
            running = true;
            void run();
          }
          return waiter.promise;
        }),
      ),
    async spend(permits, units) {
      for (const permit of permits) {
        const refusal = standingRefusal(permit.key, permit.limit);
        if (refusal) return refusal;
        const [given] = await takeFromFirst([{ ...permit, wanted: units }]);
        if (given!.granted > 0) continue;
        noteRefusal(permit, given!);
        return standingOf(permit.limit, false, 0, given!);
      }
      return null;
    },
    refused: key => standingRefusal(key),
    async close() {
      await Promise.all(stores.map(store => store.close()));
    },
  };
}
