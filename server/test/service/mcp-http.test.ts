import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification } from '../support/harness.ts';
import { ERAS, type Era, type HttpServer, type Installed, installMcp, overHttp, startMcpHttp } from '../support/mcp.ts';
import { serviceOfSuite } from '../support/suite.ts';

const APP = 'https://app.example';
const eras = Object.keys(ERAS) as Era[];

describe('@firsthand/mcp over HTTP', () => {
  const service = serviceOfSuite({ worker: false });
  let installed: Installed;
  let server: HttpServer;
  beforeAll(async () => {
    installed = await installMcp();
    server = await startMcpHttp(
      installed,
      { FIRSTHAND_URL: service.url, FIRSTHAND_KEY: service.tenant.pk_live },
      '--allow-origin',
      APP,
    );
  });
  afterAll(async () => {
    await server?.stop();
    await installed?.remove();
  });

  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const call = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body: JSON.stringify(body),
    });

  it.each(eras)('serves clients of %s without a session, each with the key of its own requests', async era => {
    const tenants = [await service.newTenant(), await service.newTenant()];
    const ids = await Promise.all(tenants.map(({ pk_test }) => createVerification(service, {}, pk_test)));
    const agents = await Promise.all(tenants.map(({ pk_test }) => overHttp(server.url, bearer(pk_test), era)));
    type Page = { verifications: { id: string }[] };
    for (let round = 0; round < 5; round += 1) {
      const pages = await Promise.all(agents.map(({ facts }) => facts<Page>('list_verifications')));
      expect(pages.map(page => page.verifications.map(({ id }) => id))).toEqual(ids.map(({ id }) => [id]));
    }
    expect(agents[0]!.client.getNegotiatedProtocolVersion()).toBe(era);
    for (const agent of agents) await agent.close();
  });

  it('answers every request without a valid key with the same 401', async () => {
    const { tenant } = service;
    const made = await ask<{ id: string; key: string }>(service, '/v1/api-keys', {
      key: tenant.rk_secret,
      body: { name: 'Agent', mode: 'test' },
    });
    const { key, id } = made.body;
    const works = await post(LIST, bearer(key));
    expect([works.status, works.headers.get('mcp-session-id')]).toEqual([200, null]);
    await ask(service, `/v1/api-keys/${id}`, { key: tenant.rk_secret, method: 'DELETE' });
    const seen = new Set<string>();
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer  ' },
      { authorization: `Basic ${key}` },
      bearer('eyJhbGciOiJub25lIn0.e30.'),
      bearer('pk_test_unknown'),
      bearer(key),
    ]) {
      for (const body of [LIST, call('list_verifications', {})]) {
        const {
          status,
          headers: got,
          ...answer
        } = await post(body, headers as Record<string, string>).then(async reply => ({
          status: reply.status,
          headers: reply.headers,
          text: await reply.text(),
        }));
        seen.add(JSON.stringify([status, got.get('www-authenticate'), got.get('content-type'), answer.text]));
      }
    }
    expect([...seen]).toEqual([
      JSON.stringify([
        401,
        'Bearer realm="firsthand"',
        'application/json',
        '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Send a key of your account: Authorization: Bearer …"},"id":null}',
      ]),
    ]);
  });

  it('refuses other hosts and origins with 403, and lets an allowed page in', async () => {
    const key = bearer(service.tenant.pk_test);
    const withHost = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { port } = new URL(server.url);
        const asked = request(
          { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { ...key, host } },
          answer => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
        asked.on('error', reject).end('{}');
      });
    expect(await withHost('rebound.example')).toBe(403);
    expect(await withHost('localhost.rebound.example:80')).toBe(403);
    expect(await withHost('localhost:4711')).not.toBe(403);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3000', `${APP}.evil.example`]) {
      expect([origin, (await post(LIST, { ...key, origin })).status]).toEqual([origin, 403]);
    }
    const preflight = await fetch(server.url, {
      method: 'OPTIONS',
      headers: { origin: APP, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, APP]);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const allowed = await post(LIST, { ...key, origin: APP });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
  });

  it('answers in JSON or as a stream, as the client takes it', async () => {
    const key = bearer(service.tenant.pk_test);
    const json = await post(LIST, { ...key, accept: 'application/json' });
    expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await json.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    const stream = await post(LIST, { ...key, accept: 'text/event-stream' });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await stream.text()).toMatch(/^data: \{.*"tools":/m);
  });

  it('opens no stream and no session, and serves one path', async () => {
    const key = bearer(service.tenant.pk_test);
    expect((await fetch(server.url, { headers: { ...key, accept: 'text/event-stream' } })).status).toBe(405);
    expect((await fetch(server.url, { method: 'DELETE', headers: key })).status).toBe(405);
    expect((await fetch(new URL('/', server.url), { headers: key })).status).toBe(404);
    expect((await post({ ...LIST, params: { padding: 'x'.repeat(1_100_000) } }, key)).status).toBe(413);
  });
});
