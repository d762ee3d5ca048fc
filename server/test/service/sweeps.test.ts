import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SWEEP_BATCH } from '../../src/platform/db/batches.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/sql.ts';
import { claimKey, forgetKeys, storeAnswer } from '../../src/platform/http/idempotency.ts';
import { forgetWindows } from '../../src/platform/limits/postgres.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const DAY_MS = 86_400_000;

describe('sweeps of short-lived rows', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, 4, () => {});
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  /** Notes how many rows each statement touches. */
  const counting = () => {
    const counts: number[] = [];
    const query = async (text: string, values?: unknown[]) => {
      const result = await pool.query(text, values);
      counts.push(result.rowCount ?? 0);
      return result;
    };
    return { db: { query } as Queryable, counts };
  };
  const fillKeys = (count: number, age: number) =>
    pool.query(
      `insert into idempotency_keys (scope, key, request_hash, created_at, status, body)
       select 'old', $2 || ':' || n, '\\x00', now() - $2::float8 * interval '1 millisecond', 201, '{}' from generate_series(1, $1::integer) n`,
      [count, age],
    );

  it('forgetKeys deletes every key whose lifetime is over, a bounded number in each statement, and no other', async () => {
    const total = 2 * SWEEP_BATCH + 7;
    await fillKeys(total, 3 * DAY_MS);
    await fillKeys(10, DAY_MS);
    const { db, counts } = counting();
    await forgetKeys(db, new Date());
    expect(counts.reduce((sum, count) => sum + count)).toBe(total);
    expect(Math.max(...counts)).toBe(SWEEP_BATCH);
    const left = await pool.query('select count(*)::integer as count from idempotency_keys');
    expect(left.rows[0].count).toBe(10);
  });

  it('forgetKeys skips a key that a request renews at the same moment', async () => {
    const at = new Date();
    await pool.query('delete from idempotency_keys');
    await claimKey(pool, 'tenant:true', 'renewed', Buffer.from('one'), new Date(at.getTime() - 3 * DAY_MS));
    await storeAnswer(pool, 'tenant:true', 'renewed', { status: 201, body: { first: true }, verificationId: null });
    const client = await pool.connect();
    try {
      await client.query('begin');
      expect(await claimKey(client, 'tenant:true', 'renewed', Buffer.from('two'), at)).toBeNull();
      await forgetKeys(pool, at);
      await client.query('commit');
    } finally {
      client.release();
    }
    await storeAnswer(pool, 'tenant:true', 'renewed', { status: 201, body: { second: true }, verificationId: null });
    await forgetKeys(pool, at);
    expect(await claimKey(pool, 'tenant:true', 'renewed', Buffer.from('two'), at)).toMatchObject({
      body: { second: true },
    });
  });

  it('forgetWindows deletes rate windows in bounded statements', async () => {
    await pool.query(
      "insert into rate_windows (key, touched_at) select 'k' || n, now() - interval '3 hours' from generate_series(1, $1::integer) n",
      [SWEEP_BATCH + 3],
    );
    const { db, counts } = counting();
    await forgetWindows(db);
    expect(counts).toEqual([SWEEP_BATCH, 3]);
  });
});
