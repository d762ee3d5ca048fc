import { setTimeout as sleep } from 'node:timers/promises';
import type { Me } from '@firsthand/contract/people/people.ts';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, startTestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { openBot } from './bot.ts';
import { freshAddress, signInAsOwner, tokenOf, type Visitor, visit } from './visitor.ts';

const SECRET = 'bot-secret-that-signs-0001';

describe('sign-in by e-mail and message', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let bot: Awaited<ReturnType<typeof openBot>>;
  let owner: Visitor;
  let env: Record<string, string>;
  let skew = 0;
  // Registered before the service's own hook, so that it runs after the service has stopped.
  afterAll(async () => {
    await mailbox?.close();
    await bot?.close();
  });
  const service = serviceOfSuite(async () => {
    mailbox = await openMailbox();
    bot = await openBot(SECRET);
    env = {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Firsthand <no-reply@photos.example>',
      BOT_URL: bot.url,
      BOT_SECRETS: `${SECRET},an-older-bot-secret-0002`,
      TRUSTED_PROXIES: '127.0.0.1,::1',
    };
    return { env, now: () => new Date(Date.now() + skew) };
  });
  beforeAll(async () => {
    owner = await signInAsOwner(service);
  });

  const invite = async (body: object) => {
    const reply = await owner.ask<{ id: string }>('/v1/people', { body });
    expect([reply.status, reply.text.includes('sign_in_url')]).toEqual([201, !('email' in body)]);
    return reply.body.id;
  };
  const mailsTo = (email: string) => mailbox.mails.filter(mail => mail.to.includes(email));
  const linkIn = (mail: { parts: Record<string, string> }) =>
    /http:\/\/localhost:\d+\/dashboard\/sign-in#token=mlk_[0-9A-HJKMNP-TV-Z]{26}/.exec(mail.parts['text/plain']!)![0];
  const magicLink = (email: string) => visit(service).ask('/v1/auth/magic-link', { body: { email } });
  const redeem = (token: string, visitor = visit(service)) =>
    visitor.ask<Me>('/v1/auth/magic-link/redeem', { body: { token } });
  const nextMail = async (email: string, after = 0) =>
    (await until(async () => mailsTo(email)[after], `a mail to ${email}`))!;
  const askForCode = (phone_e164: string) =>
    visit(service).ask<{ otp_id: string; expires_at: string }>('/v1/auth/one-time-code', { body: { phone_e164 } });
  const requestCode = async (phone: string) => (await askForCode(phone)).body;
  const codeFor = (phone: string) =>
    until(async () => bot.codes.findLast(sent => sent.phone_e164 === phone), `a code for ${phone}`);
  const redeemCode = (otp_id: string, code: string) =>
    visit(service).ask<Me>('/v1/auth/one-time-code/redeem', { body: { otp_id, code } });
  /** Somebody who was sent a code. */
  async function sentCode(phone: string, role = 'viewer') {
    const id = await invite({ phone_e164: phone, role });
    const asked = await requestCode(phone);
    return { id, asked, sent: await codeFor(phone) };
  }

  it('GET /v1/auth/methods lists what this deployment offers', async () => {
    const reply = await ask(service, '/v1/auth/methods');
    expect(reply.body).toEqual({
      providers: [],
      magic_link: true,
      one_time_code: true,
      passkey: true,
      missing: { providers: expect.stringContaining('OIDC_<NAME>_ISSUER') },
    });
  });

  it('POST /v1/people mails an invitation whose link signs in once, within 7 days', async () => {
    await invite({ email: 'Ada@People.example', name: 'Ada', role: 'member' });
    const mail = await nextMail('ada@people.example');
    const visitor = visit(service);
    const reply = await redeem(tokenOf(linkIn(mail)), visitor);
    expect(reply.body).toMatchObject({
      person: { name: 'Ada', email: 'ada@people.example' },
      tenant: { role: 'member' },
      session: { method: 'invitation' },
    });
    expect((await visitor.ask('/v1/me')).status).toBe(200);
    expect((await redeem(tokenOf(linkIn(mail)))).status).toBe(401);
  });

  it('POST /v1/auth/magic-link/redeem signs in once; a used, an old and an unknown link get the same answer', async () => {
    await invite({ email: 'lin@people.example', role: 'viewer' });
    await nextMail('lin@people.example');
    expect((await magicLink('lin@people.example')).text).toBe('{}');
    const link = linkIn(await nextMail('lin@people.example', 1));
    const first = await redeem(tokenOf(link));
    expect([first.status, first.body.session.method]).toEqual([200, 'magic_link']);
    const used = await redeem(tokenOf(link));
    await magicLink('lin@people.example');
    const second = linkIn(await nextMail('lin@people.example', 2));
    skew += 600_001;
    const old = await redeem(tokenOf(second)).finally(() => {
      skew = 0;
    });
    const unknown = await redeem('mlk_00000000000000000000000000');
    expect([used.status, old.status, unknown.status]).toEqual([401, 401, 401]);
    expect(new Set([used.text, old.text, unknown.text]).size).toBe(1);
  });

  it('GET on a mailed link, as a scanner does, does not use it up', async () => {
    await invite({ email: 'scanned@people.example', role: 'viewer' });
    const link = linkIn(await nextMail('scanned@people.example'));
    for (const agent of ['Mozilla/5.0', 'Outlook-SafeLinks', 'curl/8']) {
      await fetch(link, { headers: { 'user-agent': agent } });
      await fetch(link.replace('#', '?'), { headers: { 'user-agent': agent } });
      await fetch(link, { method: 'HEAD', headers: { 'user-agent': agent } });
    }
    expect((await redeem(tokenOf(link))).status).toBe(200);
  });

  it('POST /v1/auth/magic-link gives a known and an unknown address the same body, headers and work', async () => {
    await invite({ email: 'known@people.example', role: 'viewer' });
    await nextMail('known@people.example');
    // A node without a worker: what it does is done for the request.
    const node = await startTestService({ worker: false, beside: service, env });
    const asked = async (email: string) => {
      const queries: string[] = [];
      const pool = node.deps.db;
      const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
      pool.connect = (async () => {
        const client = await connect();
        const { query, release } = client;
        client.query = ((...args: unknown[]) => {
          queries.push(String(args[0]));
          return (query as (...all: unknown[]) => unknown).apply(client, args);
        }) as typeof query;
        client.release = (...args: Parameters<typeof release>) => {
          Object.assign(client, { query, release });
          release.apply(client, args);
        };
        return client;
      }) as typeof pool.connect;
      const reply = await visit(node)
        .ask('/v1/auth/magic-link', { body: { email } })
        .finally(() => Object.assign(pool, { connect }));
      const headers = [...reply.headers.keys()].filter(name => name !== 'request-id').toSorted();
      return { status: reply.status, text: reply.text, headers, queries };
    };
    const known = await asked('known@people.example');
    const unknown = await asked('nobody@people.example');
    await node.stop();
    expect(known).toEqual(unknown);
    expect(known.queries.length).toBeGreaterThan(2);
    await nextMail('known@people.example', 1);
    await sleep(300);
    expect(mailsTo('nobody@people.example')).toEqual([]);
    const rows = await service.deps.db.query('select 1 from sign_in_mails');
    expect(rows.rowCount).toBe(0);
  });

  it('POST /v1/auth/magic-link sends an account at most 5 e-mails an hour, without saying so', async () => {
    await invite({ email: 'flooded@people.example', role: 'viewer' });
    await nextMail('flooded@people.example');
    for (let n = 0; n < 8; n += 1) {
      const reply = await magicLink('flooded@people.example');
      expect([reply.status, reply.text]).toEqual([202, '{}']);
    }
    await until(
      async () => (await service.deps.db.query('select 1 from sign_in_mails')).rowCount === 0,
      'the mails to be dealt with',
    );
    expect(mailsTo('flooded@people.example')).toHaveLength(1 + 5);
    skew += 3_600_001;
    await magicLink('flooded@people.example').finally(() => {
      skew = 0;
    });
  });

  it('POST /v1/people and /v1/auth/magic-link let no input add a header, a recipient or markup to an e-mail', async () => {
    const addresses = ['a@people.example\r\nBcc: evil@evil.example', 'a@people.example, evil@evil.example'];
    for (const email of addresses) {
      expect((await magicLink(email)).status).toBe(400);
      expect((await owner.ask('/v1/people', { body: { email, role: 'viewer' } })).status).toBe(400);
    }
    const name = 'Eve\r\nBcc: evil@evil.example';
    const body = { email: 'eve@people.example', role: 'viewer' };
    expect((await owner.ask('/v1/people', { body: { ...body, name } })).status).toBe(400);
    const tenantName = '"><img src=x>\u2028Bcc: evil@evil.example';
    await owner.ask('/v1/settings', { method: 'PATCH', body: { name: tenantName } });
    await invite({ ...body, name: '<b>Eve</b>' });
    const mail = await nextMail('eve@people.example');
    expect(mail.to).toEqual(['eve@people.example']);
    expect(mail.headers.bcc).toBeUndefined();
    expect(mail.raw.split('\r\n\r\n')[0]).not.toContain('evil.example');
    expect(mail.parts['text/html']).not.toContain('<img');
    await owner.ask('/v1/settings', { method: 'PATCH', body: { name: 'First tenant' } });
  });

  it('POST /v1/auth/one-time-code has the bot send a signed code, which signs in once', async () => {
    const phone = '+4915100000001';
    const { asked, sent } = await sentCode(phone, 'reviewer');
    expect(asked).toEqual({
      otp_id: expect.stringMatching(/^walotp_[0-9A-HJKMNP-TV-Z]{26}$/),
      expires_at: expect.any(String),
    });
    expect(sent).toEqual({
      type: 'one_time_code',
      phone_e164: phone,
      code: expect.stringMatching(/^\d{6}$/),
      expires_at: asked.expires_at,
    });
    const reply = await redeemCode(asked.otp_id, sent.code);
    expect([reply.status, reply.body.tenant.role, reply.body.session.method]).toEqual([
      200,
      'reviewer',
      'one_time_code',
    ]);
    expect((await redeemCode(asked.otp_id, sent.code)).status).toBe(401);
    expect(bot.refused).toEqual([]);
  });

  it('POST /v1/auth/one-time-code gives an unknown number the same answer and sends nothing', async () => {
    const asked = await requestCode('+4915199999999');
    expect(Object.keys(asked)).toEqual(['otp_id', 'expires_at']);
    await sleep(300);
    expect(bot.codes.filter(sent => sent.phone_e164 === '+4915199999999')).toEqual([]);
    expect((await redeemCode(asked.otp_id, '000000')).status).toBe(401);
  });

  it('a one-time code is invalid after 5 attempts, from any number of addresses', async () => {
    const {
      asked: { otp_id },
      sent: { code },
    } = await sentCode('+4915100000002');
    const wrong = (n: number) => String((Number(code) + n) % 1_000_000).padStart(6, '0');
    const tries = await Promise.all(Array.from({ length: 20 }, (_, n) => redeemCode(otp_id, wrong(n + 1))));
    const statuses = tries.map(reply => reply.status);
    expect(statuses.every(status => status === 401 || status === 429)).toBe(true);
    expect(statuses.filter(status => status === 401)).toHaveLength(10);
    const { rows } = await service.deps.db.query('select tries from one_time_codes where id = $1', [otp_id]);
    expect(rows).toEqual([{ tries: 5 }]);
    skew += 1_000;
    const right = await redeemCode(otp_id, code).finally(() => {
      skew = 0;
    });
    expect(right.status).not.toBe(200);
  });

  it('a one-time code is invalid after 10 minutes', async () => {
    const { asked, sent } = await sentCode('+4915100000003');
    skew += 600_001;
    const reply = await redeemCode(asked.otp_id, sent.code).finally(() => {
      skew = 0;
    });
    expect(reply.status).toBe(401);
  });

  it('each sign-in method accepts 10 attempts in 10 minutes from one address, then 429', async () => {
    for (const [path, body] of [
      ['/v1/auth/magic-link', { email: 'nobody@people.example' }],
      ['/v1/auth/magic-link/redeem', { token: 'mlk_none' }],
      ['/v1/auth/first-run', { token: 'none' }],
      ['/v1/auth/one-time-code/redeem', { otp_id: 'walotp_00000000000000000000000000', code: '123456' }],
    ] as const) {
      const address = freshAddress();
      const statuses: number[] = [];
      for (let n = 0; n < 11; n += 1) {
        const reply = await visit(service).ask(path, { body, from: address });
        statuses.push(reply.status);
        if (n === 10) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500);
      }
      expect([path, statuses.slice(0, 10).includes(429), statuses[10]]).toEqual([path, false, 429]);
    }
  });

  it('POST /v1/auth/one-time-code accepts 10 attempts in 10 minutes for one number, known or not, then 429', async () => {
    for (const phone of ['+4915100000001', '+4915188888888']) {
      const statuses: number[] = [];
      for (let n = 0; n < 11; n += 1) {
        statuses.push((await askForCode(phone)).status);
      }
      expect(statuses.at(-1)).toBe(429);
    }
  });

  it('the audit log has sign-ins and failures, with address and device in words', async () => {
    const chrome =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    const id = await invite({ email: 'seen@people.example', role: 'viewer' });
    const token = tokenOf(linkIn(await nextMail('seen@people.example')));
    const o = { body: { token }, from: '203.0.113.9', headers: { 'user-agent': chrome } };
    const visitor = visit(service);
    expect((await visitor.ask('/v1/auth/magic-link/redeem', o)).status).toBe(200);
    expect((await visit(service).ask('/v1/auth/magic-link/redeem', o)).status).toBe(401);
    await visitor.ask('/v1/auth/sign-out', { method: 'POST', from: '203.0.113.9', headers: { 'user-agent': chrome } });
    const { body } = await owner.ask<{ data: Record<string, unknown>[] }>('/v1/audit-log');
    const mine = body.data.filter(entry => entry.address === '203.0.113.9');
    expect(mine.map(entry => [entry.action, entry.device])).toEqual([
      ['session.signed_out', 'Chrome on Windows'],
      ['session.refused', 'Chrome on Windows'],
      ['session.started', 'Chrome on Windows'],
    ]);
    expect(mine[1]).toMatchObject({ target: id, detail: { reason: 'the link was used or is too old' } });
    expect(body.data.find(entry => entry.action === 'person.invited')).toMatchObject({ target: id });
  });

  it('without mail, bot and provider, GET /v1/auth/methods says in one sentence what to set for each', async () => {
    const bare = await startTestService({ worker: false, beside: service });
    const methods = await ask(bare, '/v1/auth/methods');
    const mail = await ask(bare, '/v1/auth/magic-link', { body: { email: 'a@people.example' } });
    const code = await ask(bare, '/v1/auth/one-time-code', { body: { phone_e164: '+4915100000001' } });
    const google = await ask(bare, '/v1/auth/google/start');
    await bare.stop();
    expect(methods.body).toEqual({
      providers: [],
      magic_link: false,
      one_time_code: false,
      passkey: true,
      missing: {
        providers: expect.stringContaining('OIDC_<NAME>_CLIENT_ID'),
        magic_link: expect.stringContaining('SMTP_URL'),
        one_time_code: expect.stringContaining('BOT_URL'),
      },
    });
    expect([mail.status, mail.text]).toEqual([409, expect.stringContaining('SMTP_URL')]);
    expect([code.status, code.text]).toEqual([409, expect.stringContaining('BOT_URL')]);
    expect(google.status).toBe(404);
  });
});
