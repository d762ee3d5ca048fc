import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { Firsthand, InvalidRequestError, NotFoundError } from '@firsthand/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService, until } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';

describe('the SDK against the running service', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let client: Firsthand;
  let secret: Firsthand;
  beforeAll(async () => {
    service = await startTestService();
    receiver = await receiveWebhooks();
    const baseUrl = service.url;
    client = new Firsthand(service.tenant.pk_test, { baseUrl, webhookSecret: service.tenant.webhook_secret });
    secret = new Firsthand(service.tenant.rk_secret, { baseUrl });
  });
  afterAll(async () => {
    await receiver?.close();
    await service?.stop();
  });

  it('creates, sends a photo, waits for the verdict, checks the webhook and downloads the evidence', async () => {
    const { id, status } = await client.verifications.create({
      steps: [
        { key: 'front', min: 1, max: 1 },
        { type: 'text', key: 'policy' },
      ],
      webhook_url: receiver.url,
    });
    expect(status).toBe('pending');
    await client.captures.submitAnswers(id, { answers: { policy: 'P-1' } });
    await client.captures.upload(id, await firstHand(), { stepKey: 'front', surface: 'web', capturedAt: new Date() });
    const done = await client.verifications.waitForVerdict(id, { waitMs: 120_000 });
    expect([done.status, typeof done.verdict?.score, done.answers?.policy?.value]).toEqual([
      'completed',
      'number',
      'P-1',
    ]);

    const hook = await until(
      async () => receiver.of(id).find(({ event }) => event.type === 'verification.completed'),
      'the webhook',
    );
    const event = await client.webhooks.unwrap(hook!.raw, hook!.headers);
    expect(event.type === 'verification.completed' && event.data.verdict?.label).toBe(done.verdict?.label);

    const bundle = await client.evidence.download(id);
    expect([bundle.contentType, bundle.filename]).toEqual(['application/zip', `${id}.zip`]);
    expect((await bundle.arrayBuffer()).byteLength).toBe(bundle.bytes);
  });

  it('pages over a list, repeats a POST with one key once, and throws errors by their code', async () => {
    const made = new Set<string>();
    for (let n = 0; n < 5; n += 1) made.add((await client.verifications.create({})).id);
    const listed: string[] = [];
    for await (const { id } of client.verifications.list({ limit: 2 })) listed.push(id);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining([...made]));

    const options = { idempotencyKey: 'claim-1' };
    const first = await client.verifications.create({}, options);
    expect((await client.verifications.create({}, options)).id).toBe(first.id);
    await expect(client.verifications.create({ max_captures: 2 }, options)).rejects.toMatchObject({
      code: 'idempotency_conflict',
      requestId: expect.stringMatching(/^[0-9A-Z]{26}$/),
    });
    await expect(client.verifications.get('vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z')).rejects.toBeInstanceOf(NotFoundError);
    const refused = await client.verifications.create({ max_captures: 21 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidRequestError);
    expect((refused as InvalidRequestError).fields.map(({ path }) => path)).toEqual(['max_captures']);
    expect(await secret.verifications.cancel(first.id)).toMatchObject({ status: 'expired' });
  });

  it('follows the events of the account', async () => {
    const ending = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const { type, body } of secret.events.follow({ mode: 'test' }, { signal: ending.signal })) {
        seen.push(`${type} ${(JSON.parse(body) as { data: { id: string } }).data.id}`);
        ending.abort();
      }
    })();
    const { id } = await until(async () => {
      const one = await client.verifications.create({});
      return seen.length > 0 ? one : undefined;
    }, 'an event');
    expect(id).toMatch(/^vfy_/);
    await following;
    expect(seen[0]).toMatch(/^verification\.created vfy_/);
  });
});
