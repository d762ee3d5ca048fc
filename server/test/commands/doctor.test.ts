import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { outsideFindings } from '../../src/commands/doctor-outside.ts';
import { reachFindings } from '../../src/commands/doctor-reach.ts';
import { storageFindings } from '../../src/desk/system/findings.ts';
import { BucketUnfit } from '../../src/platform/blobs/write-once.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { type Conditions, startBucketServer } from '../support/bucket-server.ts';
import type { Failure } from '../support/failure.ts';
import { ask, createVerification, startTestService, type TestOptions } from '../support/harness.ts';
import { openServer } from '../support/local-server.ts';
import { type ReverseProxy, startReverseProxy } from '../support/reverse-proxy.ts';
import { freePort } from '../support/service-process.ts';
import { serviceOfSuite } from '../support/suite.ts';

const service = serviceOfSuite({ worker: false });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The service on a bucket that takes conditions so. */
async function onBucket(conditions: Conditions) {
  const bucket = await startBucketServer(conditions);
  const running = await startTestService({ worker: false, beside: service, config: { s3: bucket.options } });
  closing.push(bucket.close, running.stop);
  return { running, bucket };
}

describe('a bucket that does not keep photos', () => {
  it.each([
    ['unknown', 'does not support conditional writes'],
    ['refused', 'does not support conditional writes'],
    ['ignored', 'a second upload would replace a photo'],
  ] as const)(
    'whose condition is %s is named by /readyz, doctor and every upload, and takes no photo',
    async (kind, reason) => {
      const { running, bucket } = await onBucket(kind);
      expect(await ask(running, '/readyz')).toMatchObject({ status: 503, body: { checks: { store: 'failed' } } });
      const store = (await storageFindings(running.deps)).find(({ part }) => part === 'store')!;
      expect(store.state).toBe('wrong');
      expect(store.advice).toContain(reason);
      const { id } = await createVerification(running);
      for (const size of [{ size_bytes: 1_000 }, {}]) {
        const body = { contentType: 'image/jpeg', ...size };
        const answer = await ask(running, `/v1/verifications/${id}/captures/upload-url`, { body });
        expect(answer).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } });
        const { message } = (answer.body as Failure).error;
        expect(message).toContain(reason);
        expect(message).not.toMatch(/try again/i);
      }
      expect([...bucket.objects.keys()]).toEqual([]);
    },
  );

  it('is used once it keeps them, without a restart of the service', async () => {
    const { running, bucket } = await onBucket('kept');
    expect(await ask(running, '/readyz')).toMatchObject({ status: 200 });
    const before = bucket.puts();
    await running.deps.blobs.check();
    expect(bucket.puts()).toBe(before);
    expect([...bucket.objects.keys()]).toEqual([]);
    bucket.conditions = 'ignored';
    await expect(running.deps.blobs.check()).resolves.toBeUndefined();
    expect(new BucketUnfit('x')).toMatchObject({ name: 'BucketUnfit' });
  });
});

describe('doctor on the CORS rule of a bucket', () => {
  it('prints the rule that is missing, and is content with one that fits', async () => {
    const { running, bucket } = await onBucket('kept');
    const finding = async () => (await outsideFindings(running.deps)).find(({ part }) => part === 'bucket_cors');
    expect(await finding()).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining(`"AllowedOrigins":["${running.url}"]`),
    });
    bucket.cors = {
      'access-control-allow-origin': running.url,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'content-type, if-none-match',
    };
    expect(await finding()).toMatchObject({ state: 'ok' });
    bucket.cors['access-control-allow-headers'] = 'content-type';
    expect(await finding()).toMatchObject({ state: 'wrong' });
  });
});

