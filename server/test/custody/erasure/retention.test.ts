import pg from 'pg';
import { expect, test } from 'vitest';
import { overdueForErasure, sweepRetention } from '../../../src/custody/erasure/retention.ts';
import { one } from '../../../src/platform/db/sql.ts';
import { ask, createVerification } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const DAY_MS = 86_400_000;
/** More than two batches. */
const EXPIRED = 45;

let now = 0;
const service = serviceOfSuite({ worker: false, now: () => new Date(now) });

const retain = async (key: string, retention_days: number | null) => {
  const reply = await ask(service, '/v1/settings', { key, method: 'PATCH', body: { retention_days } });
  expect(reply.status).toBe(200);
};
async function cancelled(key: string): Promise<void> {
  const { id } = await createVerification(service, {}, key);
  expect((await ask(service, `/v1/verifications/${id}/cancel`, { key, method: 'POST' })).status).toBe(200);
}

test('retention_days counts days of 24 hours where the clocks of the database change', async () => {
  // In Berlin, 29 March 2026 has 23 hours.
  now = Date.parse('2026-03-28T12:00:00Z');
  const { rk_secret: key } = await service.newTenant();
  const db = new pg.Pool({ connectionString: service.deps.config.databaseUrl!, options: '-c timezone=Europe/Berlin' });
  const overdue = () => overdueForErasure({ db, clock: service.deps.clock });
  try {
    await cancelled(key);
    await retain(key, 1);
    // A verification is overdue an hour after the sweep could have erased it.
    now += DAY_MS + 50 * 60_000;
    expect(await overdue()).toBe(0);
    now += 20 * 60_000;
    expect(await overdue()).toBe(1);
    await retain(key, null);
  } finally {
    await db.end();
  }
});

test('retention_days switched off while a sweep erases ends the sweep after the batch at hand', async () => {
  now = Date.now();
  const key = service.tenant.rk_secret;
  const erased = async () =>
    Number((await one<{ count: string }>(service.deps.db, 'select count(*) from erasures'))!.count);
  for (let n = 0; n < EXPIRED; n += 1) await cancelled(key);
  now += 2 * DAY_MS;
  await retain(key, 1);

  // Pictures are deleted after each batch has committed: at the first, somebody changes the setting.
  let inFirstBatch = 0;
  const blobs = new Proxy(service.deps.blobs, {
    get(store, name) {
      if (name !== 'list') return Reflect.get(store, name);
      return async function* (prefix: string) {
        if (inFirstBatch === 0) {
          inFirstBatch = await erased();
          await retain(key, null);
        }
        yield* store.list(prefix);
      };
    },
  });
  await sweepRetention({ ...service.deps, blobs }, new AbortController().signal);
  expect(inFirstBatch).toBeGreaterThan(0);
  expect(inFirstBatch).toBeLessThan(EXPIRED);
  expect(await erased()).toBe(inFirstBatch);

  await retain(key, 1);
  await sweepRetention(service.deps, new AbortController().signal);
  expect(await erased()).toBe(EXPIRED);
});
