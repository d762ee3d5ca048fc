import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signWebhook, verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;
const secrets = fc.uint8Array({ minLength: 1, maxLength: 64 }).map(secretOf);
const ids = fc.stringMatching(/^evt_[0-9A-Z]{26}$/);
const bodies = fc.json().filter(text => text.isWellFormed());

const SECRET = secretOf(Buffer.from('a secret of thirty-two characters'));
const BODY = '{"type":"webhook.test","timestamp":"2026-11-21T09:30:00.000Z","data":{"message":"ü","livemode":true}}';
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: WebhookVerificationError) => (error instanceof WebhookVerificationError ? error.reason : error),
  );

describe('verifyWebhook', () => {
  it('accepts signatures of the standardwebhooks library', async () => {
    await fc.assert(
      fc.asyncProperty(ids, bodies, secrets, async (id, body, secret) => {
        const at = new Date();
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign(id, at, body),
        };
        expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('makes signatures that the standardwebhooks library accepts', async () => {
    await fc.assert(
      fc.asyncProperty(ids, bodies, secrets, async (id, body, secret) => {
        const headers = await signWebhook(id, body, secret);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('agrees with the specification’s test vector', async () => {
    // Standard Webhooks 1.0, its example of a symmetric signature.
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const now = 1_614_265_330_000;
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(await verifyWebhook('{"test": 2432232314}', headers, secret, { now })).toEqual({ test: 2_432_232_314 });
  });

  it('accepts bytes, web headers, Node headers in any case, several signatures and several secrets', async () => {
    const other = secretOf(Buffer.from('another'));
    const signed = await signWebhook('evt_1', BODY, SECRET);
    const beside = await signWebhook('evt_1', BODY, other);
    const both = {
      ...signed,
      'webhook-signature': `v2,abc ${beside['webhook-signature']} ${signed['webhook-signature']}`,
    };
    const event = JSON.parse(BODY);
    expect(await verifyWebhook(Buffer.from(BODY), new Headers(both), SECRET)).toEqual(event);
    const upper = Object.fromEntries(Object.entries(both).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook(BODY, upper, [secretOf(Buffer.from('old')), other])).toEqual(event);
  });

  it('refuses one changed byte anywhere', async () => {
    const headers = await signWebhook('evt_1', BODY, SECRET);
    const bytes = Buffer.from(BODY);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= change;
        expect(await reasonOf(verifyWebhook(changed, headers, SECRET))).toBe('bad_signature');
      }),
    );
    const renamed = { ...headers, 'webhook-id': 'evt_2' };
    expect(await reasonOf(verifyWebhook(BODY, renamed, SECRET))).toBe('bad_signature');
    expect(await reasonOf(verifyWebhook(BODY, headers, secretOf(Buffer.from('no'))))).toBe('bad_signature');
    const cut = { ...headers, 'webhook-signature': headers['webhook-signature'].slice(0, -8) };
    expect(await reasonOf(verifyWebhook(BODY, cut, SECRET))).toBe('bad_signature');
    const unversioned = { ...headers, 'webhook-signature': headers['webhook-signature'].slice(3) };
    expect(await reasonOf(verifyWebhook(BODY, unversioned, SECRET))).toBe('bad_signature');
  });

  it('refuses a timestamp too old or in the future, to the second', async () => {
    const at = 1_800_000_000_000;
    const headers = await signWebhook('evt_1', BODY, SECRET, at);
    const verify = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(
        verifyWebhook(BODY, headers, SECRET, {
          now: at + seconds * 1_000,
          ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
        }),
      );
    expect([await verify(300), await verify(301), await verify(-300), await verify(-301)]).toEqual([
      null,
      'too_old',
      null,
      'too_new',
    ]);
    expect([await verify(10, 10), await verify(11, 10)]).toEqual([null, 'too_old']);
  });

  it('names the fault of a foreign request', async () => {
    const headers = await signWebhook('evt_1', BODY, SECRET);
    for (const name of Object.keys(headers)) {
      expect(await reasonOf(verifyWebhook(BODY, { ...headers, [name]: undefined }, SECRET))).toBe('missing_header');
    }
    expect(await reasonOf(verifyWebhook(BODY, { ...headers, 'webhook-timestamp': '1e9' }, SECRET))).toBe(
      'bad_timestamp',
    );
    expect(await reasonOf(verifyWebhook(BODY, headers, 'whsec_'))).toBe('bad_secret');
    expect(await reasonOf(verifyWebhook(BODY, headers, 'whsec_***'))).toBe('bad_secret');
    expect(await reasonOf(verifyWebhook(BODY, headers, []))).toBe('bad_secret');
    const text = 'not JSON';
    expect(await reasonOf(verifyWebhook(text, await signWebhook('evt_1', text, SECRET), SECRET))).toBe('bad_body');
  });

  it('signs as HMAC-SHA256 over id, timestamp and body', async () => {
    const { 'webhook-signature': signature } = await signWebhook('evt_1', BODY, SECRET, 1_700_000_000_999);
    const key = Buffer.from(SECRET.slice(6), 'base64');
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(`evt_1.1700000000.${BODY}`).digest('base64')}`);
  });

  it('names a body that was parsed, a secret that is missing and headers that are lists', async () => {
    const headers = await signWebhook('evt_1', BODY, SECRET);
    const said = (promise: Promise<unknown>) =>
      promise.then(
        () => 'accepted',
        (error: Error) => error.message,
      );
    expect(await said(verifyWebhook(JSON.parse(BODY), headers, SECRET))).toMatch(/already parsed/);
    for (const secret of [undefined, '', [], ['']] as unknown as string[]) {
      expect(await said(verifyWebhook(BODY, headers, secret))).toMatch(/no secret was given/);
    }
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    expect(await said(verifyWebhook(BODY, lists, SECRET))).toMatch(/webhook-id came as a list/);
    const raw = Object.entries(headers).flat() as unknown as Record<string, string>;
    expect(await said(verifyWebhook(BODY, raw, SECRET))).toMatch(/rawHeaders/);
  });
});
