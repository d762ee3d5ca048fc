import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../../src/delivery/webhooks/claim.ts';
import { endpointsOf, insertDeliveries } from '../../../src/delivery/webhooks/queue.ts';
import { recordAttempts } from '../../../src/delivery/webhooks/record-attempts.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { newId, newUlid } from '../../../src/platform/lib/ids.ts';
import { createChance } from '../../support/chance.ts';
import { startTestService, type TestService } from '../../support/harness.ts';

const chance = createChance();

const MINUTE_MS = 60_000;
const ROUNDS = 400;

describe('webhook claims', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

  // A claim that began before a delivery was committed, and locked its endpoint after that, does not see the delivery: it
  // must leave the endpoint due all the same, or the delivery waits until the claim lapses.
  it('miss nothing that is queued at the same moment', async () => {
    const { db } = service.deps;
    const tenant = await service.newTenant();
    const to = { tenantId: tenant.tenant_id, livemode: true, url: 'https://example.com/hooks' };
    const claimed = new Set<string>();
    const claim = async () => {
      const now = new Date();
      const { deliveries } = await claimDeliveries(db, {
        id: newUlid(),
        node: 'node',
        now,
        lapseMs: MINUTE_MS,
        ailing: false,
        free: 512,
        perEndpoint: 512,
        held: new Map(),
        fullTenants: [],
      });
      for (const { id } of deliveries) claimed.add(id);
      return deliveries.length;
    };
    const queueOne = () =>
      transaction(db, async tx => {
        const now = new Date();
        const endpointId = (await endpointsOf(tx, [to], now))(to);
        const eventId = newId('evt');
        await tx.query(
          `insert into events (id, tenant_id, livemode, type, public_type, body, created_at)
           values ($1, $2, true, 'webhook.test', 'webhook.test', '{}', $3)`,
          [eventId, tenant.tenant_id, now],
        );
        return insertDeliveries(tx, [{ eventId, endpointId }], now);
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      // The first makes the endpoint due, so that a claim takes it while the second is committed.
      const ids = await queueOne();
      const second = queueOne();
      await sleep(chance() * 5);
      await claim();
      ids.push(...(await second));
      while ((await claim()) > 0);
      expect(
        ids.filter(id => !claimed.has(id)),
        `round ${round}`,
      ).toEqual([]);
    }
  });

  // The endpoint is well by its last outcome; the retry of the one before it must be found all the same.
  it('find the retry of a delivery that failed while another to the endpoint succeeded', async () => {
    const { deps } = service;
    const tenant = await service.newTenant();
    const to = { tenantId: tenant.tenant_id, livemode: true, url: 'https://example.com/retried' };
    const now = new Date();
    const endpointId = await transaction(deps.db, async tx => {
      const id = (await endpointsOf(tx, [to], now))(to);
      for (let n = 0; n < 2; n += 1) {
        const eventId = newId('evt');
        await tx.query(
          `insert into events (id, tenant_id, livemode, type, public_type, body, created_at)
           values ($1, $2, true, 'webhook.test', 'webhook.test', '{}', $3)`,
          [eventId, tenant.tenant_id, now],
        );
        await insertDeliveries(tx, [{ eventId, endpointId: id }], now);
      }
      return id;
    });
    const claim = newUlid();
    const { deliveries } = await claimDeliveries(deps.db, {
      id: claim,
      node: 'node',
      now: new Date(),
      lapseMs: MINUTE_MS,
      ailing: false,
      free: 512,
      perEndpoint: 512,
      held: new Map(),
      fullTenants: [],
    });
    expect(deliveries).toHaveLength(2);
    const of = { endpointId, slow: false, wellBefore: true };
    const at = now.toISOString();
    await recordAttempts(
      deps,
      [
        {
          ...of,
          id: deliveries[0]!.id,
          attempt: { at, latency_ms: 1, status_code: 500, error: 'status' },
          next: { status: 'pending', inSeconds: 5 },
        },
        {
          ...of,
          id: deliveries[1]!.id,
          attempt: { at, latency_ms: 1, status_code: 204 },
          next: { status: 'succeeded', inSeconds: null },
        },
      ],
      [claim],
    );
    const { rows } = await deps.db.query<{ found: boolean }>(
      `select e.due_at is not null and e.due_at <= q.run_at as found
       from webhook_endpoints e join webhook_queue q on q.endpoint_id = e.id where e.id = $1`,
      [endpointId],
    );
    expect(rows).toEqual([{ found: true }]);
  });
});
