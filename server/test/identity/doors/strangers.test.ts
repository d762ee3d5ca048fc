import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import { mintKey } from '../../../src/identity/tenants/keys.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { exampleKey } from '../../../src/platform/http/openapi.ts';
import { ask, createVerification, submit, type TestService, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { freePort } from '../../support/service-process.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const PROXIED = { TRUSTED_PROXIES: '127.0.0.1,::1' };

const service = serviceOfSuite({ worker: false, env: { ...PROXIED, BODY_STALL_SECONDS: '2' } });

describe('flood of rejected credentials', () => {
  const list = (address: string, key?: string, path = '/v1/verifications') =>
    ask(service, path, { ...(key ? { key } : {}), headers: { 'x-forwarded-for': address } });

  async function flood(address: string, path: string, keyOf: (i: number) => string | undefined) {
    const statuses: number[] = [];
    for (let sent = 0; sent < 620; sent += 20) {
      const round = await Promise.all(Array.from({ length: 20 }, (_, i) => list(address, keyOf(sent + i), path)));
      statuses.push(...round.map(({ status }) => status));
    }
    return Map.groupBy(statuses, status => status);
  }

  it('gets 429 after 600 a minute, before any lookup, while a key in use still works', async () => {
    const [address, { pk_test }] = ['203.0.113.1', service.tenant];
    expect((await list(address, pk_test)).status).toBe(200);
    const answered = await flood(address, '/v1/verifications', i => `pk_test_${i}`);
    expect([answered.get(401)?.length, answered.get(429)?.length]).toEqual([600, 20]);
    const refused = await list(address, 'pk_test_more');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await list(address)).status).toBe(429);
    const bot = await ask(service, '/v1/verifications', {
      body: {},
      headers: { 'x-forwarded-for': address, 'x-bot-auth': '0', 'x-bot-auth-timestamp': '0' },
    });
    expect(bot.status).toBe(429);
    expect((await list(address, pk_test)).status).toBe(200);
    expect((await list('203.0.113.2', pk_test)).status).toBe(200);
    expect((await list('203.0.113.2', 'pk_test_x')).status).toBe(401);
  });

  it('includes valid credentials that lack the permission', async () => {
    const answered = await flood('203.0.113.3', '/v1/api-keys', () => service.tenant.pk_test);
    expect([answered.get(403)?.length, answered.get(429)?.length]).toEqual([600, 20]);
  });
});

