import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { expect, it } from 'vitest';
import { ask, createVerification, startTestService, until } from '../../support/harness.ts';
import { startNameServer } from '../../support/name-server.ts';
import { queueEvents } from './queue-events.ts';

it('a silent name server of one account delays no webhook of another', async () => {
  const names = await startNameServer(name => (name.endsWith('.slow.example') ? null : 0));
  const receiver = await receiveWebhooks();
  const service = await startTestService({ env: { WEBHOOK_NAME_SERVERS: names.address } });
  try {
    const { port } = new URL(receiver.url);
    const slow = await service.newTenant();
    const beside = await service.newTenant();
    for (let n = 0; n < 160; n += 1) {
      await queueEvents(service.deps, { tenantId: slow.tenant_id, url: `http://n${n}.slow.example:${port}/hooks` }, 1);
    }
    await until(async () => names.asked.some(name => name.endsWith('.slow.example')), 'the slow names to be asked for');
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
    await service.stop();
    await receiver.close();
    await names.close();
  }
});
