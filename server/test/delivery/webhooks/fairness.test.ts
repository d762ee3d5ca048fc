import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { queueEvents } from './queue-events.ts';

const QUEUED = 10_000;

/** Bytes that this thread holds. The analysis threads, which load their models meanwhile, do not count. */
function ownMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('webhook queue', () => {
  let service: TestService;
  let names: NameServer;
  beforeAll(async () => {
    names = await startNameServer(name => (name.endsWith('.slow.example') ? null : 0));
    service = await startTestService({ env: { WEBHOOK_NAME_SERVERS: names.address } });
  });
  afterAll(async () => {
    await service?.stop();
    await names?.close();
  });

  it(`with ${QUEUED} deliveries to an endpoint that never answers delays nobody else and needs no memory`, async () => {
    const dead = await receiveWebhooks(() => {});
    const well = await receiveWebhooks();
    try {
      const victim = await service.newTenant();
      const beside = await service.newTenant();
      const waits: number[] = [];
      const create = async () => {
        const at = Date.now();
        const { id } = await createVerification(service, { webhook_url: well.url }, beside.pk_test);
        const arrived = await until(
          async () => well.received.find(({ event }) => (event.data as { id: string }).id === id),
          'the webhook of another tenant',
        );
        waits.push(arrived.at - at);
      };
      await create();
      waits.pop();
      await queueEvents(service.deps, { tenantId: victim.tenant_id, url: dead.url }, QUEUED);
      await until(async () => dead.open() > 0, 'the dead endpoint to be tried');
      global.gc?.();
      const memory = ownMemory();
      for (let n = 0; n < 40; n += 1) {
        await create();
        await sleep(50);
      }
      const late = waits.toSorted((a, b) => a - b);
      // 20 ms on an idle machine. An attempt to the other's endpoint takes 15 s.
      expect(late[Math.floor(late.length * 0.9)]).toBeLessThan(7_500);
      expect(dead.mostOpen()).toBeLessThanOrEqual(32);
      expect(ownMemory() - memory).toBeLessThan(100 * 1_048_576);
      const { rows } = await service.deps.db.query<{ claimed: string; waiting: string }>(
        `select (select coalesce(sum(cardinality(delivery_ids)), 0) from webhook_claims) as claimed,
           (select count(*) from webhook_queue) as waiting`,
      );
      expect(Number(rows[0]!.claimed)).toBeLessThanOrEqual(32);
      expect(Number(rows[0]!.waiting) + Number(rows[0]!.claimed)).toBe(QUEUED);
    } finally {
      await dead.close();
      await well.close();
    }
  });

  it('with a hundred hanging endpoints serves a healthy one within seconds', async () => {
    const dead = await receiveWebhooks(() => {});
    const well = await receiveWebhooks();
    try {
      const tenants = await Promise.all(Array.from({ length: 10 }, () => service.newTenant()));
      for (const tenant of tenants) {
        const tenantId = tenant.tenant_id;
        for (let n = 0; n < 10; n += 1) await queueEvents(service.deps, { tenantId, url: `${dead.url}/${n}` }, 50);
      }
      await until(async () => dead.open() > 100, 'the slots to be taken');
      const beside = await service.newTenant();
      const at = Date.now();
      await createVerification(service, { webhook_url: well.url }, beside.pk_test);
      const arrived = await until(async () => well.received[0], 'the healthy one');
      // A hanging attempt leaves the pool of the well ones after two seconds.
      expect(arrived.at - at).toBeLessThan(12_000);
    } finally {
      await dead.close();
      await well.close();
    }
  });

  it('with names of one account whose name server is silent delays no webhook of another', async () => {
    const receiver = await receiveWebhooks();
    try {
      const { port } = new URL(receiver.url);
      const slow = await service.newTenant();
      const beside = await service.newTenant();
      for (let n = 0; n < 160; n += 1) {
        await queueEvents(
          service.deps,
          { tenantId: slow.tenant_id, url: `http://n${n}.slow.example:${port}/hooks` },
          1,
        );
      }
      await until(
        async () => names.asked.some(name => name.endsWith('.slow.example')),
        'the slow names to be asked for',
      );
      const waits: number[] = [];
      for (let n = 0; n < 10; n += 1) {
        const began = performance.now();
        // A new name and a new connection each time.
        const webhook_url = `http://n${n}.fast.example:${port}/hooks`;
        const { id } = await createVerification(service, { webhook_url }, beside.pk_live);
        await until(
          async () => receiver.received.find(({ event }) => (event.data as { id: string }).id === id),
          'the webhook of the other account',
        );
        waits.push(performance.now() - began);
        await sleep(100);
      }
      // 30 ms on an idle machine. A look-up without an answer takes 4 s and more, and 152 of them wait.
      expect(Math.max(...waits)).toBeLessThan(4_000);
      const failed = await until(async () => {
        const { body } = await ask<{ data: WebhookDelivery[] }>(service, '/v1/webhook-deliveries', {
          key: slow.rk_secret,
        });
        return body.data.find(({ attempts }) => attempts.length > 0);
      }, 'an attempt to a name that does not resolve');
      expect(['dns', 'timeout']).toContain(failed.attempts[0]!.error);
    } finally {
      await receiver.close();
    }
  });
});

describe('webhook dispatchers on several nodes', () => {
  it('send each event once, and take over the claims of a vanished node', async () => {
    const first = await startTestService();
    const receiver = await receiveWebhooks();
    let second: TestService | undefined;
    try {
      second = await startTestService({ beside: first });
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          createVerification(n % 2 ? first : second!, { webhook_url: receiver.url }).then(({ id }) => id),
        ),
      );
      await until(async () => receiver.received.length >= 60, 'every event');
      await sleep(500);
      expect(receiver.received.map(({ event }) => (event.data as { id: string }).id).toSorted()).toEqual(
        made.toSorted(),
      );
      await until(
        async () => (await first.deps.db.query('select 1 from webhook_queue limit 1')).rowCount === 0,
        'an empty queue',
      );

      // As a node leaves it that was killed after it had claimed: nobody but the clock gives the delivery back.
      const { rows } = await first.deps.db.query<{ id: string; event_id: string }>(
        `update webhook_deliveries set status = 'pending', next_attempt_at = now()
         where id = (select id from webhook_deliveries limit 1) returning id, event_id`,
      );
      const [delivery] = rows;
      await first.deps.db.query(
        `insert into webhook_claims (id, node, until, delivery_ids) values ('a', 'gone', $1, $2)`,
        [new Date(Date.now() + 30_000), [delivery!.id]],
      );
      await sleep(1_500);
      expect(receiver.received).toHaveLength(60);
      await first.deps.db.query("update webhook_claims set until = now() - interval '1 second' where node = 'gone'");
      await until(async () => receiver.received.length === 61, 'the delivery of the node that vanished');
      expect(receiver.received[60]!.id).toBe(delivery!.event_id);
    } finally {
      await receiver.close();
      await second?.stop();
      await first.stop();
    }
  });
});