describe('doctor on PUBLIC_URL and the proxy', () => {
  let proxy: ReverseProxy;
  /** Behind the proxy. */
  async function behind(env: Record<string, string>): Promise<TestOptions> {
    const port = await freePort();
    proxy.passTo(`http://localhost:${port}`);
    return { worker: false, beside: service, env: { PUBLIC_URL: proxy.url, PORT: String(port), ...env } };
  }
  const running = serviceOfSuite(async () => {
    proxy = await startReverseProxy('/photos', { strips: true });
    return behind({ TRUSTED_PROXIES: '127.0.0.1,::1' });
  });
  afterAll(() => proxy?.close());
  const findings = (config: Partial<Deps['config']> = {}) =>
    outsideFindings({ ...running.deps, config: { ...running.deps.config, ...config } });

  it('is content with a proxy whose addresses count', async () => {
    expect(await findings()).toMatchObject([
      { part: 'public_url', state: 'ok' },
      { part: 'proxy', state: 'ok', detail: expect.stringContaining('203.0.113.9') },
    ]);
  });

  it('names TRUSTED_PROXIES where the addresses do not count', async () => {
    const untrusting = await startTestService(await behind({}));
    closing.push(untrusting.stop, async () => proxy.passTo(`http://localhost:${running.deps.config.port}`));
    expect((await outsideFindings(untrusting.deps))[1]).toMatchObject({
      part: 'proxy',
      state: 'wrong',
      advice: expect.stringMatching(/Set TRUSTED_PROXIES=(127\.0\.0\.1|::1)$/),
    });
  });

  it('is content with a trusted proxy on its own machine, whose sender is that machine', async () => {
    proxy.sender = undefined;
    expect((await findings())[1]).toMatchObject({ part: 'proxy', state: 'ok' });
    expect((await findings({ trustedProxies: [] }))[1]).toMatchObject({ part: 'proxy', state: 'wrong' });
  });

  it('finds a proxy that refuses the longest body', async () => {
    proxy.maxBodyBytes = 26 * 1_048_576;
    expect((await findings()).filter(({ state }) => state === 'wrong')).toMatchObject([
      { part: 'proxy', advice: expect.stringContaining('Allow 33 MiB; in nginx: client_max_body_size 33m;') },
    ]);
    proxy.maxBodyBytes = 33 * 1_048_576;
    expect((await findings()).filter(({ state }) => state === 'wrong')).toEqual([]);
  });

  it('says when another program answers, or nobody', async () => {
    expect(await findings({ publicUrl: proxy.url.replace('/photos', '/other') })).toMatchObject([
      { part: 'public_url', state: 'wrong', advice: expect.stringContaining('not from this installation') },
    ]);
    expect(await findings({ publicUrl: `http://localhost:${await freePort()}` })).toMatchObject([
      { part: 'public_url', state: 'wrong', advice: expect.stringContaining('No answer from here (ECONNREFUSED)') },
    ]);
  });

  it('POST /healthz/echo answers nobody else', async () => {
    const direct = `http://localhost:${running.deps.config.port}`;
    for (const query of ['', '?asked=9999999999999.x&signature=x', '?asked=1.x']) {
      expect((await fetch(`${direct}/healthz/echo${query}`, { method: 'POST', body: 'x' })).status).toBe(404);
    }
  });
});

describe('doctor looks at what the service must reach', () => {
  const find = (config: Partial<Deps['config']> = {}, more: Partial<Deps> = {}) =>
    reachFindings({ ...service.deps, ...more, config: { ...service.deps.config, ...config } });

  it('and says of a laptop only that its clock is right', async () => {
    expect(await find()).toEqual([{ part: 'clock', what: 'Clock', state: 'ok', detail: 'agrees with the database' }]);
  });

  it('names a clock that is away from the database', async () => {
    const db = {
      query: async () => ({ rows: [{ at: new Date(Date.now() + 90_000), url: 'http://127.0.0.1:9' }] }),
    } as unknown as Deps['db'];
    const [clock] = await find({}, { db });
    expect(clock).toMatchObject({ part: 'clock', state: 'wrong', detail: '90 s behind the database' });
    expect(clock!.advice).toMatch(/NTP/);
  });

  it('names a mail server and a time-stamp authority that do not answer, with the setting to correct', async () => {
    const port = await freePort();
    const found = await find({ smtpUrl: `smtp://127.0.0.1:${port}`, tsaUrl: `http://127.0.0.1:${port}` });
    expect(found.find(({ part }) => part === 'mail_server')).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('SMTP_URL'),
    });
    expect(found.find(({ part }) => part === 'time_stamp_authority')).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('TSA_URL'),
    });
  });

  it('connects to the newest receivers of webhooks', async () => {
    const receiver = await openServer((_request, response) => response.end());
    closing.push(receiver.close);
    const [open, closed] = [Number(new URL(receiver.url).port), await freePort()];
    await service.deps.db.query(
      `insert into webhook_endpoints (id, tenant_id, livemode, url, url_sha256, created_at)
       select 'whe_' || n, $1, true, 'http://127.0.0.1:' || n || '/hooks', sha256(n::text::bytea), now() from unnest($2::integer[]) n`,
      [service.tenant.tenant_id, [open, closed]],
    );
    const found = (await find()).filter(({ part }) => part === 'webhook_egress');
    expect(found.toSorted((a, b) => a.state.localeCompare(b.state))).toMatchObject([
      { state: 'ok', detail: `127.0.0.1:${open}` },
      { state: 'wrong', detail: `127.0.0.1:${closed}` },
    ]);
  });
});
