import { afterEach, describe, expect, it } from 'vitest';
import { outsideFindings } from '../../src/commands/doctor-outside.ts';
import { storageFindings } from '../../src/desk/system/findings.ts';
import { BucketUnfit } from '../../src/platform/blobs/write-once.ts';
import { type BucketServer, type Conditions, startBucketServer } from '../support/bucket-server.ts';
import type { Failure } from '../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../support/harness.ts';
import { type ReverseProxy, startReverseProxy } from '../support/reverse-proxy.ts';
import { freePort } from '../support/service-process.ts';

let service: TestService | undefined;
let bucket: BucketServer | undefined;
let proxy: ReverseProxy | undefined;
afterEach(async () => {
  await service?.stop();
  await bucket?.close();
  await proxy?.close();
  service = bucket = proxy = undefined;
});

const onBucket = async (conditions: Conditions) => {
  bucket = await startBucketServer(conditions);
  service = await startTestService({ worker: false, config: { s3: bucket.options } });
  return service;
};

describe('a bucket that does not keep photos', () => {
  it.each([
    ['unknown', 'does not support conditional writes'],
    ['refused', 'does not support conditional writes'],
    ['ignored', 'a second upload would replace a photo'],
  ] as const)(
    'whose condition is %s is named by /readyz, doctor and every upload, and takes no photo',
    async (kind, reason) => {
      const running = await onBucket(kind);
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
      expect([...bucket!.objects.keys()]).toEqual([]);
    },
  );

  it('is used once it keeps them, without a restart of the service', async () => {
    const running = await onBucket('kept');
    expect(await ask(running, '/readyz')).toMatchObject({ status: 200 });
    const before = bucket!.puts();
    await running.deps.blobs.check();
    expect(bucket!.puts()).toBe(before);
    expect([...bucket!.objects.keys()]).toEqual([]);
    bucket!.conditions = 'ignored';
    await expect(running.deps.blobs.check()).resolves.toBeUndefined();
    expect(new BucketUnfit('x')).toMatchObject({ name: 'BucketUnfit' });
  });
});

describe('doctor on the CORS rule of a bucket', () => {
  it('prints the rule that is missing, and is content with one that fits', async () => {
    const running = await onBucket('kept');
    const finding = async () => (await outsideFindings(running.deps)).find(({ part }) => part === 'bucket_cors');
    expect(await finding()).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining(`"AllowedOrigins":["${running.url}"]`),
    });
    bucket!.cors = {
      'access-control-allow-origin': running.url,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'content-type, if-none-match',
    };
    expect(await finding()).toMatchObject({ state: 'ok' });
    bucket!.cors['access-control-allow-headers'] = 'content-type';
    expect(await finding()).toMatchObject({ state: 'wrong' });
  });
});

describe('doctor on PUBLIC_URL and the proxy', () => {
  const behind = async (env: Record<string, string>, strips = true) => {
    proxy = await startReverseProxy('/photos', { strips });
    const port = await freePort();
    service = await startTestService({ worker: false, env: { PUBLIC_URL: proxy.url, PORT: String(port), ...env } });
    proxy.passTo(`http://localhost:${port}`);
    return service;
  };

  it('is content with a proxy whose addresses count', async () => {
    const running = await behind({ TRUSTED_PROXIES: '127.0.0.1,::1' });
    expect(await outsideFindings(running.deps)).toMatchObject([
      { part: 'public_url', state: 'ok' },
      { part: 'proxy', state: 'ok', detail: expect.stringContaining('203.0.113.9') },
    ]);
  });

  it('names TRUSTED_PROXIES where the addresses do not count', async () => {
    const running = await behind({});
    expect((await outsideFindings(running.deps))[1]).toMatchObject({
      part: 'proxy',
      state: 'wrong',
      advice: expect.stringMatching(/Set TRUSTED_PROXIES=(127\.0\.0\.1|::1)$/),
    });
  });

  it('is content with a trusted proxy on its own machine, whose sender is that machine', async () => {
    const running = await behind({ TRUSTED_PROXIES: '127.0.0.1,::1' });
    proxy!.sender = undefined;
    expect((await outsideFindings(running.deps))[1]).toMatchObject({ part: 'proxy', state: 'ok' });
    running.deps.config.trustedProxies = [];
    expect((await outsideFindings(running.deps))[1]).toMatchObject({ part: 'proxy', state: 'wrong' });
  });

  it('says when another program answers, or nobody', async () => {
    const running = await behind({});
    running.deps.config.publicUrl = proxy!.url.replace('/photos', '/other');
    expect(await outsideFindings(running.deps)).toMatchObject([
      { part: 'public_url', state: 'wrong', advice: expect.stringContaining('not from this installation') },
    ]);
    running.deps.config.publicUrl = `http://localhost:${await freePort()}`;
    expect(await outsideFindings(running.deps)).toMatchObject([
      { part: 'public_url', state: 'wrong', advice: expect.stringContaining('No answer from here (ECONNREFUSED)') },
    ]);
  });

  it('POST /healthz/echo answers nobody else', async () => {
    const running = await behind({});
    const direct = `http://localhost:${running.deps.config.port}`;
    for (const query of ['', '?asked=9999999999999.x&signature=x', '?asked=1.x']) {
      expect((await fetch(`${direct}/healthz/echo${query}`, { method: 'POST', body: 'x' })).status).toBe(404);
    }
  });
});
