import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { VerificationList } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';

describe('what comes in by text', () => {
  let service: TestService;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeAll(async () => {
    mailbox = await openMailbox(() => null);
    service = await startTestService({
      env: {
        TRUSTED_PROXIES: '127.0.0.1,::1,10.0.0.0/8',
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'Firsthand <noreply@firsthand.test>',
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await mailbox?.close();
  });

  const secret = () => service.tenant.rk_secret;

  const BROKEN_URLS = [
    'https://example.com:undefined/hooks',
    'https://example.com:99999/h',
    'https://256.1.1.1/h',
    'https://exa%20mple.com/h',
    'http://:80/h',
    'https://@/h',
    'https:\\\\example.com',
  ];
  const TAKERS: [name: string, send: (url: string) => ReturnType<typeof ask<Failure>>, path: string][] = [
    [
      'POST /v1/verifications',
      url => ask(service, '/v1/verifications', { key: secret(), body: { webhook_url: url } }),
      'webhook_url',
    ],
    [
      'POST /v1/link-templates',
      url => ask(service, '/v1/link-templates', { key: secret(), body: { name: 'A', request: { webhook_url: url } } }),
      'request.webhook_url',
    ],
    [
      'POST /v1/batches',
      url => ask(service, '/v1/batches', { key: secret(), body: { request: { webhook_url: url }, rows: [{}] } }),
      'request.webhook_url',
    ],
    ['POST /v1/webhooks/test', url => ask(service, '/v1/webhooks/test', { key: secret(), body: { url } }), 'url'],
    [
      'PUT /v1/chat-webhook',
      url => ask(service, '/v1/chat-webhook', { key: secret(), method: 'PUT', body: { url } }),
      'url',
    ],
  ];
  it.each(TAKERS)(
    '%s refuses a URL that nothing could be sent to, and takes a name in any script',
    async (_, send, path) => {
      for (const url of BROKEN_URLS) {
        const { status, body } = await send(url);
        expect([url, status, pathsOf({ body })]).toEqual([url, 400, [path]]);
      }
      expect((await send('https://bücher.example/häkchen')).status).toBeLessThan(300);
    },
  );

  it('POST /v1/verifications takes an international e-mail address, and the mail arrives there', async () => {
    const address = 'jörg@bücher.example';
    const { id } = await createVerification(service, { notify_email: address });
    await ask(service, `/v1/verifications/${id}/cancel`, { key: secret(), body: {} });
    const mail = await until(async () => mailbox.mails.find(({ to }) => /^jörg@/.test(to[0]!)), 'the mail');
    expect(mail.to[0]).toMatch(/^jörg@(bücher|xn--bcher-kva)\.example$/);
    const { status, body } = await ask<Failure>(service, '/v1/verifications', {
      key: secret(),
      body: { notify_email: 'jörg@bücher' },
    });
    expect([status, pathsOf({ body })]).toEqual([400, ['notify_email']]);
  });

  it('POST /v1/verifications says in words, and no pattern, what a text must be', async () => {
    const { body } = await ask<Failure>(service, '/v1/verifications', {
      key: secret(),
      body: {
        expected_info: { subject: { person: { phone_e164: '0151 2345' } } },
        brand_slug: 'A b',
        steps: [{ key: 'Ä', min: 1, max: 1 }],
      },
    });
    expect(body.error.fields).toHaveLength(3);
    for (const { message } of body.error.fields!) expect(message).toMatch(/^must be .* such as [+\w-]+$/);
  });

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, path = '/v1/verifications') =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret()}`, 'content-type': 'application/json', ...headers },
      body,
    });
  const JSON_BODY = Buffer.from('{"metadata":{"city":"Zürich"}}');

  it.each([
    ['gzip', gzipSync(JSON_BODY)],
    ['X-GZip', gzipSync(JSON_BODY)],
    ['deflate', deflateSync(JSON_BODY)],
    ['br', brotliCompressSync(JSON_BODY)],
    ['zstd', zstdCompressSync(JSON_BODY)],
    ['identity', JSON_BODY],
  ])('POST /v1/verifications reads a body in Content-Encoding %s', async (encoding, bytes) => {
    const answer = await post(new Uint8Array(bytes), { 'content-encoding': encoding });
    expect(answer.status).toBe(201);
    expect(((await answer.json()) as { config: { metadata: object } }).config.metadata).toEqual({ city: 'Zürich' });
  });

  it.each([
    [
      'an unknown coding',
      'compress',
      JSON_BODY,
      'Content-Encoding',
      'must be gzip, deflate, br or zstd, or be left out',
    ],
    ['two codings', 'gzip, br', JSON_BODY, 'Content-Encoding', 'must be gzip, deflate, br or zstd, or be left out'],
    ['bytes that are no gzip', 'gzip', JSON_BODY, 'body', 'is not what its Content-Encoding says'],
    ['half of a gzip', 'gzip', gzipSync(JSON_BODY).subarray(0, 20), 'body', 'is not what its Content-Encoding says'],
    ['a bomb of 200 MB', 'gzip', gzipSync(Buffer.alloc(200_000_000)), 'body', 'is too large'],
    ['a brotli bomb', 'br', brotliCompressSync(Buffer.alloc(50_000_000, 0x20)), 'body', 'is too large'],
  ])('POST /v1/verifications refuses %s', async (_name, encoding, bytes, path, message) => {
    const answer = await post(new Uint8Array(bytes), { 'content-encoding': encoding });
    expect([answer.status, ((await answer.json()) as Failure).error.fields]).toMatchObject([400, [{ path, message }]]);
  });

  it('POST /v1/batches reads a gzipped CSV, and JSON after a byte order mark', async () => {
    const csv = await post(
      new Uint8Array(gzipSync('name\nJörg\n')),
      { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
      '/v1/batches?dry_run=true',
    );
    expect(await csv.json()).toMatchObject({ total: 1, faults: [] });
    const marked = await post('\uFEFF{"rows":[{"name":"Jörg"}]}', {}, '/v1/batches?dry_run=true');
    expect(await marked.json()).toMatchObject({ total: 1, faults: [] });
  });

  it('POST /v1/verifications reads JSON after a byte order mark', async () => {
    const answer = await post('\uFEFF{"metadata":{"city":"Zürich"}}', {});
    expect(answer.status).toBe(201);
  });

  it('GET /v1/verifications takes the raw + of an offset, which a query string makes a space', async () => {
    await createVerification(service);
    const list = (query: string) =>
      ask<VerificationList & Failure>(service, `/v1/verifications?${query}`, { key: secret() });
    const raw = await list('created_after=2026-01-01T00:00:00+02:00&limit=1');
    expect([raw.status, raw.body.data.length]).toEqual([200, 1]);
    expect((await list('created_after=2026-01-01T00:00:00%2B02:00&limit=1')).status).toBe(200);
    expect(pathsOf(await list('created_after=2026-01-01T00:00:00 nonsense'))).toEqual(['created_after']);
  });

  it('every CSV that people download begins with a byte order mark', async () => {
    const { id } = await createVerification(service, {}, secret());
    const act = await ask<{ id: string }>(service, '/v1/bulk-acts', {
      key: secret(),
      body: { act: 'cancel', ids: [id] },
    });
    const batch = await ask<{ id: string }>(service, '/v1/batches', {
      key: secret(),
      body: { rows: [{ name: 'Ada' }] },
    });
    const paths = ['verifications/export', `bulk-acts/${act.body.id}/results`, `batches/${batch.body.id}/results`];
    for (const path of paths) {
      const answer = await fetch(`${service.url}/v1/${path}`, { headers: { authorization: `Bearer ${secret()}` } });
      expect([path, ...(await answer.bytes()).subarray(0, 3)]).toEqual([path, 0xef, 0xbb, 0xbf]);
    }
  });

  describe('spellings of one name', () => {
    const PAIRS = [
      ['Jörg', 'Jo\u0308rg'],
      ['Nguyễn Thệ', 'Nguyê\u0303n Thê\u0323'],
      ['한글', '한글'.normalize('NFD')],
      ['Ångström', 'A\u030angstro\u0308m'],
    ] as const;
    const list = async (query: Record<string, string>) =>
      (await ask<VerificationList>(service, `/v1/verifications?${new URLSearchParams(query)}`, { key: secret() })).body;

    it.each(PAIRS)(
      'GET /v1/verifications finds %s and %s by either, in name, reference and metadata',
      async (one, other) => {
        const made: string[] = [];
        for (const text of [one, other]) {
          const { id, config } = await createVerification(
            service,
            {
              metadata: { [`key ${one}`]: text },
              expected_info: { subject: { person: { name: `${text} Meier`, external_ref: `ref ${text}` } } },
            },
            secret(),
          );
          // What came in is given back as it was.
          expect(config.metadata).toEqual({ [`key ${one}`]: text });
          made.unshift(id);
        }
        for (const text of [one, other, one.toUpperCase()]) {
          const { data, total_estimate } = await list({ q: `${text} meier` });
          expect([data.map(({ id }) => id), total_estimate]).toEqual([made, 2]);
        }
        for (const text of [one, other]) {
          expect((await list({ external_ref: `ref ${text}` })).data.map(({ id }) => id)).toEqual(made);
          for (const key of [one, one.normalize('NFD')]) {
            const found = await list({ [`metadata[key ${key}]`]: text });
            expect([found.data.map(({ id }) => id), found.total_estimate]).toEqual([made, 2]);
          }
        }
      },
    );

    it('GET /v1/verifications finds compatibility forms, and a wide percent sign is no wildcard', async () => {
      const { id } = await createVerification(service, { metadata: { note: 'ﬁne ＡＢＣ①％x' } }, secret());
      for (const q of ['fine abc1', 'ＦＩＮＥ', '%x', '％X'])
        expect((await list({ q })).data.map(one => one.id)).toEqual([id]);
      expect((await list({ q: 'f％e' })).data).toEqual([]);
    });
  });

  describe('addresses behind a proxy', () => {
    const mails = async (forwarded: Record<string, string>[]) => {
      const statuses: number[] = [];
      for (const headers of forwarded) {
        const answer = await fetch(`${service.url}/v1/auth/magic-link`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: service.url, ...headers },
          body: '{"email":"nobody@example.com"}',
        });
        statuses.push(answer.status);
      }
      return statuses;
    };
    const ELEVEN = Array.from({ length: 11 }, (_, n) => n + 1);
    const limited = [...Array(10).fill(202), 429];

    it.each<[string, (n: number) => Record<string, string>]>([
      ['203.0.113.1:PORT', (n: number) => ({ 'x-forwarded-for': `203.0.113.1:${40_000 + n}` })],
      ['ports of inner proxies too', (n: number) => ({ 'x-forwarded-for': `203.0.113.2:${n}, 10.0.0.1:${n}` })],
      ['[IPv6]:PORT', (n: number) => ({ 'x-forwarded-for': `[2001:db8:1::7]:${n}` })],
      ['addresses of one /64', (n: number) => ({ 'x-forwarded-for': `2001:db8:2::${n}` })],
      ['mapped IPv4', (n: number) => ({ 'x-forwarded-for': n % 2 ? '::ffff:203.0.113.3' : '203.0.113.3' })],
      ['Forwarded', (n: number) => ({ forwarded: `for=unknown, for="[2001:db8:3::7]:${n}";proto=https` })],
      ['nonsense from the proxy', (n: number) => ({ 'x-forwarded-for': `nonsense-${n}, 10.0.0.2` })],
      ['what the client made up before', (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}, 203.0.113.4:${n}` })],
    ])('POST /v1/auth/magic-link counts as one sender: %s', async (_name, headersOf) => {
      expect(await mails(ELEVEN.map(headersOf))).toEqual(limited);
    });

    it('GET /v1/audit-log shows the address without its port', async () => {
      const from = { 'x-forwarded-for': '203.0.113.77:4711' };
      const { status } = await ask(service, '/v1/settings', {
        key: secret(),
        method: 'PATCH',
        body: { retention_days: 30 },
        headers: from,
      });
      expect(status).toBe(200);
      const log = await ask<{ data: { address?: string }[] }>(service, '/v1/audit-log?limit=5', { key: secret() });
      expect(log.body.data.map(({ address }) => address)).toContain('203.0.113.77');
    });
  });

  it.each([
    ['/', 302, '/dashboard'],
    ['/v/x/', 308, '/v/x'],
    ['/c/x/', 308, '/c/x'],
    ['/t/x/', 308, '/t/x'],
  ])('GET %s leads on', async (path, status, to) => {
    const answer = await fetch(`${service.url}${path}`, { redirect: 'manual' });
    expect(answer.status).toBe(status);
    expect(new URL(answer.headers.get('location')!, `${service.url}${path}`).pathname).toBe(to);
  });
});
