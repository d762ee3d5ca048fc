import type pg from 'pg';

/**
 * A process notifies a channel at most once in this time. NOTIFY takes a lock of the whole database when it commits, so
 * no transaction that others wait for carries one.
 */
const QUIET_MS = 25;

export interface Ringer {
  ring(channel: string, payload: string): void;
}

/**
 * Notifies channels from outside any transaction. Rings that come within {@link QUIET_MS} of the last are sent as one.
 * A ring that is lost costs a moment: everyone who listens also looks every second.
 */
export function createRinger(db: Pick<pg.Pool, 'query'>): Ringer {
  /** The payloads still to send, by channel. */
  const waiting = new Map<string, Set<string>>();

  function send(channel: string, payloads: ReadonlySet<string>): void {
    waiting.set(channel, new Set());
    db.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, [...payloads]]).catch(
      () => {},
    );
    setTimeout(() => {
      const next = waiting.get(channel)!;
      waiting.delete(channel);
      if (next.size > 0) send(channel, next);
    }, QUIET_MS).unref();
  }

  return {
    ring(channel, payload) {
      const next = waiting.get(channel);
      if (next) next.add(payload);
      else send(channel, new Set([payload]));
    },
  };
}

const ringers = new WeakMap<pg.Pool, Ringer>();

/** The ringer of a pool. */
export function ringerOf(pool: pg.Pool): Ringer {
  let ringer = ringers.get(pool);
  if (!ringer) {
    ringer = createRinger(pool);
    ringers.set(pool, ringer);
  }
  return ringer;
}
