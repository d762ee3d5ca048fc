import { rename, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { codeOf, refusalText } from '../../support/failure.ts';
import { ask, createVerification, startTestService, submit, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const REQUEST_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const UNKNOWN = `vfy_${'0'.repeat(26)}`;

describe('API errors', () => {
  const service = serviceOfSuite();

  it('are reported in the order 401, 403, 404, 400, 410, 409', async () => {
    const { pk_test, rk_secret } = service.tenant;
    const cancel = (id: string, key?: string, body?: unknown) =>
      ask(service, `/v1/verifications/${id}/cancel`, { method: 'POST', ...(key ? { key } : {}), body });
    expect(codeOf(await cancel(UNKNOWN, undefined, { bad: 1 }))).toEqual([401, 'unauthorized']);
    expect(codeOf(await cancel('vfy_bad', 'pk_test_nonsense'))).toEqual([401, 'unauthorized']);
    expect(codeOf(await cancel(UNKNOWN, pk_test, { bad: 1 }))).toEqual([403, 'forbidden']);
    expect(codeOf(await cancel(UNKNOWN, rk_secret, { bad: 1 }))).toEqual([404, 'not_found']);
    const expired = await createVerification(service);
    expect((await cancel(expired.id, rk_secret)).status).toBe(200);
    expect(codeOf(await cancel(expired.id, rk_secret, { bad: 1 }))).toEqual([400, 'invalid_request']);

    const finalize = (id: string, body: unknown, key?: string) =>
      ask(service, `/v1/verifications/${id}/finalize`, { body, ...(key ? { key } : {}) });
    expect(codeOf(await finalize(UNKNOWN, {}))).toEqual([401, 'unauthorized']);
    expect(codeOf(await finalize(UNKNOWN, {}, pk_test))).toEqual([404, 'not_found']);
    expect(codeOf(await finalize(expired.id, {}, pk_test))).toEqual([400, 'invalid_request']);
    expect(codeOf(await finalize(expired.id, { narrative: 'x' }, pk_test))).toEqual([410, 'expired']);

    const picture = await plain();
    expect(codeOf(await submit(service, UNKNOWN, Buffer.from('none')))).toEqual([404, 'not_found']);
    expect(codeOf(await submit(service, expired.id, Buffer.from('none')))).toEqual([400, 'invalid_request']);
    expect(codeOf(await submit(service, expired.id, picture, { step_key: 'nope' }))).toEqual([400, 'unknown_step']);
    expect(codeOf(await submit(service, expired.id, picture))).toEqual([410, 'expired']);
    const full = await createVerification(service, { steps: [{ key: 'a', min: 1, max: 1 }] });
    await submit(service, full.id, picture);
    expect(codeOf(await submit(service, full.id, Buffer.from('none')))).toEqual([400, 'invalid_request']);
    expect(codeOf(await submit(service, full.id, picture))).toEqual([409, 'step_full']);
    await ask(service, `/v1/verifications/${full.id}/cancel`, { key: rk_secret, method: 'POST' });
  });

  it('are 404 before the body is read, however long it is', async () => {
    const long = 'x'.repeat(19_000_000);
    const unknown = await ask(service, `/v1/verifications/${UNKNOWN}/captures`, { body: { image_base64: long } });
    expect(codeOf(unknown)).toEqual([404, 'not_found']);
    const nowhere = await ask(service, '/v1/nowhere', { body: { a: long } });
    expect([nowhere.status, nowhere.text]).toEqual([404, unknown.text]);
    const { id } = await createVerification(service);
    const known = await ask(service, `/v1/verifications/${id}/captures`, { body: { image_base64: long } });
    expect(codeOf(known)).toEqual([400, 'invalid_request']);
    expect(known.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('have the same body for every id that the caller cannot see', async () => {
    const { id } = await createVerification(service);
    const other = await service.newTenant();
    const secret = service.tenant.rk_secret;
    const texts = new Set<string>();
    for (const [key, path, method, body] of [
      [other.pk_test, `/v1/verifications/${id}`, 'GET', undefined],
      [service.tenant.pk_live, `/v1/verifications/${id}`, 'GET', undefined],
      [secret, `/v1/verifications/${UNKNOWN}`, 'GET', undefined],
      [secret, '/v1/verifications/nonsense', 'GET', undefined],
      [secret, `/v1/verifications/${id.toLowerCase()}`, 'GET', undefined],
      [other.rk_secret, `/v1/verifications/${id}/cancel`, 'POST', undefined],
      [other.pk_test, `/v1/verifications/${id}/finalize`, 'POST', { narrative: 'x' }],
      [undefined, `/v1/verifications/${UNKNOWN}/public`, 'GET', undefined],
      [undefined, `/v1/verify/${UNKNOWN}`, 'GET', undefined],
      [undefined, '/v1/verify/nonsense', 'GET', undefined],
      [undefined, `/v1/verifications/${UNKNOWN}/progress`, 'POST', {}],
      [undefined, `/v1/verifications/${UNKNOWN}/answers`, 'POST', {}],
      [undefined, `/v1/verifications/${UNKNOWN}/captures/upload-url`, 'POST', {}],
    ] as const) {
      const reply = await ask(service, path, { method, ...(key ? { key } : {}), body });
      expect([path, reply.status]).toEqual([path, 404]);
      texts.add(reply.text);
    }
    expect([...texts]).toEqual([refusalText(service, 'not_found', 'Nothing was found at this address.')]);
  });

  it('do not distinguish a misspelt key from an unknown or a revoked one', async () => {
    const texts = new Set<string>();
    const keys = [service.tenant.pk_test.slice(0, -1), 'pk_test_x', `pk_test_${'0'.repeat(26)}`];
    for (const key of keys) {
      const reply = await ask(service, '/v1/verifications', { key });
      expect([key, reply.status]).toEqual([key, 401]);
      texts.add(reply.text);
    }
    expect(texts.size).toBe(1);
  });

  it('are a page where a browser asks for an address that nothing has, and JSON for programs', async () => {
    for (const path of ['/nothing', '/v1/nothing', '/_capture/nothing.js', '/%E0%A4%A', '/log/nothing']) {
      const page = await ask(service, path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>Nothing is at this address</h1>');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(codeOf(await ask(service, path, { headers: { accept: '*/*' } }))).toEqual([404, 'not_found']);
    }
    const { pk_test } = service.tenant;
    const api = await ask(service, `/v1/verifications/${UNKNOWN}`, { key: pk_test, headers: { accept: 'text/html' } });
    expect(codeOf(api)).toEqual([404, 'not_found']);
  });

  it('carry a unique Request-Id, only in the header', async () => {
    const { id } = await createVerification(service);
    const key = { authorization: `Bearer ${service.tenant.pk_test}` };
    const seen = new Set<string>();
    const requests: [string, string, Record<string, string>?][] = [
      ['GET', '/v1/verifications', key],
      ['GET', '/v1/verifications'],
      ['HEAD', `/v1/verifications/${id}`, key],
      ['HEAD', '/v1/nowhere'],
      ['GET', '/v1/nowhere'],
      ['POST', '/v1/nowhere'],
      ['GET', '/%zz'],
      ['GET', `/v1/verify/${'x'.repeat(300)}`],
      ['OPTIONS', `/v1/verifications/${id}/captures`],
      ['OPTIONS', '/v1/verifications'],
      ['DELETE', '/v1/verifications'],
      ['PUT', '/blobs/nonsense'],
      ['GET', '/blobs/nonsense'],
      ['GET', `/v/${id}`],
      ['GET', '/docs'],
      ['GET', '/docs/api'],
      ['GET', '/healthz'],
      ['GET', '/v1/openapi.json'],
    ];
    for (const [method, path, headers = {}] of requests) {
      const reply = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' });
      const requestId = reply.headers.get('request-id');
      expect([method, path, requestId]).toEqual([method, path, expect.stringMatching(REQUEST_ID)]);
      expect([method, path, reply.headers.get('x-content-type-options')]).toEqual([method, path, 'nosniff']);
      seen.add(requestId!);
      expect(await reply.text()).not.toContain(requestId);
    }
    expect(seen.size).toBe(requests.length);
    expect(service.logged.some(line => line.includes([...seen][0]!))).toBe(true);
    const forced = await fetch(`${service.url}/healthz`, { headers: { 'request-id': 'mine' } });
    expect(forced.headers.get('request-id')).toMatch(REQUEST_ID);
  });

  it('have the envelope also for broken HTTP and unknown methods', async () => {
    const { port, hostname } = new URL(service.url);
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.end(text));
        let answer = '';
        socket.on('data', chunk => {
          answer += chunk;
        });
        socket.on('end', () => resolve(answer));
        socket.on('error', reject);
      });
    const garbage = await raw('not http at all\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1.1 400 /);
    expect(garbage).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
    expect(garbage).toMatch(/\r\nrequest-id: [0-9A-HJKMNP-TV-Z]{26}\r\n/);
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    expect(garbage).toContain(`\r\ncontent-security-policy: ${policy}\r\n`);
    expect((await fetch(`${service.url}/v1/verifications`)).headers.get('content-security-policy')).toBe(policy);
    expect(JSON.parse(garbage.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: 'invalid_request' } });
    const huge = await raw(`GET /healthz HTTP/1.1\r\nhost: x\r\nbig: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(huge).toMatch(/^HTTP\/1.1 400 .*"invalid_request"/s);
    const reply = await new Promise<number | undefined>((resolve, reject) =>
      httpRequest(`${service.url}/v1/verifications`, { method: 'PROPFIND' }, answer => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end(),
    );
    expect(reply).toBe(404);
  });

  it('follow the route’s rules for HEAD and OPTIONS', async () => {
    const { id } = await createVerification(service);
    const head = (path: string, headers = {}) => fetch(`${service.url}${path}`, { method: 'HEAD', headers });
    const key = { authorization: `Bearer ${service.tenant.pk_test}` };
    expect((await head(`/v1/verifications/${id}`)).status).toBe(401);
    expect((await head(`/v1/verifications/${id}`, key)).status).toBe(200);
    expect((await head(`/v1/verifications/${UNKNOWN}`, key)).status).toBe(404);
    expect((await head(`/v1/verify/${id}`)).status).toBe(200);
    for (const path of [
      `/v1/verify/${id}`,
      `/v1/verifications/${id}/public`,
      ...['captures', 'captures/upload-url', 'answers', 'progress'].map(route => `/v1/verifications/${id}/${route}`),
    ]) {
      const preflight = await fetch(`${service.url}${path}`, { method: 'OPTIONS' });
      expect([path, preflight.status]).toEqual([path, 204]);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['Content-Type', 'Idempotency-Key', 'Authorization']),
      );
    }
    const tenants = await fetch(`${service.url}/v1/verifications/${id}`, { method: 'OPTIONS' });
    expect([tenants.status, tenants.headers.get('access-control-allow-origin')]).toEqual([404, null]);
    const failed = await ask(service, `/v1/verify/${UNKNOWN}`);
    expect(failed.headers.get('access-control-allow-origin')).toBe('*');
    expect(failed.headers.get('access-control-expose-headers')).toContain('Request-Id');
  });

  it('have security headers, as pages and answers do', async () => {
    const { id } = await createVerification(service);
    for (const path of [`/v/${id}`, `/c/${id}`, '/docs', '/docs/api', `/v1/verify/${id}`, '/v1/nowhere', '/%zz']) {
      const { headers } = await fetch(`${service.url}${path}`);
      expect([path, headers.get('content-security-policy')]).toEqual([path, expect.stringContaining("default-src '")]);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer']);
      expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY']);
    }
    const page = await fetch(`${service.url}/v/${id}`);
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    const answer = await ask(service, `/v1/verify/${id}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('are storage_unavailable while the store is down; nothing is lost, and work resumes', async () => {
    const folder = join(service.deps.config.dataDir, 'blobs');
    const picture = await plain({ colour: '#124' });
    const { id } = await createVerification(service);
    const upload = await ask<{ image_key: string; upload_url: string; headers: Record<string, string> }>(
      service,
      `/v1/verifications/${id}/captures/upload-url`,
      { body: { contentType: 'image/jpeg' } },
    );
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'a file where the folder was');
    try {
      const inline = await submit(service, id, picture);
      expect(codeOf(inline)).toEqual([503, 'storage_unavailable']);
      expect(Number(inline.headers.get('retry-after'))).toBeGreaterThan(0);
      const reference = { image_key: upload.body.image_key, image_sha256: '0'.repeat(64) };
      const byKey = await ask(service, `/v1/verifications/${id}/captures`, { body: reference });
      expect(codeOf(byKey)).toEqual([503, 'storage_unavailable']);
      const put = await fetch(upload.body.upload_url, {
        method: 'PUT',
        headers: upload.body.headers,
        body: new Uint8Array(picture),
      });
      expect([put.status, put.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
      const read = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
      expect([read.status, read.body.status, read.body.captures_count]).toEqual([200, 'pending', 0]);
    } finally {
      await rm(folder);
      await rename(`${folder}.away`, folder);
    }
    expect((await submit(service, id, picture)).status).toBe(201);
    await untilStatus(service, id, ['completed']);
  });

  it('are internal_error for faults of the service, with the cause only in the log', async () => {
    const broken = await startTestService({ worker: false });
    try {
      const { id } = await createVerification(broken);
      await broken.deps.db.query('alter table captures rename to captures_away');
      const reply = await ask(broken, `/v1/verifications/${id}`, { key: broken.tenant.pk_test });
      expect([reply.status, reply.body]).toEqual([
        500,
        {
          error: {
            code: 'internal_error',
            message: 'Something went wrong on the server. The log has the details under this Request-Id.',
            doc_url: `${broken.url}/docs/errors#internal_error`,
          },
        },
      ]);
      const line = broken.logged.find(text => text.includes('request failed'));
      expect(line).toContain('captures');
      expect(line).toContain(reply.headers.get('request-id'));
      await broken.deps.db.query('alter table captures_away rename to captures');
    } finally {
      await broken.stop();
    }
  });
});
