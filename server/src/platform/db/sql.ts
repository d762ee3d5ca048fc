import pg from 'pg';
import { ring } from './notify.ts';

/** Anything that runs a query: a pool, a client or a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
}

/** A client with an open transaction. Helpers take this; only handlers and jobs open one. */
export type Tx = pg.PoolClient & { readonly __transaction?: true };
export type Pool = pg.Pool;

/** SQLSTATEs after which the same transaction may succeed: serialization failure and deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);

/** The notifications that an open transaction sends once it has committed: payloads by channel. */
const ringsOf = new WeakMap<Queryable, [channel: string, payload: string][]>();

/** Notifies a channel when the open transaction `tx` has committed. Without an open transaction it throws. */
export function ringAfterCommit(tx: Queryable, channel: string, payload = ''): void {
  const rings = ringsOf.get(tx);
  if (!rings) throw new Error('ringAfterCommit needs an open transaction');
  rings.push([channel, payload]);
}

/**
 * Runs `work` in one transaction. Commits when it resolves, rolls back when it throws, and retries after a
 * serialization failure or a deadlock.
 */
export async function transaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const rings: [string, string][] = [];
      ringsOf.set(client, rings);
      await client.query((pool as { begin?: string }).begin ?? 'begin');
      const result = await work(client);
      await client.query('commit');
      for (const [channel, payload] of rings) ring(pool, channel, payload);
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (attempt < 4 && code && RETRYABLE.has(code)) continue;
      throw error;
    } finally {
      ringsOf.delete(client);
      client.release(broken);
    }
  }
}

/** The first row, or undefined. */
export async function one<R extends pg.QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[] = [],
): Promise<R | undefined> {
  return (await db.query<R>(text, values)).rows[0];
}

/** All rows. */
export async function many<R extends pg.QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return (await db.query<R>(text, values)).rows;
}

/** True when `error` violates the named unique constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint;
