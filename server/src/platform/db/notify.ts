import type pg from 'pg';

/**
 * A process notifies a channel at most once in this time. NOTIFY takes a lock of the whole database when it commits, so
 * no transaction that others wait for carries one.
 */
const QUIET_MS = 25;

/** The payloads still to send, by pool and channel. A channel without an entry was quiet for {@link QUIET_MS}. */
const waitingOf = new WeakMap<pg.Pool, Map<string, Set<string>>>();

/**
 * Notifies a channel from outside any transaction. Rings that come within {@link QUIET_MS} of the last are sent as one.
 * A ring that is lost costs a moment: everyone who listens also looks every second.
 */
export function ring(pool: pg.Pool, channel: string, payload: string): void {
  const waiting = waitingOf.get(pool) ?? new Map<string, Set<string>>();
  waitingOf.set(pool, waiting);
  const next = waiting.get(channel);
  if (next) next.add(payload);
  else send(pool, waiting, channel, [payload]);
}

function send(pool: pg.Pool, waiting: Map<string, Set<string>>, channel: string, payloads: string[]): void {
  waiting.set(channel, new Set());
  pool.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, payloads]).catch(() => {});
  setTimeout(() => {
    const next = [...waiting.get(channel)!];
    waiting.delete(channel);
    if (next.length > 0) send(pool, waiting, channel, next);
  }, QUIET_MS).unref();
}
