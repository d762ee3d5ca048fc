import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { forgetSignatures } from '../../../src/identity/auth/bot.ts';
import { trialTenant } from '../../../src/verification/trials/tenant.ts';
import { refusingInserts } from '../../support/refusing.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { BOT_SECRET, FORMER_BOT_SECRET, signed } from './bot.ts';

describe('messaging bot request', () => {
  let now = Date.now();
  const o = {
    worker: false,
    env: { BOT_SECRETS: `${BOT_SECRET},${FORMER_BOT_SECRET}` },
    now: () => new Date(now),
  };
  const service = serviceOfSuite(o);
  const beside = serviceOfSuite(() => ({ ...o, beside: service }));

  const body = (more: object = {}) => JSON.stringify({ tenant_id: service.tenant.tenant_id, ...more });
  async function post(raw: string, headers: Record<string, string>, node = service) {
    const answer = await fetch(`${node.url}/v1/verifications`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: raw,
    });
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotent-replayed'),
      body: (await answer.json()) as Verification,
    };
  }
  const issued = async () =>
    Number((await service.deps.db.query<{ n: string }>('select count(*) as n from verifications')).rows[0]!.n);

  it('creates live verifications for the tenant in the body, with a signature over the sent bytes', async () => {
    // Spaces and the order of members are the signature's: nothing is written anew before it is checked.
    const raw = `{ "metadata": {"chat":"42"} ,\n "tenant_id": ${JSON.stringify(service.tenant.tenant_id)} }`;
    const made = await post(raw, signed(raw, { at: now }));
    expect([made.status, made.body.livemode, made.body.config.metadata]).toEqual([201, true, { chat: '42' }]);
  });

  it('is accepted under each secret, with upper or lower case digits, within five minutes either way', async () => {
    const ages = [-300_000, -1_000, 0, 300_000];
    for (const [index, age] of ages.entries()) {
      const raw = body({ max_captures: index + 1 });
      const headers = signed(raw, { at: now + age, secret: index % 2 ? BOT_SECRET : FORMER_BOT_SECRET });
      expect((await post(raw, { ...headers, 'x-bot-auth': headers['x-bot-auth']!.toUpperCase() })).status).toBe(201);
    }
    for (const age of [-300_001, 300_001])
      expect((await post(body(), signed(body(), { at: now + age }))).status).toBe(401);
    expect((await post(body(), { ...signed(body(), { at: now }), 'x-bot-auth-timestamp': `${now}.0` })).status).toBe(
      401,
    );
  });

  it('with a valid signature gets 400 on tenant_id when that is unknown, missing or the trial tenant', async () => {
    const trial = await trialTenant(service.deps);
    for (const tenant_id of ['tnt_nobody', `tnt_${'0'.repeat(26)}`, trial, undefined, 7, null, '\0']) {
      const raw = JSON.stringify({ tenant_id });
      const right = await post(raw, signed(raw, { at: now }));
      expect([right.status, right.body]).toMatchObject([
        400,
        { error: { code: 'invalid_request', fields: [{ path: 'tenant_id' }] } },
      ]);
      expect((await post(raw, { ...signed(raw, { at: now }), 'x-bot-auth': '0'.repeat(64) })).status).toBe(401);
    }
    const broken = '{"tenant_id":';
    expect((await post(broken, signed(broken, { at: now }))).status).toBe(400);
  });

  it('is refused when its signature was used, on any node, also when both arrive at once', async () => {
    now += 1_000;
    const raw = body({ max_captures: 2 });
    const headers = signed(raw, { at: now });
    const before = await issued();
    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => post(raw, headers, i % 2 ? service : beside).then(answer => answer.status)),
    );
    expect(statuses.toSorted()).toEqual([201, ...Array<number>(9).fill(401)]);
    expect((await post(raw, { ...headers, 'x-bot-auth': headers['x-bot-auth']!.toUpperCase() })).status).toBe(401);
    expect((await post(raw, { ...headers, 'idempotency-key': 'added later' })).status).toBe(401);
    expect(await issued()).toBe(before + 1);
  });

  it('gets the first answer when the same bytes are retried under their Idempotency-Key', async () => {
    now += 1_000;
    const raw = body();
    const headers = { ...signed(raw, { at: now }), 'idempotency-key': 'chat-42-message-7' };
    const before = await issued();
    const [first, retried] = [await post(raw, headers), await post(raw, headers, beside)];
    expect([first.status, retried.status, retried.replayed]).toEqual([201, 201, 'true']);
    expect(retried.body.id).toBe(first.body.id);
    now += 1_000;
    const signedAgain = await post(raw, { ...signed(raw, { at: now }), 'idempotency-key': 'chat-42-message-7' });
    expect([signedAgain.status, signedAgain.body.id]).toEqual([201, first.body.id]);
    expect((await post(raw, { ...headers, 'idempotency-key': 'another' })).status).toBe(401);
    expect(await issued()).toBe(before + 1);
  });

  it('may be repeated when the first attempt had no effect', async () => {
    now += 1_000;
    const raw = body({ max_captures: 3 });
    const headers = signed(raw, { at: now });
    const refused = await refusingInserts(service, 'verifications', () => post(raw, headers));
    expect(refused.status).toBe(500);
    expect((await post(raw, headers)).status).toBe(201);
    expect((await post(raw, headers)).status).toBe(401);
  });

  it('is remembered as long as its signature could be valid, and no longer', async () => {
    now += 1_000;
    const raw = body({ max_captures: 4 });
    const headers = signed(raw, { at: now + 300_000 });
    expect((await post(raw, headers)).status).toBe(201);
    now += 599_999;
    await forgetSignatures(service.deps);
    expect((await post(raw, headers)).status).toBe(401);
    now += 400_000;
    await forgetSignatures(service.deps);
    const { rows } = await service.deps.db.query('select 1 from bot_signatures');
    expect(rows).toHaveLength(0);
    expect((await post(raw, headers)).status).toBe(401);
  });
});
