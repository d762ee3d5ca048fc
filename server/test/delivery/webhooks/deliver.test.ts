import { type ReceivedWebhook, receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { URL_MAX } from '@firsthand/contract/base/limits.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';

const RETRY_SECONDS = [0.2, 0.2, 0.2];

let service: TestService;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  service = await startTestService({ config: { webhookRetrySeconds: RETRY_SECONDS } });
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map(receiver => receiver.close()));
});
afterAll(() => service?.stop());

const receive = async (...o: Parameters<typeof receiveWebhooks>) => {
  const receiver = await receiveWebhooks(...o);
  receivers.push(receiver);
  return receiver;
};
const secret = () => service.tenant.rk_secret;
const list = async (query: string, key = secret()) =>
  (await ask<{ data: WebhookDelivery[]; next_cursor?: string }>(service, `/v1/webhook-deliveries${query}`, { key }))
    .body;
const deliveryOf = async (verificationId: string) => (await list(`?verification_id=${verificationId}`)).data[0]!;
const untilDelivery = (verificationId: string, ready: (delivery: WebhookDelivery) => boolean) =>
  until(async () => {
    const delivery = await deliveryOf(verificationId);
    return delivery && ready(delivery) ? delivery : null;
  }, `a delivery of ${verificationId}`);

describe('webhook delivery', () => {
  it('is retried with the same id and bytes and a new signature until it is accepted', async () => {
    const statuses = [503, 404, 200];
    const receiver = await receive(response => void response.writeHead(statuses.shift()!).end('answer'));
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const delivery = await untilDelivery(id, ({ status }) => status !== 'pending');
    expect(delivery).toMatchObject({
      type: 'verification.created',
      verification_id: id,
      url: receiver.url,
      status: 'succeeded',
      attempts: [
        { status_code: 503, error: 'status', response_excerpt: 'answer' },
        { status_code: 404, error: 'status', response_excerpt: 'answer' },
        { status_code: 200, response_excerpt: 'answer' },
      ],
    });
    expect(delivery).not.toHaveProperty('next_attempt_at');
    expect(receiver.received.map(webhook => webhook.id)).toEqual(Array(3).fill(delivery.event_id));
    expect(new Set(receiver.received.map(webhook => webhook.raw)).size).toBe(1);
    for (const { raw, headers } of receiver.received) {
      expect(await verifyWebhook(raw, headers, service.tenant.webhook_secret)).toEqual(JSON.parse(raw));
      new Webhook(service.tenant.webhook_secret).verify(raw, headers as Record<string, string>);
    }
    const [first, second] = receiver.received as [ReceivedWebhook, ReceivedWebhook];
    expect(second.at - first.at).toBeGreaterThanOrEqual(150);
  });

  it('contains the verification as it was at the event, with metadata and number', async () => {
    const receiver = await receive();
    const { id } = await createVerification(service, { webhook_url: receiver.url, metadata: { claim: 'C-7' } });
    await ask(service, `/v1/verifications/${id}/cancel`, { key: secret(), method: 'POST' });
    await until(async () => receiver.received.length === 2, 'two events');
    const events = receiver.received.map(({ event }) => event as { type: string; data: Record<string, unknown> });
    const inOrder = events.toSorted((a, b) => Number(a.data.sequence) - Number(b.data.sequence));
    expect(inOrder.map(({ type, data }) => [type, data.sequence, data.status, data.metadata, data.id])).toEqual([
      ['verification.created', 1, 'pending', { claim: 'C-7' }, id],
      ['verification.expired', 2, 'expired', { claim: 'C-7' }, id],
    ]);
  });

  it('is not made for an abandoned session', async () => {
    const receiver = await receive();
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const left = { schema_version: 1, step: 'ready', elapsed_ms: 1, abandoned: true };
    expect((await ask(service, `/v1/verifications/${id}/progress`, { body: left })).status).toBe(204);
    await createVerification(service, { webhook_url: receiver.url });
    await until(async () => receiver.received.length >= 2, 'the next event');
    expect(receiver.received.map(({ event }) => event.type)).toEqual(Array(2).fill('verification.created'));
  });

  it('waits as long as Retry-After says', async () => {
    const receiver = await receive(response => void response.writeHead(429, { 'retry-after': '3600' }).end());
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const delivery = await untilDelivery(id, ({ attempts }) => attempts.length === 1);
    const wait = Date.parse(delivery.next_attempt_at!) - Date.parse(delivery.attempts[0]!.at);
    expect(wait).toBeGreaterThanOrEqual(3_600_000);
    expect(wait).toBeLessThan(3_610_000);
  });

  it('is cancelled by a 410', async () => {
    const receiver = await receive(response => void response.writeHead(410).end());
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const delivery = await untilDelivery(id, ({ status }) => status !== 'pending');
    expect(delivery).toMatchObject({ status: 'cancelled', attempts: [{ status_code: 410, error: 'gone' }] });
  });

  it('fails on a redirect and never requests its target', async () => {
    const target = await receive();
    const receiver = await receive(response => void response.writeHead(307, { location: target.url }).end());
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const delivery = await untilDelivery(id, ({ status }) => status === 'failed');
    expect(delivery.attempts).toHaveLength(RETRY_SECONDS.length + 1);
    expect(delivery.attempts[3]).toMatchObject({ status_code: 307, error: 'redirect' });
    expect(target.received).toEqual([]);
  });

  it('can be resent after it failed, with the whole schedule again', async () => {
    let status = 500;
    const receiver = await receive(response => void response.writeHead(status).end());
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const failed = await untilDelivery(id, delivery => delivery.status === 'failed');
    const retry = () =>
      ask<WebhookDelivery>(service, `/v1/webhook-deliveries/${failed.id}/retry`, { key: secret(), method: 'POST' });
    const retried = await retry();
    expect([retried.status, retried.body.status]).toEqual([202, 'pending']);
    const again = await untilDelivery(id, delivery => delivery.status === 'failed');
    expect(again.attempts).toHaveLength(8);
    status = 200;
    await retry();
    expect((await untilDelivery(id, delivery => delivery.status === 'succeeded')).attempts).toHaveLength(9);
    // Also what has arrived, for a receiver that lost it.
    await retry();
    expect((await untilDelivery(id, ({ attempts }) => attempts.length === 10)).status).toBe('succeeded');
    expect(new Set(receiver.received.map(webhook => webhook.id))).toEqual(new Set([failed.event_id]));
  });

  it('arrives at the longest accepted URL', async () => {
    const receiver = await receive();
    const url = `${receiver.url}?`.padEnd(URL_MAX, 'long=');
    const { id } = await createVerification(service, { webhook_url: url });
    expect((await untilDelivery(id, ({ status }) => status !== 'pending')).status).toBe('succeeded');
  });
});