describe('request of a stranger', () => {
  const ODD_BYTES = ['%00', 'a%00b', '%', '%zz', '%25', '%C3%28', '%ED%A0%80', '%F0%9F%9A%97'];
  const ODD = [...ODD_BYTES, '..%2f..', '%20', 'x'.repeat(300), 'vfy_', '-'];

  it.each(
    ENDPOINTS.filter(
      ({ path, credentials }) =>
        path.includes(':') && credentials.some(kind => kind === 'secret' || kind === 'capture' || kind === 'none'),
    ).map(endpoint => [exampleKey(endpoint), endpoint] as const),
  )('in the path of %s is 404 or 400 when it names nothing', async (_name, endpoint) => {
    const open = endpoint.credentials.some(kind => kind === 'capture' || kind === 'none');
    for (const [index, odd] of ODD.entries()) {
      const path = endpoint.path.replace(/:\w+/g, () => odd);
      const answer = await fetch(`${service.url}${path}`, {
        method: endpoint.method,
        headers: {
          'x-forwarded-for': `10.9.${index}.1`,
          ...(open ? {} : { authorization: `Bearer ${service.tenant.rk_secret}` }),
          ...(endpoint.body ? { 'content-type': 'application/json' } : {}),
        },
        ...(endpoint.body ? { body: '{"name":"A"}' } : {}),
      });
      await answer.body?.cancel();
      expect([404, 400], `${path} → ${answer.status}`).toContain(answer.status);
    }
  });

  it.each(['/v/', '/c/', '/t/', '/blobs/', '/_capture/', '/docs/', '/'])('to %s never gets a 5xx', async prefix => {
    for (const odd of ODD) {
      for (const method of ['GET', 'POST', 'PUT', 'HEAD']) {
        const answer = await fetch(`${service.url}${prefix}${odd}`, { method, redirect: 'manual' });
        await answer.body?.cancel();
        // 503: the pages of this checkout are not built.
        expect(answer.status === 503 ? 200 : answer.status, `${method} ${prefix}${odd}`).toBeLessThan(500);
      }
    }
  });

  it('with any query gets 400 or is accepted, never 5xx', async () => {
    for (const query of [
      'cursor=%00',
      'metadata[%00]=x',
      'metadata[a]=%00',
      'external_ref=%00',
      'limit=1&limit=2',
      '%',
      '%00',
      `${'a&'.repeat(4_000)}`,
      '__proto__=1',
    ]) {
      const reply = await ask(service, `/v1/verifications?${query}`, { key: service.tenant.pk_test });
      expect([200, 400], `${query.slice(0, 40)} → ${reply.text.slice(0, 200)}`).toContain(reply.status);
    }
  });

  it('makes /readyz check at most once a second', async () => {
    const { blobs } = service.deps;
    const check = blobs.check;
    let looks = 0;
    blobs.check = () => {
      looks += 1;
      return check.call(blobs);
    };
    const started = performance.now();
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${service.url}/readyz`)));
      expect(answers.map(answer => answer.status)).toEqual(Array<number>(20).fill(200));
    }
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - started) / 1_000));
    blobs.check = check;
  });

  async function upload() {
    const { id } = await createVerification(service);
    const asked = await ask<{ image_key: string; upload_url: string; headers: Record<string, string> }>(
      service,
      `/v1/verifications/${id}/captures/upload-url`,
      { body: { contentType: 'image/jpeg' } },
    );
    return { id, ...asked.body };
  }

  /** PUTs the parts, each after a pause of so many milliseconds; gives the status. */
  async function put(url: string, length: number, parts: [Buffer, number][]): Promise<number> {
    const { port, pathname, search } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    const answered = new Promise<string>((resolve, reject) => {
      socket
        .on('data', data => resolve(data.toString('latin1')))
        .on('close', () => resolve('HTTP/1.1 000'))
        .on('error', reject);
    });
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: image/jpeg\r\nif-none-match: *\r\ncontent-length: ${length}\r\n\r\n`,
    );
    for (const [bytes, pause] of parts) {
      await sleep(pause);
      socket.write(bytes);
    }
    const status = Number((await answered).split(' ')[1]);
    socket.destroy();
    return status;
  }

  it('may be slow: an upload is aborted for a pause, not for its duration', async () => {
    const picture = await plain();
    const slow = await upload();
    const size = Math.ceil(picture.length / 12);
    const parts = Array.from({ length: 12 }, (_, i): [Buffer, number] => [
      picture.subarray(i * size, (i + 1) * size),
      400,
    ]);
    // 4.8 s in all, each silence well under the two seconds.
    expect(await put(slow.upload_url, picture.length, parts)).toBe(200);
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(picture))).toString('hex');
    const sent = await ask(service, `/v1/verifications/${slow.id}/captures`, {
      body: { image_key: slow.image_key, image_sha256: digest },
    });
    expect(sent.status).toBe(201);

    const silent = await upload();
    const started = performance.now();
    expect(await put(silent.upload_url, picture.length, [[picture.subarray(0, 50), 0]])).toBe(400);
    expect(performance.now() - started).toBeLessThan(readConfig({}).bodyStallMs);
    // What was given up has left the address free for another try.
    expect(await put(silent.upload_url, picture.length, [[picture, 0]])).toBe(200);
    expect(readConfig({}).bodyStallMs).toBe(30_000);
  });

  it('may upload three bodies from one address at once, and no more', async () => {
    const { upload_url } = await upload();
    const byte = Buffer.from([0xff]);
    const statuses = await Promise.all(Array.from({ length: 4 }, () => put(upload_url, 1_000_000, [[byte, 0]])));
    // The silent ones are given up; the address is free again.
    expect(statuses.toSorted()).toEqual([400, 400, 400, 429]);
    const picture = await plain();
    expect(await put(upload_url, picture.length, [[picture, 0]])).toBe(200);
  });

  it('in 500 silent or half-sent connections does not affect others', async () => {
    const { port } = new URL(service.url);
    const { id } = await createVerification(service);
    const read = async () => {
      const started = performance.now();
      expect((await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).status).toBe(200);
      return performance.now() - started;
    };
    const times = async () => {
      const taken: number[] = [];
      for (let i = 0; i < 100; i += 1) taken.push(await read());
      return taken.toSorted((a, b) => a - b);
    };
    const before = await times();
    const halves = [
      '',
      'GET /healthz HTTP/1.1\r\nhost: x\r\n',
      `POST /v1/verifications/${id}/answers HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.7\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{`,
    ];
    const sockets = await Promise.all(
      Array.from(
        { length: 500 },
        (_, i) =>
          new Promise<Socket>((resolve, reject) => {
            const socket: Socket = connect(Number(port), '127.0.0.1', () => {
              socket.write(halves[i % halves.length]!);
              resolve(socket);
            }).on('error', reject);
          }),
      ),
    );
    const during = await times();
    const other = await createVerification(service);
    expect((await submit(service, other.id, await plain())).status).toBe(201);
    for (const socket of sockets) socket.on('error', () => {}).destroy();
    const after = await times();
    expect(during[50]!).toBeLessThan(3 * Math.max(before[50]!, after[50]!) + 20);
  });

  it('loses its event stream within seconds of its key’s revocation', async () => {
    const { db } = service.deps;
    const tenantId = service.tenant.tenant_id;
    const minted = await mintKey(db, { tenantId, name: 'of the stream', mode: 'secret', now: new Date() });
    const headers = { authorization: `Bearer ${minted.plaintext}` };
    const answer = await fetch(`${service.url}/v1/events/stream`, { headers });
    expect(answer.status).toBe(200);
    let over = false;
    const reader = answer.body!.getReader();
    const reading = (async () => {
      while (!(await reader.read()).done);
      over = true;
    })();
    await sleep(2_500);
    expect(over).toBe(false);
    await db.query('update api_keys set revoked_at = now() where id = $1', [minted.id]);
    await until(async () => over, 'the stream to end', 30_000);
    await reading;
    expect((await fetch(`${service.url}/v1/events/stream`, { headers })).status).toBe(401);
  });
});

