import { expect, test } from 'vitest';
import { sweepRetention } from '../../../src/custody/erasure/retention.ts';
import { one } from '../../../src/platform/db/sql.ts';
import { ask, createVerification, startTestService } from '../../support/harness.ts';

const DAY_MS = 86_400_000;
/** More than two batches. */
const EXPIRED = 45;

test('retention_days switched off while a sweep erases ends the sweep after the batch at hand', async () => {
  let ahead = 0;
  const service = await startTestService({ worker: false, now: () => new Date(Date.now() + ahead) });
  const key = service.tenant.rk_secret;
  const retain = (retention_days: number | null) =>
    ask(service, '/v1/settings', { key, method: 'PATCH', body: { retention_days } });
  const erased = async () =>
    Number((await one<{ count: string }>(service.deps.db, 'select count(*) from erasures'))!.count);
  try {
    for (let n = 0; n < EXPIRED; n += 1) {
      const { id } = await createVerification(service, {}, key);
      expect((await ask(service, `/v1/verifications/${id}/cancel`, { key, method: 'POST' })).status).toBe(200);
    }
    ahead = 2 * DAY_MS;
    expect((await retain(1)).status).toBe(200);

    // Pictures are deleted after each batch has committed: at the first, somebody changes the setting.
    let inFirstBatch = 0;
    const blobs = new Proxy(service.deps.blobs, {
      get(store, name) {
        if (name !== 'list') return Reflect.get(store, name);
        return async function* (prefix: string) {
          if (inFirstBatch === 0) {
            inFirstBatch = await erased();
            await retain(null);
          }
          yield* store.list(prefix);
        };
      },
    });
    await sweepRetention({ ...service.deps, blobs }, new AbortController().signal);
    expect(inFirstBatch).toBeGreaterThan(0);
    expect(inFirstBatch).toBeLessThan(EXPIRED);
    expect(await erased()).toBe(inFirstBatch);

    await retain(1);
    await sweepRetention(service.deps, new AbortController().signal);
    expect(await erased()).toBe(EXPIRED);
  } finally {
    await service.stop();
  }
});