describe('list of webhook deliveries', () => {
  it('filters, and pages through each of the account’s deliveries exactly once while new ones arrive', async () => {
    const tenant = await service.newTenant();
    const key = tenant.rk_secret;
    const receiver = await receive((response, { event }) => {
      response.writeHead(event.type === 'verification.expired' ? 410 : 200).end();
    });
    const made = await Promise.all(
      Array.from({ length: 7 }, () => createVerification(service, { webhook_url: receiver.url }, tenant.pk_test)),
    );
    const cancelled = made[3]!.id;
    await ask(service, `/v1/verifications/${cancelled}/cancel`, { key, method: 'POST' });
    await until(async () => (await list('?status=cancelled', key)).data.length === 1, 'the 410');
    await until(async () => (await list('?status=succeeded', key)).data.length === 7, 'seven acceptances');
    expect((await list('?type=verification.expired', key)).data.map(d => d.verification_id)).toEqual([cancelled]);
    expect((await list(`?verification_id=${cancelled}`, key)).data).toHaveLength(2);
    expect((await list('?status=failed', key)).data).toEqual([]);
    const seen: string[] = [];
    let page = await list('?limit=3', key);
    await createVerification(service, { webhook_url: receiver.url }, tenant.pk_test);
    for (;;) {
      seen.push(...page.data.map(delivery => delivery.id));
      if (!page.next_cursor) break;
      page = await list(`?limit=3&cursor=${page.next_cursor}`, key);
    }
    expect(seen).toHaveLength(8);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect((await list('', (await service.newTenant()).rk_secret)).data).toEqual([]);
    const forged = await ask(service, '/v1/webhook-deliveries?cursor=abc', { key });
    expect(forged.status).toBe(400);
  });
});

describe('test event', () => {
  it('arrives signed like any other', async () => {
    const receiver = await receive();
    const reply = await ask<{ delivery_id: string }>(service, '/v1/webhooks/test', {
      key: secret(),
      body: { url: receiver.url },
    });
    expect(reply.status).toBe(202);
    await until(async () => receiver.received.length === 1, 'the event');
    const { raw, headers } = receiver.received[0]!;
    expect(await verifyWebhook(raw, headers, service.tenant.webhook_secret)).toMatchObject({
      type: 'webhook.test',
      data: { livemode: true },
    });
    const delivery = await until(
      async () => (await list('?type=webhook.test')).data.find(one => one.id === reply.body.delivery_id),
      'its delivery',
    );
    expect(delivery).not.toHaveProperty('verification_id');
  });

  it.each(['ftp://example.com/', 'example.com', '', 'http://'])('is refused for the address %j', async url => {
    const reply = await ask(service, '/v1/webhooks/test', {
      key: secret(),
      body: { url },
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, ['url']]);
  });

  it('reports why it cannot arrive', async () => {
    const reply = await ask<{ delivery_id: string }>(service, '/v1/webhooks/test', {
      key: secret(),
      body: { url: 'http://169.254.169.254/latest/meta-data/' },
    });
    const delivery = await until(
      async () => (await list('?status=failed&type=webhook.test')).data.find(d => d.id === reply.body.delivery_id),
      'the failure',
    );
    expect(delivery.attempts.map(attempt => attempt.error)).toEqual(Array(4).fill('forbidden_address'));
  });
});

describe('event', () => {
  it('is resent under its id, also to a new address', async () => {
    const [receiver, other] = [await receive(), await receive()];
    const { id } = await createVerification(service, { webhook_url: receiver.url });
    const { event_id } = await untilDelivery(id, ({ status }) => status === 'succeeded');
    const again = await ask<{ data: WebhookDelivery[] }>(service, `/v1/events/${event_id}/resend`, {
      key: secret(),
      method: 'POST',
    });
    expect([again.status, again.body.data.map(({ url }) => url)]).toEqual([202, [receiver.url]]);
    const elsewhere = await ask<{ data: WebhookDelivery[] }>(service, `/v1/events/${event_id}/resend`, {
      key: secret(),
      body: { url: other.url },
    });
    expect(elsewhere.body.data.map(({ url }) => url)).toEqual([other.url]);
    await until(async () => receiver.received.length === 2 && other.received.length === 1, 'both');
    const all = [...receiver.received, ...other.received];
    expect(new Set(all.map(webhook => webhook.id))).toEqual(new Set([event_id]));
    expect(new Set(all.map(webhook => webhook.raw)).size).toBe(1);
  });
});
