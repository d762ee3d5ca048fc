import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { WebhookSecret } from '@firsthand/contract/webhooks/webhooks.ts';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';

let service: TestService;
let receiver: WebhookReceiver;
let ahead = 0;
beforeAll(async () => {
  service = await startTestService({ now: () => new Date(Date.now() + ahead) });
  receiver = await receiveWebhooks();
});
afterAll(async () => {
  await receiver?.close();
  await service?.stop();
});

const read = async (path = '/v1/webhook-secret', body?: object, method = 'GET') => {
  const reply = await ask<WebhookSecret>(service, path, {
    key: service.tenant.rk_secret,
    method,
    ...(body ? { body } : {}),
  });
  expect(reply.status).toBe(200);
  return reply.body;
};
const rotate = (body?: object) => read('/v1/webhook-secret/rotate', body, 'POST');
/** Which of these secrets the next webhook is signed with. */
async function signers(secrets: string[]): Promise<boolean[]> {
  const before = receiver.received.length;
  await createVerification(service, { webhook_url: receiver.url });
  await until(async () => receiver.received.length > before, 'a webhook');
  const { raw, headers } = receiver.received.at(-1)!;
  const options = { now: Date.now() + ahead };
  return Promise.all(
    secrets.map(secret =>
      verifyWebhook(raw, headers, secret, options).then(
        () => true,
        () => false,
      ),
    ),
  );
}

it('POST /v1/webhook-secret/rotate lets the old secret sign until the overlap ends, and stores neither in clear', async () => {
  const first = service.tenant.webhook_secret;
  expect(await read()).toEqual({ secret: first });
  const rotated = await rotate();
  const second = rotated.secret;
  expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(rotated.previous?.secret).toBe(first);
  const overlap = Date.parse(rotated.previous!.expires_at) - Date.now();
  expect(Math.abs(overlap - 86_400_000)).toBeLessThan(10_000);
  expect(await read()).toEqual(rotated);
  expect(await signers([first, second])).toEqual([true, true]);
  ahead = 86_400_000 + 10_000;
  expect(await signers([first, second])).toEqual([false, true]);
  expect(await read()).toEqual({ secret: second });
  const { rows } = await service.deps.db.query('select * from webhook_secrets');
  expect(JSON.stringify(rows)).not.toMatch(/whsec_/);
  expect(JSON.stringify(rows)).not.toContain(second.slice(6, 30));
});

it('POST /v1/webhook-secret/rotate with overlap 0 ends the old secret at once; at most five signatures overlap', async () => {
  const { secret: old } = await read();
  const { secret: next, previous } = await rotate({ overlap_seconds: 0 });
  expect(previous).toBeUndefined();
  expect(await signers([old, next])).toEqual([false, true]);
  const secrets = [next];
  for (let n = 0; n < 6; n += 1) secrets.unshift((await rotate({ overlap_seconds: 3_600 })).secret);
  expect(await signers(secrets)).toEqual([true, true, true, true, true, false, false]);
});

it.each([{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }, { overlap_seconds: '5' }, { overlap: 5 }])(
  'POST /v1/webhook-secret/rotate refuses %j',
  async body => {
    const reply = await ask(service, '/v1/webhook-secret/rotate', { key: service.tenant.rk_secret, body });
    expect(reply.status).toBe(400);
  },
);
