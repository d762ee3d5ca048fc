import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signWebhook } from '@firsthand/sdk/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bot, createBot } from '../../../examples/messaging-bot/bot.ts';
import { listCases } from '../../../examples/messaging-bot/cases.ts';
import { Store } from '../../../examples/messaging-bot/store.ts';
import { TEXTS } from '../../../examples/messaging-bot/texts.ts';
import { BOT_SECRET, signed } from '../identity/doors/bot.ts';
import { signInAsOwner, visit } from '../identity/people/visitor.ts';
import {
  APP_SECRET,
  deliver,
  envelope,
  type GraphMessage,
  openGraph,
  PHONE_ID,
  statusOf,
  TOKEN,
  written,
} from '../support/graph-server.ts';
import { ask, createVerification, submit, until } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { freePort } from '../support/service-process.ts';
import { serviceOfSuite } from '../support/suite.ts';

const HOUR = 3_600_000;
const ADA = { wa_id: '491511234567', user_id: 'DE.1502576394655843' };
const linkOf = (message: GraphMessage) => message.interactive?.action.parameters.url;
const valuesOf = (message: GraphMessage) =>
  message.template?.components.flatMap(({ parameters }) => parameters.map(({ text }) => text));

describe('the messaging bot of examples/', () => {
  const botPort = freePort();
  const service = serviceOfSuite(async () => ({
    env: { BOT_SECRETS: BOT_SECRET, BOT_URL: `http://localhost:${await botPort}/codes` },
  }));
  let graph: Awaited<ReturnType<typeof openGraph>>;
  let folder: string;
  let store: Store;
  let bot: Bot;
  let url: string;
  let log: string[];
  let ahead: number;
  let firstWaitMs: number;
  let firsthandUrl: string | undefined;

  async function start(): Promise<void> {
    store = new Store(join(folder, 'bot.db'));
    log = [];
    const port = await botPort;
    bot = createBot({
      store,
      texts: TEXTS.en!,
      maxAgeMs: 6 * HOUR,
      now: () => Date.now() + ahead,
      log: line => void log.push(line),
      firstWaitMs,
      graph: { url: graph.url, phoneNumberId: PHONE_ID, token: TOKEN },
      appSecret: APP_SECRET,
      verifyToken: 'verify-token',
      firsthand: { url: firsthandUrl ?? service.url, tenantId: service.tenant.tenant_id, botSecrets: [BOT_SECRET] },
      webhookSecret: service.tenant.webhook_secret,
      webhookUrl: `http://localhost:${port}/firsthand`,
      request: { max_captures: 1 },
      templates: { language: 'en', link: 'firsthand_link', text: 'firsthand_news', code: 'firsthand_code' },
    });
    await new Promise<void>(resolve => bot.server.listen(port, 'localhost', resolve));
    url = `http://localhost:${(bot.server.address() as AddressInfo).port}`;
  }
  async function stop(): Promise<void> {
    bot.server.closeIdleConnections();
    await bot.stop();
    store.close();
  }

  beforeAll(async () => {
    await botPort;
  });
  beforeEach(async () => {
    graph = await openGraph();
    folder = await mkdtemp(join(tmpdir(), 'fh-bot-'));
    ahead = 0;
    firstWaitMs = 40;
    firsthandUrl = undefined;
    await start();
  });
  afterEach(async () => {
    await stop();
    await graph.close();
    await rm(folder, { recursive: true });
  });

  const sentCount = (n: number) =>
    until(async () => graph.sent.length >= n, `${n} sent messages\n${log.join('\n')}`, 20_000);
  const logged = (pattern: RegExp) =>
    until(async () => log.find(line => pattern.test(line)), `the log to say ${pattern}: ${log.join('\n')}`, 20_000);
  const write = (who: object, id: string, more?: object) => deliver(url, envelope(written(who, id, more)));
  const issued = async () =>
    Number((await service.deps.db.query<{ n: string }>('select count(*) as n from verifications')).rows[0]!.n);

  it('sends the link to whoever writes, tells the result, and forgets what was redacted', async () => {
    expect((await write(ADA, 'wamid.in1')).status).toBe(200);
    await sentCount(1);
    const link = linkOf(graph.sent[0]!)!;
    const id = /\/v\/(vfy_\w+)$/.exec(link)![1]!;
    expect(graph.sent[0]).toMatchObject({ to: ADA.wa_id, type: 'interactive' });
    // Asked again: the same link, no second verification.
    const before = await issued();
    await write(ADA, 'wamid.in2');
    await sentCount(2);
    expect([linkOf(graph.sent[1]!), await issued()]).toEqual([link, before]);

    expect((await submit(service, id, await firstHand(1))).status).toBe(201);
    await sentCount(3);
    const { body } = await ask<{ verdict: { label: string } }>(service, `/v1/verifications/${id}`, {
      key: service.tenant.rk_secret,
    });
    const text = body.verdict.label === 'verified' ? TEXTS.en!.verified : TEXTS.en!.waitsForPerson;
    expect(graph.sent[2]).toMatchObject({ to: ADA.wa_id, type: 'text', text: { body: text } });
    await deliver(url, envelope(statusOf(graph.sent[2]!.id, 'delivered')));
    await until(async () => listCases(store).includes('  text: delivered'), 'the message to be shown as delivered');

    await ask(service, `/v1/verifications/${id}/redact`, { method: 'POST', key: service.tenant.rk_secret });
    await logged(/^event:.*erased/);
    expect(store.many('select * from people')).toEqual([]);
    expect(JSON.stringify([store.many('select * from cases'), store.many('select * from tasks')])).not.toMatch(
      /491511|\/v\//,
    );
  });

  it('accepts a webhook only with a signature over the received bytes', async () => {
    // Meta escapes what is not ASCII; written anew, the bytes are others.
    const raw = envelope(written(ADA, 'wamid.é')).replace(
      /[^\x20-\x7e]/g,
      c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(JSON.stringify(JSON.parse(raw))).not.toBe(raw);
    expect((await deliver(url, raw, 'another secret')).status).toBe(401);
    expect((await fetch(`${url}/whatsapp`, { method: 'POST', body: raw })).status).toBe(401);
    expect(store.many('select * from inbox')).toEqual([]);
    expect(
      log.filter(line => /refused POST \/whatsapp .*401 (no signature|the signature is wrong)/.test(line)),
    ).toHaveLength(2);
    expect((await deliver(url, raw)).status).toBe(200);
    await sentCount(1);
  });

  it('answers the subscription with the bytes of the challenge, and 403 to another token', async () => {
    const ask = (token: string) =>
      fetch(`${url}/whatsapp?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);
    const right = await ask('verify-token');
    expect([right.status, right.headers.get('content-type'), await right.text()]).toEqual([
      200,
      'text/plain',
      '1158201444',
    ]);
    expect((await ask('guessed')).status).toBe(403);
  });

  it('answers a webhook before it works on it, and sends one message at a time to a receiver', async () => {
    let release = () => {};
    graph.state.hold = new Promise(resolve => {
      release = resolve;
    });
    const began = performance.now();
    expect((await write(ADA, 'wamid.slow')).status).toBe(200);
    expect((await write(ADA, 'wamid.slow2')).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(5_000);
    await until(async () => graph.arrived.length > 0, 'the first message', 20_000);
    expect((await write(ADA, 'wamid.slow3')).status).toBe(200);
    await logged(/wamid.slow3: done: asked again/);
    expect([graph.arrived, graph.sent]).toEqual([[ADA.wa_id], []]);
    release();
    const links = (state: string) =>
      store.many(`select 1 from tasks where kind = 'link' and state = '${state}'`).length;
    await until(async () => links('sent') >= 2 && links('waiting') === 0, 'the links', 20_000);
    expect(graph.arrived).toHaveLength(links('sent'));
  });

  it('takes a message once, however often and however close together it is delivered', async () => {
    const raw = envelope(written(ADA, 'wamid.twice'));
    const answers = await Promise.all(Array.from({ length: 12 }, () => deliver(url, raw)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    await sentCount(1);
    await write(ADA, 'wamid.after');
    await sentCount(2);
    expect(store.many(`select key from inbox where kind = 'message'`)).toHaveLength(2);
    expect(graph.sent).toHaveLength(2);
  });

  it('reads every entry, change, message and status, and an item that fails stops none behind it', async () => {
    const bo = { wa_id: '491522222222' };
    const cy = { wa_id: '491533333333' };
    const first = JSON.parse(envelope(written(ADA, 'm1'), statusOf('wamid.unknown', 'sent'))) as { entry: object[] };
    const second = JSON.parse(
      envelope({ ...written(bo, 'm2'), ...statusOf('wamid.unknown', 'read') }, written(cy, 'm3')),
    ) as { entry: object[] };
    // A status that the table refuses, before all others.
    store.run(
      `create trigger broken before insert on statuses when new.status = 'sent' begin select raise(abort, 'broken'); end`,
    );
    const raw = JSON.stringify({ ...first, entry: [...first.entry, ...second.entry, { changes: 'none' }, null] });
    expect((await deliver(url, raw)).status).toBe(200);
    await sentCount(3);
    expect(graph.sent.map(({ to }) => to).toSorted()).toEqual([ADA.wa_id, bo.wa_id, cy.wa_id]);
    await logged(/status:wamid.unknown:sent: failed: broken/);
    expect(store.many('select status from statuses')).toEqual([{ status: 'read' }]);
  });

  it('shows the highest state of a message, in whatever order statuses come', async () => {
    await write(ADA, 'wamid.in');
    await sentCount(1);
    const { id } = graph.sent[0]!;
    const shown = (line: string) =>
      until(async () => listCases(store).includes(line), `${line} in ${listCases(store)}`, 20_000);
    await deliver(url, envelope(statusOf(id, 'failed', { code: 131_026, title: 'Message undeliverable' })));
    await shown('  link: failed: 131026 Message undeliverable');
    await deliver(url, envelope(statusOf(id, 'read')));
    await deliver(url, envelope(statusOf(id, 'delivered')));
    await deliver(url, envelope(statusOf(id, 'sent')));
    await logged(/131026/);
    await until(async () => store.many('select * from statuses').length === 4, 'the history', 20_000);
    expect(listCases(store)).toContain('  link: read');
  });

  it('judges the 24 hours when it sends, and uses a template where they have passed', async () => {
    await write(ADA, 'wamid.in');
    await sentCount(1);
    ahead = 25 * HOUR;
    const id = /(vfy_\w+)$/.exec(linkOf(graph.sent[0]!)!)![1]!;
    await ask(service, `/v1/verifications/${id}/cancel`, { method: 'POST', key: service.tenant.rk_secret });
    await sentCount(2);
    expect(graph.sent[1]!.template).toMatchObject({ name: 'firsthand_news', language: { code: 'en' } });
    expect(valuesOf(graph.sent[1]!)).toEqual([TEXTS.en!.expired]);
  });

  it('sends a template after a free message was refused for the window, at once or by a late status', async () => {
    graph.fail({ status: 400, code: 131_047, message: 'Re-engagement message' });
    await write(ADA, 'wamid.in');
    await sentCount(1);
    expect(graph.sent[0]!.template!.name).toBe('firsthand_link');
    expect(valuesOf(graph.sent[0]!)![0]).toMatch(/\/v\/vfy_/);

    const bo = { wa_id: '491522222222' };
    await write(bo, 'wamid.bo');
    await sentCount(2);
    await deliver(
      url,
      envelope(statusOf(graph.sent[1]!.id, 'failed', { code: 131_047, title: 'Re-engagement message' })),
    );
    await sentCount(3);
    expect([graph.sent[1]!.type, graph.sent[2]!.type, graph.sent[2]!.to]).toEqual([
      'interactive',
      'template',
      bo.wa_id,
    ]);
    // A template that fails so too is not sent a third time.
    await deliver(
      url,
      envelope(statusOf(graph.sent[2]!.id, 'failed', { code: 131_047, title: 'Re-engagement message' })),
    );
    await until(
      async () => listCases(store).some(line => line.startsWith('  link: failed: 131047')),
      'the failure in the case',
    );
    expect(graph.sent).toHaveLength(3);
  });

  it('answers nothing to a message older than the limit, by the time inside it, and logs it', async () => {
    await write(ADA, 'wamid.old', { timestamp: String(Math.floor(Date.now() / 1_000) - 7 * 3_600) });
    await logged(/message:wamid.old: too old: written 4\d\d minutes ago/);
    await write(ADA, 'wamid.new');
    await sentCount(1);
    expect(store.many('select * from cases')).toHaveLength(1);
  });

  it('keeps people by their user id, and writes to it where no number came', async () => {
    const anon = { user_id: 'US.13491208655302741918' };
    await write(anon, 'wamid.anon');
    await sentCount(1);
    expect([graph.sent[0]!.to, graph.sent[0]!.recipient]).toEqual([undefined, anon.user_id]);
    // The number appears later: the same person, who has a link already.
    await write({ ...anon, wa_id: '15551234567' }, 'wamid.named');
    await sentCount(2);
    expect(linkOf(graph.sent[1]!)).toBe(linkOf(graph.sent[0]!));
    expect(graph.sent[1]!.to).toBe('15551234567');
    // The number with another user id: somebody else has it now.
    await write({ user_id: 'US.999', wa_id: '15551234567' }, 'wamid.other');
    await sentCount(3);
    expect(linkOf(graph.sent[2]!)).not.toBe(linkOf(graph.sent[0]!));
    expect(store.many('select user_id, wa_id from people order by id')).toEqual([
      { user_id: anon.user_id, wa_id: null },
      { user_id: 'US.999', wa_id: '15551234567' },
    ]);
  });

  it('follows a person to a new user id and a new number', async () => {
    await write(ADA, 'wamid.in');
    await sentCount(1);
    const system = { type: 'user_changed_number', body: 'changed', wa_id: '491599999999', user_id: 'DE.777' };
    const notice = {
      from: ADA.wa_id,
      from_user_id: ADA.user_id,
      id: 'wamid.sys',
      timestamp: '1',
      type: 'system',
      system,
    };
    await deliver(url, envelope({ messages: [notice] }));
    await write({ wa_id: '491599999999', user_id: 'DE.777' }, 'wamid.moved');
    await sentCount(2);
    expect([linkOf(graph.sent[1]!), graph.sent[1]!.to]).toEqual([linkOf(graph.sent[0]!), '491599999999']);
  });

  it('finds a number in each of its valid forms, and sends to the id that Meta returned', async () => {
    graph.state.waIdOf = to => (to === '5511987654321' ? '551187654321' : to);
    await write({ wa_id: '5511987654321' }, 'wamid.br1');
    await sentCount(1);
    await write({ wa_id: '551187654321' }, 'wamid.br2');
    await sentCount(2);
    expect([graph.sent[0]!.to, graph.sent[1]!.to]).toEqual(['5511987654321', '551187654321']);
    expect(linkOf(graph.sent[1]!)).toBe(linkOf(graph.sent[0]!));
    await write({ wa_id: '5215512345678' }, 'wamid.mx1');
    await sentCount(3);
    await write({ wa_id: '525512345678' }, 'wamid.mx2');
    await sentCount(4);
    expect(store.many('select * from people')).toHaveLength(2);
  });

  it('sends to a receiver one after the other and waits longer each time, also for all when the whole number is too fast', async () => {
    const pair = { status: 400, code: 131_056, message: 'pair rate limit hit' };
    for (let n = 0; n < 3; n++) graph.fail(pair, ({ to }) => to === ADA.wa_id);
    await write(ADA, 'wamid.a');
    await write({ wa_id: '491522222222' }, 'wamid.b');
    await sentCount(2);
    // The other receiver did not wait.
    expect(graph.sent.map(({ to }) => to)).toEqual(['491522222222', ADA.wa_id]);
    const tries = graph.at.filter(({ id }) => id === ADA.wa_id).map(({ ms }) => ms);
    const waits = tries.slice(1).map((ms, n) => ms - tries[n]!);
    expect(waits).toHaveLength(3);
    for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual((40 * 2 ** n) / 2 - 5);

    await stop();
    firstWaitMs = 1_000;
    await start();
    graph.fail({ status: 429, code: 130_429, message: 'Rate limit hit' });
    await write(ADA, 'wamid.c');
    await logged(/130429/);
    const refusedAt = graph.at.at(-1)!.ms;
    await write({ wa_id: '491522222222' }, 'wamid.d');
    await sentCount(4);
    for (const { ms } of graph.at.slice(-2)) expect(ms - refusedAt).toBeGreaterThanOrEqual(500 - 5);
  });

  it('gives up after few tries, and at once on an error that stays', async () => {
    for (let n = 0; n < 6; n++) graph.fail({ status: 500, code: 131_000 });
    await write(ADA, 'wamid.a');
    await until(
      async () => listCases(store).find(line => line.startsWith('  link: failed: 131000')),
      log.join('\n'),
      20_000,
    );
    expect(graph.at).toHaveLength(6);
    graph.fail({ status: 400, code: 131_030, message: 'Recipient phone number not in allowed list' });
    await write(ADA, 'wamid.b');
    await logged(/131030/);
    expect(graph.at).toHaveLength(7);
  });

  it('answers 200 to shapes that it does not know, and notes them', async () => {
    const bodies = [
      envelope({ errors: [{ code: 130_429, title: 'Rate limit hit' }] }),
      envelope({ messages: [{ id: 'wamid.r', from: '491511234567', timestamp: '1', type: 'reaction', reaction: {} }] }),
      envelope({ messages: [{ id: 'wamid.n', timestamp: '1', type: 'system', system: { type: 'notice' } }, 7, {}] }),
      envelope({ messages: [{ id: 'wamid.t', timestamp: `${Date.now()}`, type: 'text' }] }),
      envelope({ messages: 'none', statuses: [null], metadata: { phone_number_id: PHONE_ID } }),
      envelope({ ...written(ADA, 'wamid.elsewhere'), metadata: { phone_number_id: '7' } }),
      '{"object":"page","entry":[]}',
      '[]',
      'not json',
    ];
    for (const raw of bodies) expect((await deliver(url, raw)).status).toBe(200);
    for (const reason of [
      /an error of the account: 130429/,
      /type reaction/,
      /system notice/,
      /no sender/,
      /without an id/,
    ]) {
      await logged(reason);
    }
    expect(log.filter(line => /for another number|a body of another kind/.test(line))).toHaveLength(4);
    expect([graph.at, store.many('select * from cases')]).toEqual([[], []]);
  });

  it('answers a photo in the chat with the link', async () => {
    await write(ADA, 'wamid.in');
    await sentCount(1);
    await write(ADA, 'wamid.photo', { type: 'image', image: { id: '1', mime_type: 'image/jpeg' } });
    await sentCount(2);
    expect(graph.sent[1]!.interactive!.body.text).toBe(TEXTS.en!.photoInChat);
  });

  it('delivers sign-in codes of the service as a template to the number, once', async () => {
    const phone = '+491511234567';
    const owner = await signInAsOwner(service);
    expect((await owner.ask('/v1/people', { body: { phone_e164: phone, role: 'viewer' } })).status).toBe(201);
    const asked = await visit(service).ask<{ otp_id: string }>('/v1/auth/one-time-code', {
      body: { phone_e164: phone },
    });
    expect(asked.status).toBe(202);
    await sentCount(1);
    const [code, copied] = valuesOf(graph.sent[0]!)!;
    expect(graph.sent[0]).toMatchObject({ to: '491511234567', template: { name: 'firsthand_code' } });
    expect(copied).toBe(code);
    const redeemed = await visit(service).ask('/v1/auth/one-time-code/redeem', {
      body: { otp_id: asked.body.otp_id, code: code! },
    });
    expect(redeemed.status).toBe(200);
    expect(JSON.stringify([store.many('select * from inbox'), store.many('select * from tasks'), log])).not.toContain(
      code,
    );
  });

  it('sends a link of the service to somebody who never wrote, as a template, and to others as a button', async () => {
    const made = await createVerification(service, {});
    const send = (to: string) =>
      ask(service, `/v1/verifications/${made.id}/send`, { key: service.tenant.rk_secret, body: { by: 'phone', to } });
    expect((await send('+491519999999')).status).toBe(202);
    await sentCount(1);
    expect(graph.sent[0]).toMatchObject({ to: '491519999999', template: { name: 'firsthand_link' } });
    expect(valuesOf(graph.sent[0]!)).toEqual([made.capture_url]);

    await write(ADA, 'wamid.in');
    await sentCount(2);
    expect((await send(`+${ADA.wa_id}`)).status).toBe(202);
    await sentCount(3);
    expect(graph.sent[2]!.interactive).toMatchObject({ action: { parameters: { url: made.capture_url } } });
    expect(graph.sent[2]!.interactive!.body.text).not.toContain('http');
  });

  it('takes codes only under a fresh signature, a repeat once, and says which was not delivered', async () => {
    const raw = JSON.stringify({
      type: 'one_time_code',
      phone_e164: '+5511987654321',
      code: '123456',
      expires_at: new Date(Date.now() + HOUR).toISOString(),
    });
    const post = (headers: Record<string, string>) => fetch(`${url}/codes`, { method: 'POST', body: raw, headers });
    expect((await post(signed(raw, { at: Date.now() - 301_000 }))).status).toBe(401);
    expect((await post(signed(raw, { secret: 'another-secret-0000' }))).status).toBe(401);
    expect((await post({})).status).toBe(401);
    // Known under the form without the ninth digit.
    await write({ wa_id: '551187654321' }, 'wamid.br');
    await sentCount(1);
    for (let n = 0; n < 2; n++) expect((await post(signed(raw, { at: Date.now() + n }))).status).toBe(200);
    await sentCount(2);
    expect(graph.sent[1]!.to).toBe('551187654321');
    await deliver(
      url,
      envelope(statusOf(graph.sent[1]!.id, 'failed', { code: 131_026, title: 'Message undeliverable' })),
    );
    await until(
      async () => listCases(store).includes('code for …4321: failed: 131026 Message undeliverable'),
      'the code in the list',
    );
    ahead = 2 * HOUR;
    const late = raw.replace('123456', '654321');
    await fetch(`${url}/codes`, { method: 'POST', body: late, headers: signed(late, { at: Date.now() + ahead }) });
    await logged(/the code was not delivered: the code expired unsent/);
    expect(graph.sent).toHaveLength(2);
  });

  it('takes webhooks of Firsthand only with its signature, each once, and ignores one that was overtaken', async () => {
    expect((await fetch(`${url}/firsthand`, { method: 'POST', body: '{}' })).status).toBe(400);
    await write(ADA, 'wamid.in');
    await sentCount(1);
    const [{ id, verification_id }] = store.many<{ id: string; verification_id: string }>('select * from cases') as [
      never,
    ];
    const event = async (eventId: string, sequence: number, status: string, secret = service.tenant.webhook_secret) => {
      const data = { id: verification_id, status, sequence, metadata: { bot_case: id }, review: { state: 'none' } };
      const body = JSON.stringify({ type: `verification.${status}`, timestamp: new Date().toISOString(), data });
      const headers = await signWebhook(eventId, body, secret);
      return (await fetch(`${url}/firsthand`, { method: 'POST', body, headers })).status;
    };
    expect(await event('evt_forged', 9, 'expired', `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(400);
    expect(await Promise.all([event('evt_1', 9, 'expired'), event('evt_1', 9, 'expired')])).toEqual([200, 200]);
    expect(await event('evt_2', 8, 'completed')).toBe(200);
    await logged(/event:evt_2: noted: older/);
    await sentCount(2);
    expect(graph.sent.slice(1).map(({ text }) => text?.body)).toEqual([TEXTS.en!.expired]);
  });

  it('shows in the case when Firsthand refuses the verification, and tries anew with the next message', async () => {
    await stop();
    firsthandUrl = `${service.url}/nowhere`;
    await start();
    await write(ADA, 'wamid.a');
    await logged(/create failed: not_found|create failed: HTTP 404/);
    expect(listCases(store)[0]).toMatch(/failed {2}\+491511234567 {2}(not_found|HTTP 404)/);
    await stop();
    firsthandUrl = undefined;
    await start();
    await write(ADA, 'wamid.b');
    await sentCount(1);
  });

  describe('as a process', () => {
    let child: ChildProcess | undefined;
    afterAll(() => {
      child?.kill('SIGKILL');
    });

    it('loses no accepted message when it is killed', async () => {
      await stop();
      const port = await botPort;
      const env = {
        ...process.env,
        BOT_PORT: `${port}`,
        BOT_STORE: join(folder, 'bot.db'),
        BOT_SECRETS: BOT_SECRET,
        FIRSTHAND_URL: service.url,
        FIRSTHAND_TENANT: service.tenant.tenant_id,
        FIRSTHAND_WEBHOOK_SECRET: service.tenant.webhook_secret,
        GRAPH_URL: graph.url,
        WHATSAPP_PHONE_NUMBER_ID: PHONE_ID,
        WHATSAPP_TOKEN: TOKEN,
        WHATSAPP_APP_SECRET: APP_SECRET,
        WHATSAPP_VERIFY_TOKEN: 'verify-token',
      };
      const main = join(import.meta.dirname, '../../../examples/messaging-bot/main.ts');
      const run = async () => {
        child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
        await until(async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok, 'the bot to answer', 20_000);
        return child;
      };
      const people = Array.from({ length: 12 }, (_, n) => ({ wa_id: `4915${10_000_000 + n}` }));
      let release = () => {};
      graph.state.hold = new Promise(resolve => {
        release = resolve;
      });
      for (const part of [people.slice(0, 6), people.slice(6)]) {
        const running = await run();
        const answers = await Promise.all(part.map(one => write(one, `wamid.${one.wa_id}`)));
        expect(answers.every(({ status }) => status === 200)).toBe(true);
        const exited = once(running, 'exit');
        running.kill('SIGKILL');
        await exited;
      }
      release();
      const last = await run();
      await until(
        async () => people.every(({ wa_id }) => graph.sent.some(({ to }) => to === wa_id)),
        'every person to have a link',
        30_000,
      );
      const exited = once(last, 'exit');
      last.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      store = new Store(join(folder, 'bot.db'));
      const cases = store.many<{ verification_id: string }>('select verification_id from cases');
      expect(new Set(cases.map(one => one.verification_id)).size).toBe(people.length);
      store.close();
      await start();
    });
  });
});
