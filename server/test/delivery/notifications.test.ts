import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatWebhook, ChatWebhookTest } from '@firsthand/contract/account/chat-webhook.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { plain } from '../support/pictures.ts';

/** Speaks Slack's incoming webhooks: one JSON message by POST, answered `ok`, or a status with a word for what is wrong. */
async function openChat() {
  const texts: string[] = [];
  let busy = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const say = (status: number, word: string) => void response.writeHead(status).end(word);
    if (request.method !== 'POST' || request.url !== '/services/T0/B0/secret') return say(404, 'no_team');
    if (busy > 0) {
      busy -= 1;
      return say(503, 'service_unavailable');
    }
    const message = JSON.parse(Buffer.concat(chunks).toString()) as { text?: string };
    if (request.headers['content-type'] !== 'application/json' || !message.text) return say(400, 'invalid_payload');
    texts.push(message.text);
    return say(200, 'ok');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    texts,
    url: `${origin}/services/T0/B0/secret`,
    beBusy: (times: number) => {
      busy = times;
    },
    close: () => new Promise(resolve => server.close(resolve)),
  };
}

let service: TestService;
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
let chat: Awaited<ReturnType<typeof openChat>>;
let busy = 0;
beforeAll(async () => {
  mailbox = await openMailbox(to => {
    if (to === 'nobody@example.com') return 550;
    if (to !== 'later@example.com') return null;
    busy += 1;
    return busy === 1 ? 451 : null;
  });
  chat = await openChat();
  service = await startTestService({
    env: {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Firsthand <hello@firsthand.example>',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await mailbox?.close();
  await chat?.close();
});

describe('notification e-mail', () => {
  const mailTo = (address: string) =>
    until(async () => mailbox.mails.find(({ to }) => to.includes(address)), `an e-mail to ${address}`, 45_000);

  it.each([
    ['completed', { metadata: { test_outcome: 'screen_detected' } }, 'failed', 'a photo of a screen'],
    ['expired', { metadata: { test_outcome: 'expired' } }, 'expired', 'The link expired before'],
    ['failed', { metadata: { test_outcome: 'failed' } }, 'failed', 'could not be analysed'],
  ])(
    'tells of a verification that is %s, in plain text and HTML, with one link and no picture',
    async (status, body, word, sentence) => {
      const address = `${status}@example.com`;
      const reference = `A&B <b>claim</b> ${status}`;
      const { id } = await createVerification(service, {
        ...body,
        notify_email: address,
        expected_info: { subject: { person: { name: 'Ann Example', external_ref: reference } } },
      });
      if (status !== 'expired') await submit(service, id, await plain({ width: 400, height: 300 }));
      await untilStatus(service, id, [status]);
      const mail = await mailTo(address);
      expect(mail.from).toBe('hello@firsthand.example');
      expect(mail.headers['auto-submitted']).toBe('auto-generated');
      expect(mail.headers['message-id']).toMatch(/^<evt_[0-9A-Z]{26}@firsthand\.example>$/);
      expect(mail.headers.subject).toContain(word);
      expect(mail.headers.subject).toMatch(/^\[Test\] /);
      expect(Object.keys(mail.parts).toSorted()).toEqual(['text/html', 'text/plain']);
      const text = mail.parts['text/plain']!;
      const html = mail.parts['text/html']!;
      const link = `${service.url}/c/${id}`;
      expect(text.match(/https?:\/\/\S+/g)).toEqual([link]);
      expect(html.match(/https?:\/\/[^"<\s]+/g)).toEqual([link]);
      for (const part of [text, html]) {
        expect(part).toContain(sentence);
        expect(part).not.toContain('Ann Example');
      }
      expect(text).toContain(reference);
      expect(html).not.toContain('<b>claim');
      expect(html).not.toMatch(/<img|<script|<link|src=|url\(|data:/i);
      expect(text.split('\n').every(line => line.length <= 120)).toBe(true);
    },
  );

  it('goes to the account’s address unless the request gives another or none', async () => {
    const key = service.tenant.rk_secret;
    await ask(service, '/v1/settings', { key, method: 'PATCH', body: { notify_email: 'account@example.com' } });
    const cancel = async (body: object) => {
      const { id } = await createVerification(service, body);
      await ask(service, `/v1/verifications/${id}/cancel`, { key, method: 'POST' });
      return id;
    };
    const silent = await cancel({ notify_email: null });
    const named = await cancel({ notify_email: 'named@example.com' });
    const usual = await cancel({});
    expect((await mailTo('named@example.com')).raw).toContain(named);
    expect((await mailTo('account@example.com')).raw).toContain(usual);
    expect(mailbox.mails.filter(({ raw }) => raw.includes(silent))).toEqual([]);
    await ask(service, '/v1/settings', { key, method: 'PATCH', body: { notify_email: null } });
  });

  it('is retried when the mail server is busy, and given up when it refuses', async () => {
    const cancel = async (address: string) => {
      const { id } = await createVerification(service, { notify_email: address });
      await ask(service, `/v1/verifications/${id}/cancel`, { key: service.tenant.rk_secret, method: 'POST' });
    };
    await cancel('nobody@example.com');
    await cancel('later@example.com');
    await mailTo('later@example.com');
    expect(busy).toBe(2);
    await until(async () => {
      const { rows } = await service.deps.db.query(
        "select 1 from graphile_worker.jobs where task_identifier = 'mail_outcome'",
      );
      return rows.length === 0;
    }, 'no job to be left');
    expect(service.logged.some(line => line.includes('an e-mail was refused for good'))).toBe(true);
  });
});

describe('chat webhook', () => {
  const manage = <T>(method: string, path = '', body?: object) =>
    ask<T>(service, `/v1/chat-webhook${path}`, { method, key: service.tenant.rk_secret, ...(body ? { body } : {}) });
  const finish = async (outcome: string | null, reference: string) => {
    const { id } = await createVerification(service, {
      ...(outcome === null ? {} : { metadata: { test_outcome: outcome } }),
      expected_info: { subject: { person: { external_ref: reference } } },
    });
    await submit(service, id, await plain({ width: 800, height: 600 }));
    await untilStatus(service, id, ['completed', 'failed']);
    return id;
  };

  it('PUT /v1/chat-webhook keeps the address and shows only its host', async () => {
    expect((await manage<ChatWebhook>('GET')).body).toEqual({ configured: false });
    expect((await manage('POST', '/test')).status).toBe(404);
    expect((await manage('PUT', '', { url: 'mailto:a@b.example' })).status).toBe(400);
    const put = await manage<ChatWebhook>('PUT', '', { url: chat.url });
    expect(put.body).toMatchObject({ configured: true, host: new URL(chat.url).host });
    const log = await ask(service, '/v1/audit-log', { key: service.tenant.rk_secret });
    for (const { text } of [put, await manage('GET'), log]) expect(text).not.toContain('/services/');
    const stored = await service.deps.db.query<{ sealed: string }>('select sealed from chat_webhooks');
    expect(stored.rows[0]!.sealed).not.toContain('secret');
  });

  it('POST /v1/chat-webhook/test posts once and answers what the chat said', async () => {
    const sent = await manage<ChatWebhookTest>('POST', '/test');
    expect(sent.body).toEqual({ delivered: true, status_code: 200, answer: 'ok' });
    expect(chat.texts.splice(0)).toEqual([expect.stringContaining('/dashboard/settings')]);
  });

  it('a failed verdict reaches the chat, escaped, with a link, after the chat was away; a verified one does not', async () => {
    await finish(null, 'verified-1');
    chat.beBusy(1);
    const id = await finish('screen_detected', 'A&B <!channel>');
    const text = await until(async () => chat.texts[0], 'a message in the chat', 45_000);
    expect(text).toMatch(/^\[Test\] \*A&amp;B &lt;!channel&gt;\* failed: /);
    expect(text).toContain(`<${service.url}/dashboard/verifications/${id}?mode=test|`);
    const broken = await finish('failed', 'broken-1');
    await until(async () => chat.texts.find(one => one.includes(broken)), 'the second message', 45_000);
    expect(chat.texts).toHaveLength(2);
  });

  it('POST /v1/chat-webhook/test reaches no address that webhooks may not reach', async () => {
    await manage('PUT', '', { url: 'http://169.254.169.254/latest/meta-data' });
    expect((await manage<ChatWebhookTest>('POST', '/test')).body).toEqual({ delivered: false });
    expect((await manage('DELETE')).status).toBe(204);
    expect((await manage<ChatWebhook>('GET')).body).toEqual({ configured: false });
  });
});