/** The status of the answer to these bytes. */
function rawStatus(node: TestService, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.on('data', bytes => {
      answer += bytes;
    });
    socket.on('end', () => resolve(Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1])));
    socket.on('error', reject);
  });
}

describe('/metrics', () => {
  const port = freePort();
  const node = (env: Record<string, string> | (() => Promise<Record<string, string>>)) =>
    serviceOfSuite(async () => ({
      worker: false,
      beside: service,
      env: typeof env === 'function' ? await env() : env,
    }));
  const open = node({});
  const guarded = node({ METRICS_TOKEN: 'a token of some length' });
  const named = node(async () => ({ PORT: String(await port), PUBLIC_URL: 'https://photos.example' }));
  const status = async (of: TestService, headers: Record<string, string> = {}) =>
    (await fetch(`${of.url}/metrics`, { headers })).status;

  it('without a token answers only this machine, and nothing that came through a proxy', async () => {
    expect(await status(open)).toBe(200);
    const ofProxies = 'x-forwarded-for forwarded x-real-ip via x-forwarded-host x-forwarded-proto cf-connecting-ip';
    const ofOthers = 'true-client-ip fly-client-ip x-envoy-external-address x-some-new-proxy';
    for (const name of `${ofProxies} ${ofOthers}`.split(' ')) {
      expect([name, await status(open, { [name]: '127.0.0.1' })]).toEqual([name, 401]);
    }
    // A bare `proxy_pass` adds no header: the public name in Host, HTTP/1.0 or the setting gives it away.
    for (const [request, answer] of [
      ['GET /metrics HTTP/1.1\r\nHost: photos.example\r\nConnection: close\r\n\r\n', 401],
      ['GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n', 401],
      ['GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n', 200],
    ] as const) {
      expect([request, await rawStatus(open, request)]).toEqual([request, answer]);
    }
    expect((await fetch(`http://localhost:${await port}/metrics`)).status).toBe(401);
    expect(named.deps.config.publicUrl).toBe('https://photos.example');
    expect(await status(service)).toBe(401);
    expect(await status(service, { 'x-forwarded-for': '127.0.0.1' })).toBe(401);
    expect(await status(guarded)).toBe(401);
    const authorization = 'Bearer a token of some length';
    expect(await status(guarded, { authorization, 'x-forwarded-for': '198.51.100.1' })).toBe(200);
  });
});
