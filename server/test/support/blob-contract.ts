import { randomBytes, randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { BlobMissing, BlobTooLarge } from '../../src/platform/blobs/faults.ts';
import type { PresignPut } from '../../src/platform/blobs/presigned.ts';
import type { BlobStore } from '../../src/platform/blobs/store.ts';
import { blobRoutes } from '../../src/platform/http/blob-routes.ts';
import { Problem } from '../../src/platform/http/problem.ts';

export const MB = 1_048_576;
export const newKey = () => `tnt_1/vfy_2/${randomUUID()}`;
export const put = (url: string, body: Uint8Array | string, headers: Record<string, string>) =>
  fetch(url, { method: 'PUT', body: body as RequestInit['body'], headers });
export const upload = { contentType: 'image/jpeg', maxBytes: MB, expiresSeconds: 300 };

/** The address that these stores' refusals name. */
export const ORIGIN = 'http://localhost:8080';
const ANY_BYTES = { startBytes: 1, checkStart: () => {}, count: async () => {} };

/** Serves the presigned URLs of a store; returns the server and its address. */
export async function serve(store: BlobStore): Promise<{ app: FastifyInstance; address: string }> {
  const app = fastify({ bodyLimit: 1024 });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof Problem) return reply.code(error.status).send(error.toBody(ORIGIN));
    return reply.code(500).send({ error: { code: 'internal_error', message: String(error) } });
  });
  await app.register(blobRoutes, {
    store,
    stallMs: 30_000,
    rules: ANY_BYTES,
    origins: { public: ORIGIN, capture: ORIGIN },
  });
  return { app, address: await app.listen({ port: 0, host: '127.0.0.1' }) };
}

/** Guarantees of every store and its presigned URLs. */
export function keepsObjects(store: () => BlobStore): void {
  test('stores bytes and their type, and deletes them, even twice', async () => {
    const key = newKey();
    const bytes = randomBytes(300_000);
    await store().put(key, bytes, { contentType: 'image/png' });
    expect(await store().head(key)).toEqual({ size: bytes.length, contentType: 'image/png' });
    expect((await store().get(key, { maxBytes: bytes.length })).equals(bytes)).toBe(true);
    await store().delete(key);
    await store().delete(key);
    expect(await store().head(key)).toBeNull();
    await expect(store().get(key, { maxBytes: MB })).rejects.toThrow(BlobMissing);
  });

  test('stores an empty object', async () => {
    const key = newKey();
    await store().put(key, new Uint8Array(), { contentType: 'text/plain' });
    expect(await store().head(key)).toEqual({ size: 0, contentType: 'text/plain' });
    expect(await store().get(key, { maxBytes: 0 })).toHaveLength(0);
  });

  test('replaces an object, its type included', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('first'), { contentType: 'image/png' });
    await store().put(key, Buffer.from('second'), { contentType: 'image/png' });
    expect((await store().get(key, { maxBytes: MB })).toString()).toBe('second');
    await store().put(key, Buffer.from('third'), { contentType: 'image/webp' });
    expect(await store().head(key)).toEqual({ size: 5, contentType: 'image/webp' });
    expect((await store().get(key, { maxBytes: MB })).toString()).toBe('third');
  });

  test('stores a key beside a longer one with the same prefix', async () => {
    const key = newKey();
    await store().put(`${key}/preview`, Buffer.from('below'), { contentType: 'image/png' });
    expect(await store().head(key)).toBeNull();
    await store().put(key, Buffer.from('above'), { contentType: 'image/png' });
    expect((await store().get(`${key}/preview`, { maxBytes: MB })).toString()).toBe('below');
    expect((await store().get(key, { maxBytes: MB })).toString()).toBe('above');
  });

  test('lists the keys below a folder, and no others', async () => {
    const folder = newKey();
    const keys = [`${folder}/a`, `${folder}/b/c.png`, `${folder}/b/c.png/d`];
    for (const key of [...keys, `${folder}x/a`, folder]) {
      await store().put(key, Buffer.from('x'), { contentType: 'image/png' });
    }
    const listed = async (prefix = `${folder}/`) => {
      const found: string[] = [];
      for await (const key of store().list(prefix)) found.push(key);
      return found.sort();
    };
    expect(await listed()).toEqual(keys.sort());
    for (const key of keys) await store().delete(key);
    expect(await listed()).toEqual([]);
    for (const prefix of ['', '/', folder, '../../', `${folder}//`]) {
      await expect(listed(prefix)).rejects.toThrow('not a');
    }
  });

  test('refuses to read more than maxBytes', async () => {
    const key = newKey();
    await store().put(key, new Uint8Array(101), { contentType: 'image/png' });
    await expect(store().get(key, { maxBytes: 100 })).rejects.toThrow(BlobTooLarge);
    expect(await store().get(key, { maxBytes: 101 })).toHaveLength(101);
  });

  test.each([
    '',
    '/',
    '../x',
    'a/../b',
    'a//b',
    'a/./b',
    '/a',
    'a/',
    'a\\b',
    'a b',
    'a\0b',
    '.hidden',
    'a/.b',
    'é',
    'x'.repeat(513),
  ])('refuses the key %j for every operation', async key => {
    const calls = [
      () => store().put(key, new Uint8Array(1), { contentType: 'image/png' }),
      () => store().get(key, { maxBytes: 1 }),
      () => store().head(key),
      () => store().delete(key),
      () => store().presignPut(key, upload),
      () => store().presignGet(key, { expiresSeconds: 60 }),
    ];
    for (const call of calls) await expect((async () => call())()).rejects.toThrow(TypeError);
  });

  test('with a size accepts only that size', async () => {
    const key = newKey();
    const { url, headers } = await store().presignPut(key, { ...upload, sizeBytes: 1000 });
    expect(Object.keys(headers).map(name => name.toLowerCase())).not.toContain('content-length');
    for (const size of [999, 1001]) {
      const answer = await put(url, new Uint8Array(size), headers);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await store().head(key)).toBeNull();
    }
    expect((await put(url, new Uint8Array(1000), headers)).status).toBe(200);
  });

  test('serves an object with another type, or as a download with a file name', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('bytes'), { contentType: 'image/png' });
    const url = await store().presignGet(key, {
      expiresSeconds: 60,
      contentType: 'application/zip',
      filename: 'Beweis "ü".zip',
    });
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Beweis _____.zip"; filename*=UTF-8''Beweis%20%22%C3%BC%22.zip`.replace('_____', '___'),
    );
  });

  test('answers 404 for a missing object', async () => {
    expect((await fetch(await store().presignGet(newKey(), { expiresSeconds: 60 }))).status).toBe(404);
  });

  test('passes its health check', async () => {
    await store().check();
  });
}

