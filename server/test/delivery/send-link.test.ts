import type { Settings } from '@firsthand/contract/account/management.ts';
import { LANGUAGE_NAMES } from '@firsthand/contract/base/languages.ts';
import type { SentLink } from '@firsthand/contract/verification/send-link.ts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isGsm, textOf } from '../../src/delivery/notifications/link-words.ts';
import { openBot } from '../identity/people/bot.ts';
import { type Failure, pathsOf } from '../support/failure.ts';
import { ask, createVerification, startTestService, submit, until, untilStatus } from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { plain } from '../support/pictures.ts';
import { serviceOfSuite } from '../support/suite.ts';

const SECRET = 'bot-secret-that-signs-0001';
const HOUR_S = 3_600;

describe('POST /v1/verifications/:id/send', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let bot: Awaited<ReturnType<typeof openBot>>;
  let busy = 0;
  afterAll(async () => {
    await mailbox?.close();
    await bot?.close();
  });
  const service = serviceOfSuite(async () => {
    mailbox = await openMailbox(to => {
      if (!to.startsWith('busy')) return null;
      busy += 1;
      return busy === 1 ? 451 : null;
    });
    bot = await openBot(SECRET);
    const env = {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Firsthand <no-reply@photos.example>',
      BOT_URL: bot.url,
      BOT_SECRETS: SECRET,
    };
    return { env, expects: [/send_link/] };
  });
  beforeEach(() => {
    mailbox.mails.length = 0;
    bot.links.length = 0;
  });

  const send = <T = SentLink>(id: string, body: object, key = service.tenant.rk_secret) =>
    ask<T>(service, `/v1/verifications/${id}/send`, { key, body });
  const mailTo = (to: string) => until(async () => mailbox.mails.find(mail => mail.to.includes(to)), `a mail to ${to}`);
  const waiting = async () =>
    (await service.deps.db.query('select kind, address from link_messages order by id')).rows as {
      kind: string;
      address: string;
    }[];
  const noneWaits = () => until(async () => (await waiting()).length === 0, 'no message to wait');
  /** Lets the reminder's time come. */
  const remindNow = () =>
    service.deps.db.query(
      `select graphile_worker.reschedule_jobs(array(
         select id from graphile_worker.jobs where task_identifier = 'send_link'), now())`,
    );
  const cancel = (id: string) =>
    ask(service, `/v1/verifications/${id}/cancel`, { key: service.tenant.rk_secret, method: 'POST' });
  const person = (more: object) => ({ expected_info: { subject: { person: { name: 'Ann Example', ...more } } } });

  it('mails the link on its own line, in the language asked for, to the person of the request', async () => {
    const made = await createVerification(service, person({ email: 'ann@people.example' }));
    const reply = await send(made.id, { by: 'email', locale: 'de-AT' });
    expect([reply.status, reply.body]).toEqual([202, { by: 'email', locale: 'de' }]);
    const mail = await mailTo('ann@people.example');
    const text = mail.parts['text/plain']!;
    const html = mail.parts['text/html']!;
    expect(text.split('\r\n')).toContain(made.capture_url);
    expect(text.match(/https?:\/\/\S+/g)).toEqual([made.capture_url]);
    expect(html.match(/https?:\/\/[^"<\s]+/g)).toEqual([made.capture_url]);
    expect(text).toMatch(/Gültig bis: +\d+\. \S+ \d{4} um \d\d:\d\d UTC/);
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(mail.headers['message-id']).toMatch(/^<msg_[0-9A-Z]{26}@photos\.example>$/);
    expect(mail.raw).not.toContain('Ann Example');
    await noneWaits();
  });

  it('sends one text message of at most 160 letters, the link on its own line', async () => {
    const made = await createVerification(service, person({ phone_e164: '+4915112345678' }));
    expect((await send(made.id, { by: 'phone', locale: 'en' })).status).toBe(202);
    const [sent] = await until(async () => bot.links.length > 0 && bot.links, 'a text message');
    expect(sent).toMatchObject({ phone_e164: '+4915112345678', link: made.capture_url, locale: 'en', reminder: false });
    expect(sent!.text.split('\n')).toEqual([
      expect.stringMatching(/^TEST: .* asks you for photos:$/),
      made.capture_url,
    ]);
    expect(bot.refused).toEqual([]);
    await noneWaits();
  });

  it('cleans the name of the account in headers and escapes it in the body', async () => {
    const evil = await service.newTenant('Acme\r\nBcc: spy@evil.example\r\nFrom: ceo@bank.example\u202e <b>&"');
    const { id } = await createVerification(service, {}, evil.pk_test);
    expect((await send(id, { by: 'email', to: 'victim@people.example' }, evil.rk_secret)).status).toBe(202);
    const mail = await mailTo('victim@people.example');
    expect(mail.to).toEqual(['victim@people.example']);
    expect([mail.from, mail.headers.from]).toEqual(['no-reply@photos.example', 'Firsthand <no-reply@photos.example>']);
    expect(mail.headers.bcc).toBeUndefined();
    expect(mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n')).match(/^(?:From|To|Subject|Bcc):/gim)).toHaveLength(3);
    expect(mail.parts['text/html']).not.toMatch(/<b>|\u202e/);
    expect(mail.parts['text/plain']).toContain('Acme Bcc: spy@evil.example From: ceo@bank.example <b>&"');
  });

  it('refuses without an address, with one of the other kind, and an unusable language', async () => {
    const made = await createVerification(service, person({ email: 'ann@people.example' }));
    const refused = async (body: object) => {
      const reply = await send<Failure>(made.id, body);
      return [reply.status, reply.body.error.code, pathsOf(reply)];
    };
    expect(await refused({ by: 'phone' })).toEqual([400, 'invalid_request', ['to']]);
    expect(await refused({ by: 'phone', to: 'ann@people.example' })).toEqual([400, 'invalid_request', ['to']]);
    expect(await refused({ by: 'email', to: 'a@b.example, c@d.example' })).toEqual([400, 'invalid_request', ['to']]);
    expect(await refused({ by: 'email', to: 'a@b.example\r\nBcc: c@d.example' })).toEqual([
      400,
      'invalid_request',
      ['to'],
    ]);
    expect(await refused({ by: 'email', locale: 'de\n' })).toEqual([400, 'invalid_request', ['locale']]);
    expect(await refused({ by: 'pigeon' })).toEqual([400, 'invalid_request', ['by']]);
    expect(mailbox.mails).toEqual([]);
  });

  it('refuses a verification that has ended with 409, an erased one with 410, and what a publishable key asks for with 403', async () => {
    const made = await createVerification(service);
    const to = { by: 'email', to: 'ann@people.example' };
    expect((await send(made.id, to, service.tenant.pk_test)).status).toBe(403);
    await cancel(made.id);
    const closed = await send<Failure>(made.id, to);
    expect([closed.status, closed.body.error.code]).toEqual([409, 'verification_closed']);
    await ask(service, `/v1/verifications/${made.id}/redact`, { key: service.tenant.rk_secret, body: {} });
    expect((await send(made.id, to)).status).toBe(410);
    expect(await waiting()).toEqual([]);
  });

  it('takes 5 messages to one address in an hour, over all verifications', async () => {
    const ids = await Promise.all([1, 2].map(async () => (await createVerification(service)).id));
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      const reply = await send(ids[n % 2]!, {
        by: 'email',
        to: n % 2 ? 'often@people.example' : 'OFTEN@people.example',
      });
      statuses.push(reply.status);
      if (reply.status === 429) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(60);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    await noneWaits();
  });

  it('takes 10 messages of one verification in a day', async () => {
    const { id } = await createVerification(service);
    const statuses = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await send(id, { by: 'email', to: `p${n}@people.example` })).status);
    expect(statuses.filter(status => status === 202)).toHaveLength(10);
    expect(statuses.at(-1)).toBe(429);
    await noneWaits();
  });

  it('writes who sent in the audit log, and the address nowhere that stays', async () => {
    const { id } = await createVerification(service);
    await send(id, { by: 'email', to: 'kept-nowhere@people.example' });
    await mailTo('kept-nowhere@people.example');
    await noneWaits();
    const { rows } = await service.deps.db.query('select action, detail from audit_log where target = $1', [id]);
    expect(rows).toEqual([{ action: 'verification.link_sent', detail: { by: 'email', locale: 'en', remind: false } }]);
  });

  it('with an Idempotency-Key sends once', async () => {
    const { id } = await createVerification(service);
    const again = () =>
      ask<SentLink>(service, `/v1/verifications/${id}/send`, {
        key: service.tenant.rk_secret,
        headers: { 'idempotency-key': 'send-1' },
        body: { by: 'email', to: 'once@people.example' },
      });
    expect([(await again()).status, (await again()).status]).toEqual([202, 202]);
    await mailTo('once@people.example');
    await noneWaits();
    expect(mailbox.mails).toHaveLength(1);
  });

  describe('with remind', () => {
    const asked = async (o: { to: string; seconds?: number }) => {
      const made = await createVerification(service, { expires_in_seconds: o.seconds ?? 24 * HOUR_S });
      const reply = await send(made.id, { by: 'email', to: o.to, remind: true });
      expect(reply.status).toBe(202);
      await mailTo(o.to);
      await until(async () => (await waiting()).length === 1, 'only the reminder to wait');
      mailbox.mails.length = 0;
      return { made, remindAt: Date.parse(reply.body.remind_at!) };
    };

    it('reminds once, two hours before the end, and halfway of a short link', async () => {
      const { made, remindAt } = await asked({ to: 'remind@people.example' });
      expect(Date.parse(made.expires_at) - remindAt).toBe(2 * HOUR_S * 1_000);
      await remindNow();
      const mail = await mailTo('remind@people.example');
      expect(mail.headers.subject).toMatch(/^\[Test\] Reminder: /);
      await noneWaits();
      await remindNow();
      expect(mailbox.mails).toHaveLength(1);
      const short = await asked({ to: 'short@people.example', seconds: HOUR_S });
      expect(Math.abs(Date.parse(short.made.expires_at) - short.remindAt - 1_800_000)).toBeLessThan(30_000);
      await cancel(short.made.id);
      await remindNow();
      await noneWaits();
    });

    it('is replaced by the next send, so that a corrected address gets the reminder', async () => {
      const { made } = await asked({ to: 'wrong@people.example' });
      await send(made.id, { by: 'email', to: 'right@people.example', remind: true });
      await mailTo('right@people.example');
      await until(async () => (await waiting()).length === 1, 'only the reminder to wait');
      expect(await waiting()).toEqual([{ kind: 'reminder', address: 'right@people.example' }]);
      mailbox.mails.length = 0;
      await remindNow();
      await mailTo('right@people.example');
      await noneWaits();
      expect(mailbox.mails).toHaveLength(1);
    });

    it('sends nothing after the submission, the cancellation or the erasure', async () => {
      const sent = await asked({ to: 'sent@people.example' });
      await submit(service, sent.made.id, await plain({ width: 400, height: 300 }));
      await remindNow();
      await noneWaits();
      const cancelled = await asked({ to: 'cancelled@people.example' });
      await cancel(cancelled.made.id);
      await remindNow();
      await noneWaits();
      const erased = await asked({ to: 'erased@people.example' });
      await ask(service, `/v1/verifications/${erased.made.id}/redact`, { key: service.tenant.rk_secret, body: {} });
      expect(await waiting()).toEqual([]);
      await remindNow();
      await untilStatus(service, sent.made.id, ['completed']);
      expect(mailbox.mails).toEqual([]);
    });

    it('tries again when the mail server is busy, and does not send twice', async () => {
      const { made } = await asked({ to: 'soon@people.example' });
      await service.deps.db.query(
        `update link_messages set address = 'busy@people.example' where verification_id = $1`,
        [made.id],
      );
      await remindNow();
      await until(async () => busy === 1 && (await waiting()).length === 1, 'the reminder to be put back');
      await remindNow();
      await mailTo('busy@people.example');
      await noneWaits();
      expect([busy, mailbox.mails.length]).toEqual([2, 1]);
    });
  });

  it('is offered in the settings only where the service can send, and answers 409 elsewhere', async () => {
    const channels = async (of: { url: string; tenant: { rk_secret: string } }) =>
      (await ask<Settings>(of, '/v1/settings', { key: of.tenant.rk_secret })).body.link_channels;
    expect(await channels(service)).toEqual(['email', 'phone']);
    const bare = await startTestService({ worker: false });
    try {
      expect(await channels(bare)).toEqual([]);
      const { id } = await createVerification(bare);
      const reply = await ask<Failure>(bare, `/v1/verifications/${id}/send`, {
        key: bare.tenant.rk_secret,
        body: { by: 'email', to: 'ann@people.example' },
      });
      expect([reply.status, reply.body.error.code]).toEqual([409, 'not_configured']);
      expect(reply.body.error.message).toContain('SMTP_URL');
    } finally {
      await bare.stop();
    }
  });

  it('leaves a batch’s mail as the same letter in English', async () => {
    const { body: batch } = await ask<{ id: string }>(service, '/v1/batches?send=true', {
      key: service.tenant.rk_secret,
      body: { rows: [{ email: 'batch@people.example' }] },
    });
    const mail = await mailTo('batch@people.example');
    expect(mail.headers.subject).toContain('asks you for photos');
    await until(
      async () =>
        (await ask<{ state: string }>(service, `/v1/batches/${batch.id}`, { key: service.tenant.rk_secret })).body
          .state === 'completed',
      'the batch to end',
    );
  });
});

describe('textOf', () => {
  const asked = (o: Partial<Parameters<typeof textOf>[0]> = {}) => ({
    name: 'Umbrella Insurance',
    reminds: false,
    livemode: true,
    expiresAt: new Date(),
    url: `https://photos.insurer.example/v/vfy_${'0'.repeat(26)}`,
    ...o,
  });

  it('fits one message of 160 letters in eight languages, the reminder too, however long the name is', () => {
    for (const language of LANGUAGE_NAMES.filter(name => name !== 'hi' && name !== 'ar')) {
      for (const reminds of [false, true]) {
        const text = textOf(asked({ reminds, livemode: false, name: 'Łódzka “Käse” & Söhne – '.repeat(9) }), language);
        expect([language, isGsm(text), text.length <= 160]).toEqual([language, true, true]);
        expect(text.split('\n')).toHaveLength(2);
      }
    }
  });

  it('keeps the letters of a name that has no plain form', () => {
    expect(textOf(asked({ name: 'Ёлка' }), 'en')).toContain('Ёлка asks');
    expect(textOf(asked({ name: '  Nasty\n\u202eName ' }), 'en')).toMatch(/^Nasty Name asks you for photos:\nhttps/);
  });
});
