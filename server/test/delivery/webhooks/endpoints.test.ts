import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { WebhookDelivery, WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';

const DAY_MS = 86_400_000;

describe('webhook endpoint', () => {
  let service: TestService;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let ahead = 0;
  beforeAll(async () => {
    mailbox = await openMailbox();
    service = await startTestService({
      env: { SMTP_URL: mailbox.url },
      // More retries than five days hold: what ends is the endpoint, not its deliveries.
      config: { webhookRetrySeconds: Array(20).fill(43_200) },
      now: () => new Date(Date.now() + ahead),
    });
  });
  afterAll(async () => {
    await service?.stop();
    await mailbox?.close();
  });

  it('is disabled with an e-mail after five days of failures, loses nothing, and can be re-enabled', async () => {
    const key = service.tenant.rk_secret;
    await ask(service, '/v1/settings', { key, method: 'PATCH', body: { notify_email: 'ops@example.com' } });
    const deliveries = async (query = '') =>
      (await ask<{ data: WebhookDelivery[] }>(service, `/v1/webhook-deliveries${query}`, { key })).body.data;
    const endpoints = async () =>
      (await ask<{ data: WebhookEndpoint[] }>(service, '/v1/webhook-endpoints', { key })).body.data;
    let broken = true;
    const receiver = await receiveWebhooks(response => void response.writeHead(broken ? 500 : 204).end());
    const create = () =>
      createVerification(service, { webhook_url: receiver.url, notify_email: null }, service.tenant.pk_live);
    try {
      const started = new Date(Date.now() - 1_000).toISOString();
      const test = await ask<{ delivery_id: string }>(service, '/v1/webhooks/test', {
        key,
        body: { url: receiver.url },
      });
      const first = test.body.delivery_id;
      await until(async () => (await deliveries())[0]?.attempts.length === 1, 'the first failure');
      expect(await endpoints()).toMatchObject([{ url: receiver.url, livemode: true, status: 'enabled' }]);
      // Every half day another attempt: the tenth comes within the fifth day, the eleventh ends it.
      for (let halfDay = 1; halfDay <= 9; halfDay += 1) {
        ahead = halfDay * 0.55 * DAY_MS;
        await until(async () => (await deliveries())[0]?.attempts.length === halfDay + 1, `attempt ${halfDay + 1}`);
      }
      expect((await endpoints())[0]).toMatchObject({ status: 'enabled', failing_since: expect.any(String) });
      expect(mailbox.mails).toEqual([]);
      ahead = 5.6 * DAY_MS;
      const disabled = await until(
        async () => (await endpoints()).find(({ status }) => status === 'disabled'),
        'it to be disabled',
      );
      const failing = Date.parse(disabled.disabled_at!) - Date.parse(disabled.failing_since!);
      expect(failing).toBeGreaterThanOrEqual(5 * DAY_MS);
      expect(await deliveries()).toMatchObject([{ id: first, status: 'failed' }]);

      const mail = await until(async () => mailbox.mails[0], 'the e-mail');
      expect(mail).toMatchObject({ to: ['ops@example.com'], headers: { subject: 'We disabled a webhook endpoint' } });
      expect(mail.parts['text/plain']).toContain(receiver.url);
      expect(mail.parts['text/plain']).toContain(disabled.id);

      // What happens meanwhile is kept and not sent.
      const before = receiver.received.length;
      const second = await create();
      await until(async () => (await deliveries(`?verification_id=${second.id}`)).length === 1, 'its row');
      expect(await deliveries(`?verification_id=${second.id}`)).toMatchObject([{ status: 'failed', attempts: [] }]);
      expect(receiver.received).toHaveLength(before);
      const recover = (body: object) =>
        ask<{ recovered: number }>(service, '/v1/webhook-deliveries/recover', { key, body });
      expect((await recover({ since: started })).body).toEqual({ recovered: 0 });

      broken = false;
      const enabled = await ask<WebhookEndpoint>(service, `/v1/webhook-endpoints/${disabled.id}/enable`, {
        key,
        method: 'POST',
      });
      expect(enabled.body).toEqual({
        id: disabled.id,
        url: receiver.url,
        livemode: true,
        status: 'enabled',
        created_at: disabled.created_at,
      });
      expect((await recover({ since: started, url: 'http://elsewhere.example/' })).body).toEqual({ recovered: 0 });
      expect((await recover({ since: started })).body).toEqual({ recovered: 2 });
      const third = await create();
      await until(async () => (await deliveries('?status=succeeded')).length === 3, 'all three');
      const arrived = receiver.received
        .slice(before)
        .map(({ event }) => (event.data as { id?: string }).id ?? event.type);
      expect(arrived.toSorted()).toEqual(['webhook.test', second.id, third.id].toSorted());
      expect((await recover({ since: started })).body).toEqual({ recovered: 0 });
      const { body: log } = await ask<{ data: { action: string; target: string }[] }>(service, '/v1/audit-log', {
        key,
      });
      expect(log.data).toContainEqual(
        expect.objectContaining({ action: 'webhook_endpoint.enabled', target: disabled.id }),
      );
    } finally {
      await receiver.close();
    }
  });

  it('is re-enabled when a requested retry succeeds', async () => {
    const tenant = await service.newTenant();
    const receiver = await receiveWebhooks();
    try {
      const { body } = await ask<{ delivery_id: string }>(service, '/v1/webhooks/test', {
        key: tenant.rk_secret,
        body: { url: receiver.url },
      });
      // Not before its outcome is written down: one that is being sent is not sent again.
      await until(async () => {
        const { rows } = await service.deps.db.query<{ status: string }>(
          'select status from webhook_deliveries where id = $1',
          [body.delivery_id],
        );
        return rows[0]?.status === 'succeeded';
      }, 'the first');
      await service.deps.db.query('update webhook_endpoints set disabled_at = $2 where tenant_id = $1', [
        tenant.tenant_id,
        new Date(),
      ]);
      await ask(service, `/v1/webhook-deliveries/${body.delivery_id}/retry`, { key: tenant.rk_secret, method: 'POST' });
      await until(async () => {
        const { data } = (
          await ask<{ data: WebhookEndpoint[] }>(service, '/v1/webhook-endpoints', { key: tenant.rk_secret })
        ).body;
        return data[0]?.status === 'enabled';
      }, 'it to be enabled');
    } finally {
      await receiver.close();
    }
  });
});