/** What presigned PUTs promise: a bucket serves those `with size_bytes`, the service those without and all of a folder's. */
export function takesUploads(store: () => BlobStore, sized: boolean): void {
  const presign = (key: string, size: number, more: Partial<PresignPut> = {}) =>
    store().presignPut(key, { ...upload, ...(sized ? { sizeBytes: size } : {}), ...more });

  test('accepts one PUT to a presigned URL, and serves it at another', async () => {
    const key = newKey();
    const bytes = randomBytes(200_000);
    const { url, headers, expiresAt } = await presign(key, bytes.length);
    expect(Math.abs(expiresAt.getTime() - Date.now() - 300_000)).toBeLessThan(5_000);
    expect((await put(url, bytes, headers)).status).toBe(200);
    expect(await store().head(key)).toEqual({ size: bytes.length, contentType: 'image/jpeg' });
    const another = randomBytes(bytes.length);
    const second = await put(url, another, headers);
    expect(second.status).toBe(412);
    const again = await presign(key, bytes.length);
    expect((await put(again.url, another, again.headers)).status).toBe(412);
    const shown = await fetch(await store().presignGet(key, { expiresSeconds: 3600 }));
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-type')).toBe('image/jpeg');
    expect(shown.headers.get('cache-control')).toMatch(/^private, max-age=(3600|359\d)$/);
    expect(Buffer.from(await shown.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('accepts exactly one of many racing PUTs, and keeps it whole', async () => {
    const key = newKey();
    const { url, headers } = await presign(key, 150_000);
    const bodies = Array.from({ length: 8 }, () => randomBytes(150_000));
    const answers = await Promise.all(bodies.map(body => put(url, body, headers)));
    const statuses = answers.map(answer => answer.status);
    expect(statuses.filter(status => status === 200)).toHaveLength(1);
    // Our own addresses read three uploads at once and turn the others away.
    expect(statuses.filter(status => status === 412 || status === 429)).toHaveLength(7);
    const kept = await store().get(key, { maxBytes: MB });
    expect(kept.equals(bodies[statuses.indexOf(200)]!)).toBe(true);
  });

  test.each([
    ['another content type', { 'content-type': 'image/png' }],
    ['no content type', {}],
  ])('refuses a PUT with %s and stores nothing', async (_what, other: Record<string, string>) => {
    const key = newKey();
    const { url, headers } = await presign(key, 5);
    const { 'content-type': _, ...rest } = headers;
    const answer = await put(url, Buffer.from('bytes'), { ...rest, ...other });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await store().head(key)).toBeNull();
    expect((await put(url, 'bytes', headers)).status).toBe(200);
  });

  test('refuses an expired URL, for PUT and GET', async () => {
    const key = newKey();
    const { url, headers } = await presign(key, 5, { expiresSeconds: 1 });
    const shown = newKey();
    await store().put(shown, Buffer.from('bytes'), { contentType: 'image/png' });
    const get = await store().presignGet(shown, { expiresSeconds: 1 });
    await new Promise(resolve => setTimeout(resolve, 2_100));
    expect((await put(url, 'bytes', headers)).status).toBeGreaterThanOrEqual(400);
    expect(await store().head(key)).toBeNull();
    expect((await fetch(get)).status).toBeGreaterThanOrEqual(400);
  });

  test('refuses a URL with any change', async () => {
    const key = newKey();
    const other = newKey();
    await store().put(other, Buffer.from('not yours'), { contentType: 'image/png' });
    const { url, headers } = await presign(key, 5);
    const get = await store().presignGet(key, { expiresSeconds: 60 });
    expect((await fetch(get.replace(key, () => other))).status).toBe(403);
    // The service has nothing to show for a bucket.
    expect([403, 404]).toContain((await fetch(url)).status);
    expect(
      (
        await put(
          url.replace(key, () => newKey()),
          'bytes',
          headers,
        )
      ).status,
    ).toBe(403);
    expect((await put(get, 'bytes', headers)).status).toBe(403);
    const changed = new URL(url);
    for (const name of changed.searchParams.keys()) {
      const one = new URL(url);
      one.searchParams.set(name, `${one.searchParams.get(name)}1`);
      const answer = await put(one.href, 'bytes', headers);
      expect(answer.status, name).toBeGreaterThanOrEqual(400);
      expect(await store().head(key)).toBeNull();
    }
  });

  test('refuses a body over the limit and stores nothing', async () => {
    const key = newKey();
    const { url, headers } = await presign(key, MB);
    expect((await put(url, new Uint8Array(MB + 1), headers)).status).toBeGreaterThanOrEqual(400);
    expect(await store().head(key)).toBeNull();
    expect((await put(url, new Uint8Array(MB), headers)).status).toBe(200);
  });
}
