import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { hasRedis, startRedis } from '../../../test/support/redis.ts';
import { createPool } from '../db/pool.ts';
import type { Pool } from '../db/sql.ts';
import { createPostgresStore, forgetWindows } from './postgres.ts';
import { openRedisStore } from './redis.ts';
import type { LimitStore } from './store.ts';

const log = pino({ level: 'silent' });
const freshKey = () => `key ${randomUUID()}`;

/** Guarantees of every store; `nodes` are two ways to the same windows. */
function promises(nodes: () => [LimitStore, LimitStore]) {
  const one = async (store: LimitStore, key: string, o: { wanted?: number; limit?: number; windowMs?: number } = {}) =>
    (await store.take([{ key, wanted: o.wanted ?? 1, limit: o.limit ?? 10, windowMs: o.windowMs ?? 60_000 }]))[0]!;

  it('grants the limit at once, then nothing until the window has passed', async () => {
    const [store] = nodes();
    const key = freshKey();
    const windowMs = 1_200;
    const start = Date.now();
    expect(await one(store, key, { wanted: 7, windowMs })).toMatchObject({ granted: 7, remaining: 3, waitMs: null });
    expect(await one(store, key, { wanted: 7, windowMs })).toMatchObject({ granted: 3, remaining: 0 });
    const refused = await one(store, key, { windowMs });
    expect(refused).toMatchObject({ granted: 0, remaining: 0 });
    expect(refused.waitMs).toBeGreaterThan(0);
    expect(refused.waitMs).toBeLessThanOrEqual(windowMs);
    await sleep(refused.waitMs! + 2);
    expect((await one(store, key, { windowMs })).granted).toBe(1);
    expect(Date.now() - start).toBeGreaterThanOrEqual(windowMs);
  });

  it('grants no more than the limit within any period of the window', async () => {
    const [store] = nodes();
    const key = freshKey();
    const [limit, windowMs] = [3, 400];
    const granted: { before: number; after: number }[] = [];
    while (granted.length < 4 * limit) {
      const before = performance.now();
      const { granted: got } = await one(store, key, { limit, windowMs });
      if (got > 0) granted.push({ before, after: performance.now() });
    }
    // The store's clock counts whole milliseconds.
    for (const [index, { before }] of granted.slice(0, -limit).entries()) {
      expect(granted[index + limit]!.after - before).toBeGreaterThan(windowMs - 1);
    }
  });

  it('counts across nodes that ask at the same time', async () => {
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => one(nodes()[index % 2]!, key, { wanted: 3, limit: 100 })),
    );
    expect(answers.reduce((sum, answer) => sum + answer.granted, 0)).toBe(100);
  });

  it('separates keys and answers in the requested order', async () => {
    const [store] = nodes();
    const names = [freshKey(), freshKey(), freshKey()].reverse();
    await one(store, names[1]!, { wanted: 4, limit: 5 });
    const answers = await store.take(names.map(key => ({ key, wanted: 2, limit: 5, windowMs: 60_000 })));
    expect(answers.map(answer => answer.granted)).toEqual([2, 1, 2]);
    expect(answers.map(answer => answer.remaining)).toEqual([3, 0, 3]);
  });

  it('does not deadlock when nodes ask for the same keys in opposite orders', async () => {
    const names = Array.from({ length: 8 }, freshKey);
    const want = (key: string) => ({ key, wanted: 1, limit: 1_000, windowMs: 60_000 });
    const rounds = Array.from({ length: 30 }, () => [
      nodes()[0].take(names.map(want)),
      nodes()[1].take(names.toReversed().map(want)),
    ]);
    const answers = await Promise.all(rounds.flat());
    expect(answers.flat().every(answer => answer.granted === 1)).toBe(true);
  });

  it('applies a changed limit from the next request on', async () => {
    const [store] = nodes();
    const key = freshKey();
    await one(store, key, { wanted: 8, limit: 10 });
    expect(await one(store, key, { limit: 5 })).toMatchObject({ granted: 0, remaining: 0 });
    expect(await one(store, key, { wanted: 9, limit: 12 })).toMatchObject({ granted: 4, remaining: 0 });
  });
}

describe('limit store in the database', () => {
  let database: TestDatabase;
  let pools: [Pool, Pool];
  beforeAll(async () => {
    database = await freshDatabase();
    pools = [createPool(database.url, 4, () => {}), createPool(database.url, 4, () => {})];
  });
  afterAll(async () => {
    await Promise.all(pools.map(pool => pool.end()));
    await database.drop();
  });
  promises(() => [createPostgresStore(pools[0]), createPostgresStore(pools[1])]);

  it('deletes unused windows', async () => {
    const key = freshKey();
    await createPostgresStore(pools[0]).take([{ key, wanted: 1, limit: 5, windowMs: 60_000 }]);
    const left = async () =>
      Number(
        (await pools[0].query<{ n: string }>('select count(*) as n from rate_windows where key = $1', [key])).rows[0]!
          .n,
      );
    await forgetWindows(pools[0]);
    expect(await left()).toBe(1);
    await pools[0].query("update rate_windows set touched_at = now() - interval '3 hours' where key = $1", [key]);
    await forgetWindows(pools[0]);
    expect(await left()).toBe(0);
  });
});

describe.skipIf(!hasRedis)('limit store in Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let stores: [LimitStore, LimitStore];
  beforeAll(async () => {
    redis = await startRedis();
    stores = [await openRedisStore(redis.url, log), await openRedisStore(redis.url, log)];
  });
  afterAll(async () => {
    await Promise.all(stores.map(store => store.close()));
    await redis.stop();
  });
  promises(() => stores);
});
