import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { plain } from '../../support/pictures.ts';

describe('notification e-mail', () => {
  let service: TestService;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let busy = 0;
  beforeAll(async () => {
    mailbox = await openMailbox(to => {
      if (to === 'nobody@example.com') return 550;
      if (to !== 'later@example.com') return null;
      busy += 1;
      return busy === 1 ? 451 : null;
    });
    service = await startTestService({
      env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Firsthand <hello@firsthand.example>' },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await mailbox?.close();
  });

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
