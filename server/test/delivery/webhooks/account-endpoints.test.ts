import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { WebhookDelivery, WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { signedIn } from '../../identity/people/visitor.ts';
import { ask, createVerification, until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite();

describe('webhook endpoint of the account', () => {
  let tenant: NewTenant;
  let receiver: WebhookReceiver;
  let answers = 204;
  beforeEach(async () => {
    answers = 204;
    tenant = await service.newTenant();
    receiver = await receiveWebhooks(response => void response.writeHead(answers).end());
  });
  afterEach(() => receiver.close());

  const call = <T>(method: string, path: string, body?: object) =>
    ask<T>(service, `/v1${path}`, { method, key: tenant.rk_secret, ...(body ? { body } : {}) });
  const register = (body: object) =>
    call<WebhookEndpoint>('POST', '/webhook-endpoints', { url: receiver.url, livemode: true, ...body });
  const deliveriesOf = async (query: string) =>
    (await call<{ data: WebhookDelivery[] }>('GET', `/webhook-deliveries?${query}`)).body.data;
  const create = (mode: 'live' | 'test', body: object = {}) =>
    createVerification(service, body, mode === 'live' ? tenant.pk_live : tenant.pk_test);
  const cancel = (id: string) => call('POST', `/verifications/${id}/cancel`);
  /** Everything that was recorded is announced, and nothing waits to be sent. */
  const quiet = () =>
    until(async () => {
      const { rows } = await service.deps.db.query<{ open: boolean }>(
        `select exists (select from event_outbox) or exists (select from webhook_deliveries where tenant_id = $1 and status = 'pending') as open`,
        [tenant.tenant_id],
      );
      return !rows[0]!.open;
    }, 'every delivery to end');
  const typesOf = (id: string, at = receiver) => at.of(id).map(({ event }) => event.type);

  it('POST /v1/webhook-endpoints sends the events of its mode, filtered, signed with the secret of the account', async () => {
    const made = await register({ events: ['verification.expired'], description: 'Back office' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^whe_/),
        url: receiver.url,
        livemode: true,
        status: 'enabled',
        registered: true,
        events: ['verification.expired'],
        description: 'Back office',
        created_at: expect.any(String),
      },
    ]);
    const everything = await receiveWebhooks();
    try {
      await register({ url: everything.url, livemode: false });
      const live = await create('live', { metadata: { claim: 'C-3' } });
      const test = await create('test');
      await Promise.all([cancel(live.id), cancel(test.id)]);
      await quiet();
      expect(receiver.received.map(({ event }) => event.type)).toEqual(['verification.expired']);
      expect(typesOf(live.id)).toEqual(['verification.expired']);
      expect(typesOf(test.id, everything).sort()).toEqual(['verification.created', 'verification.expired']);
      expect(everything.received).toHaveLength(2);
      const [{ raw, headers }] = receiver.received as [(typeof receiver.received)[0]];
      await verifyWebhook(raw, headers, tenant.webhook_secret);
      expect(await deliveriesOf(`endpoint_id=${made.body.id}`)).toMatchObject([
        {
          type: 'verification.expired',
          verification_id: live.id,
          verification_name: 'claim C-3',
          url: receiver.url,
          status: 'succeeded',
        },
      ]);
    } finally {
      await everything.close();
    }
  });

  it('gets an event once where the verification names the same address, in whatever spelling', async () => {
    await register({});
    const same = await create('live', { webhook_url: receiver.url });
    const spelled = await create('live', { webhook_url: receiver.url.replace('http:', 'HTTP:') });
    await quiet();
    expect([typesOf(same.id), typesOf(spelled.id)]).toEqual([['verification.created'], ['verification.created']]);
  });

  it('gets the events of a verification beside its own webhook_url, and the redaction', async () => {
    await register({});
    const own = await receiveWebhooks();
    try {
      const { id } = await create('live', { webhook_url: own.url });
      await quiet();
      expect((await call('POST', `/verifications/${id}/redact`, {})).status).toBe(200);
      await quiet();
      for (const at of [own, receiver]) {
        expect(typesOf(id, at).sort()).toEqual([
          'verification.created',
          'verification.expired',
          'verification.redacted',
        ]);
      }
    } finally {
      await own.close();
    }
  });

  it('PATCH changes what is sent from then on, and null sends everything', async () => {
    const { body } = await register({ events: ['verification.expired'] });
    const first = await create('live');
    await quiet();
    const patched = await call<WebhookEndpoint>('PATCH', `/webhook-endpoints/${body.id}`, {
      events: null,
      description: 'All',
    });
    expect([patched.status, patched.body.events, patched.body.description]).toEqual([200, undefined, 'All']);
    const second = await create('live');
    await quiet();
    expect([typesOf(first.id), typesOf(second.id)]).toEqual([[], ['verification.created']]);
    const wrong = [
      {},
      { events: [] },
      { events: ['webhook.test'] },
      { events: ['verification.gone'] },
      { livemode: false },
    ];
    for (const body of wrong) {
      const reply = await call('PATCH', `/webhook-endpoints/${patched.body.id}`, body);
      expect([body, reply.status]).toEqual([body, 400]);
    }
  });

  it('DELETE sends nothing more: neither what waits, nor what comes, nor what is sent again', async () => {
    const { body: endpoint } = await register({});
    const kept = await create('live', { webhook_url: receiver.url });
    const first = await create('live');
    await quiet();
    answers = 500;
    await cancel(first.id);
    await until(async () => receiver.of(first.id).length === 2, 'a failed attempt');
    await until(async () => (await deliveriesOf(`verification_id=${first.id}`))[0]?.attempts.length === 1, 'its row');
    await cancel(kept.id);
    await until(async () => (await deliveriesOf(`verification_id=${kept.id}`))[0]?.attempts.length === 1, 'its row');
    expect((await call('DELETE', `/webhook-endpoints/${endpoint.id}`)).status).toBe(204);
    expect(await deliveriesOf(`verification_id=${first.id}`)).toMatchObject([
      { type: 'verification.expired', status: 'cancelled' },
      { type: 'verification.created', status: 'succeeded' },
    ]);
    // The verification that names the address goes on telling it.
    expect((await deliveriesOf(`verification_id=${kept.id}`))[0]).toMatchObject({ status: 'pending' });
    answers = 204;
    await create('live');
    await call('POST', `/webhook-deliveries/${(await deliveriesOf(`verification_id=${kept.id}`))[0]!.id}/retry`);
    await quiet();
    expect(
      receiver.received.map(({ event }) => event.type).filter(type => type === 'verification.created'),
    ).toHaveLength(2);
    expect((await call('DELETE', `/webhook-endpoints/${endpoint.id}`)).status).toBe(404);
  });

  it('DELETE leaves nothing in the list of an address that nobody else named, after test events too', async () => {
    const { body: endpoint } = await register({ livemode: false });
    const test = await call<{ delivery_id: string }>('POST', `/webhook-endpoints/${endpoint.id}/test`);
    expect(test.status).toBe(202);
    await create('test');
    await quiet();
    expect(receiver.received.map(({ event }) => event.type).sort()).toEqual(['verification.created', 'webhook.test']);
    expect(receiver.received.map(({ event }) => event.data.livemode)).toEqual([false, false]);
    await call('DELETE', `/webhook-endpoints/${endpoint.id}`);
    const listed = await call<{ data: WebhookEndpoint[] }>('GET', '/webhook-endpoints');
    expect(listed.body.data).toEqual([]);
    for (const { id, event_id } of await deliveriesOf(`endpoint_id=${endpoint.id}`)) {
      expect((await call('POST', `/webhook-deliveries/${id}/retry`)).status).toBe(400);
      expect((await call('POST', `/events/${event_id}/resend`)).body).toEqual({ data: [] });
    }
    expect(receiver.received).toHaveLength(2);
    // A verification that names the address brings it back, for its own events.
    await create('test', { webhook_url: receiver.url });
    await create('test');
    await quiet();
    expect(receiver.received).toHaveLength(3);
    const back = await call<{ data: WebhookEndpoint[] }>('GET', '/webhook-endpoints?registered=false');
    expect(back.body.data).toMatchObject([{ id: endpoint.id, url: receiver.url }]);
    expect(back.body.data[0]).not.toHaveProperty('registered');
  });

  it('POST takes 16 in each mode, each address once, and no address that shows a masked secret', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        register({ url: `https://hooks.example/${n}` }).then(({ status }) => status),
      ),
    );
    expect(made.toSorted()).toEqual([...Array(16).fill(201), ...Array(4).fill(400)]);
    expect((await register({ url: 'https://hooks.example/17' })).body).toMatchObject({
      error: { fields: [{ path: 'url', code: 'too_many', params: { max: 16 } }] },
    });
    const other = await register({ url: 'https://bücher.example/?token=abc', livemode: false });
    expect([other.status, other.body.url]).toEqual([201, 'https://bücher.example/?token=***']);
    const faults = async (body: object) =>
      (
        (await register(body)).body as unknown as { error: { fields: { path: string; code: string }[] } }
      ).error.fields.map(({ path, code }) => [path, code]);
    expect(await faults({ url: 'https://bücher.example/?token=abc', livemode: false })).toEqual([['url', 'duplicate']]);
    expect(await faults({ url: other.body.url, livemode: false })).toEqual([['url', 'masked']]);
    expect(await faults({ url: 'https://example.com:undefined/', livemode: false })).toEqual([['url', 'format']]);
    expect(await faults({ events: [], livemode: 'live' })).toEqual([
      ['events', 'too_few'],
      ['livemode', 'type'],
    ]);
    expect(
      (await call<{ data: object[] }>('GET', '/webhook-endpoints?registered=true&limit=100')).body.data,
    ).toHaveLength(17);
  });

  it('POST of an address that verifications named registers the same endpoint', async () => {
    await create('live', { webhook_url: receiver.url });
    await quiet();
    const [before] = (await call<{ data: WebhookEndpoint[] }>('GET', '/webhook-endpoints')).body.data;
    expect((await call('PATCH', `/webhook-endpoints/${before!.id}`, { events: null })).status).toBe(404);
    expect((await call('DELETE', `/webhook-endpoints/${before!.id}`)).status).toBe(404);
    expect((await register({})).body).toEqual({ ...before, registered: true });
    const { id } = await create('live');
    await quiet();
    expect(typesOf(id)).toEqual(['verification.created']);
  });

  it('is an entry of the audit log at each change, and a person registers one only in the mode they are in', async () => {
    const owner = await signedIn(service, { tenantId: tenant.tenant_id, role: 'owner', livemode: false });
    const asOwner = (body: object) => owner.ask('/v1/webhook-endpoints', { body: { url: receiver.url, ...body } });
    expect((await asOwner({ livemode: true })).body).toMatchObject({
      error: { fields: [{ path: 'livemode', code: 'not_allowed' }] },
    });
    const { status, body } = await asOwner({ livemode: false });
    expect(status).toBe(201);
    const { id } = body as WebhookEndpoint;
    await call('PATCH', `/webhook-endpoints/${id}`, { events: ['verification.failed'] });
    await call('DELETE', `/webhook-endpoints/${id}`);
    const log = await call<{ data: { action: string; target?: string; detail: object }[] }>('GET', '/audit-log');
    expect(log.body.data.filter(({ target }) => target === id).map(({ action, detail }) => [action, detail])).toEqual([
      ['webhook_endpoint.removed', { url: receiver.url }],
      ['webhook_endpoint.updated', { events: ['verification.failed'] }],
      ['webhook_endpoint.created', { url: receiver.url, livemode: false }],
    ]);
  });
});
