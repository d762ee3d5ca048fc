import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasS3Server, type S3Server, startS3Server } from '../../test/s3.ts';
import { Problem } from '../http/problem.ts';
import { type DiskStore, openDiskStore } from './disk.ts';
import { blobRoutes } from './routes.ts';
import { openS3Store } from './s3.ts';
import { BlobMissing, type BlobStore, BlobTooLarge, BlobUnavailable, type PresignPut } from './store.ts';

const MB = 1_048_576;
const newKey = () => `tnt_1/vfy_2/${randomUUID()}`;
const put = (url: string, body: Uint8Array | string, headers: Record<string, string>) =>
  fetch(url, { method: 'PUT', body: body as RequestInit['body'], headers });
const upload = { contentType: 'image/jpeg', maxBytes: MB, expiresSeconds: 300 };

/** Serves the presigned URLs of a store; returns the server and its address. */
async function serve(store: BlobStore): Promise<{ app: FastifyInstance; address: string }> {
  const app = fastify({ bodyLimit: 1024 });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof Problem) return reply.code(error.status).send(error.toBody());
    return reply.code(500).send({ error: { code: 'internal_error', message: String(error) } });
  });
  await app.register(blobRoutes, { store, stallMs: 30_000 });
  return { app, address: await app.listen({ port: 0, host: '127.0.0.1' }) };
}

/** What a store and its presigned URLs promise, whatever lies behind. */
function contract(store: () => BlobStore): void {
  test('keeps bytes and their type, and forgets them when told to, even twice', async () => {
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

  test('keeps an empty object', async () => {
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

  test('holds a key beside one that begins with it', async () => {
    const key = newKey();
    await store().put(`${key}/preview`, Buffer.from('below'), { contentType: 'image/png' });
    expect(await store().head(key)).toBeNull();
    await store().put(key, Buffer.from('above'), { contentType: 'image/png' });
    expect((await store().get(`${key}/preview`, { maxBytes: MB })).toString()).toBe('below');
    expect((await store().get(key, { maxBytes: MB })).toString()).toBe('above');
  });

  test('refuses to read more than asked for', async () => {
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

  test('with a size given takes that size alone', async () => {
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

  test('shows an object under another type, or hands it over under a file name', async () => {
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

  test('answers 404 for an object that is not there', async () => {
    expect((await fetch(await store().presignGet(newKey(), { expiresSeconds: 60 }))).status).toBe(404);
  });

  test('finds itself well', async () => {
    await store().check();
  });
}

/** What presigned PUTs promise: a bucket serves those `with size_bytes`, the service those without and all of a folder's. */
function uploads(store: () => BlobStore, sized: boolean): void {
  const presign = (key: string, size: number, more: Partial<PresignPut> = {}) =>
    store().presignPut(key, { ...upload, ...(sized ? { sizeBytes: size } : {}), ...more });

  test('takes one PUT of a presigned URL, and shows it at another', async () => {
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

  test('takes exactly one of many PUTs that race, and keeps that one whole', async () => {
    const key = newKey();
    const { url, headers } = await presign(key, 150_000);
    const bodies = Array.from({ length: 8 }, () => randomBytes(150_000));
    const answers = await Promise.all(bodies.map(body => put(url, body, headers)));
    const statuses = answers.map(answer => answer.status);
    expect(statuses.filter(status => status === 200)).toHaveLength(1);
    expect(statuses.filter(status => status === 412)).toHaveLength(7);
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

  test('refuses a URL whose time is over, to PUT and to GET', async () => {
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

  test('refuses a URL that was changed anywhere', async () => {
    const key = newKey();
    const other = newKey();
    await store().put(other, Buffer.from('not yours'), { contentType: 'image/png' });
    const { url, headers } = await presign(key, 5);
    const get = await store().presignGet(key, { expiresSeconds: 60 });
    expect((await fetch(get.replace(key, other))).status).toBe(403);
    // The service has nothing to show for a bucket.
    expect([403, 404]).toContain((await fetch(url)).status);
    expect((await put(url.replace(key, newKey()), 'bytes', headers)).status).toBe(403);
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

describe('a folder', () => {
  let folder: string;
  let app: FastifyInstance;
  let store: DiskStore;
  let origin = '';
  let late = 0;

  const open = () =>
    openDiskStore({
      folder,
      secrets: [Buffer.alloc(32, 7)],
      origin: () => origin,
      now: () => new Date(Date.now() + late),
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-blobs-'));
    store = await open();
    ({ app, address: origin } = await serve(store));
  });
  beforeEach(() => {
    late = 0;
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  contract(() => store);
  describe('without size_bytes', () => uploads(() => store, false));
  describe('with size_bytes', () => uploads(() => store, true));

  test('keeps the very bytes in a file of their own and leaves no drafts', async () => {
    const key = newKey();
    const bytes = randomBytes(5000);
    await store.put(key, bytes, { contentType: 'image/jpeg' });
    expect((await readFile(join(folder, 'objects', `${key}@`, 'image%2Fjpeg'))).equals(bytes)).toBe(true);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  test.each([
    ['with its length said', { 'content-length': `${2 * MB}` }],
    ['without', { 'transfer-encoding': 'chunked' }],
  ])(
    'refuses a body over the limit %s, saying so, and stores nothing',
    async (_how, headers: Record<string, string>) => {
      const key = newKey();
      const { url } = await store.presignPut(key, upload);
      const sent = request(url, { method: 'PUT', headers: { 'content-type': 'image/jpeg', ...headers } });
      const answered = once(sent, 'response') as Promise<[import('node:http').IncomingMessage]>;
      for (let n = 0; n < 32; n += 1) sent.write(Buffer.alloc(65_536));
      sent.end();
      const [answer] = await answered;
      let text = '';
      for await (const chunk of answer) text += chunk;
      expect(answer.statusCode).toBe(400);
      expect(JSON.parse(text)).toEqual({
        error: {
          code: 'invalid_request',
          message: expect.any(String),
          fields: [{ path: 'body', message: 'must have at most 1048576 bytes' }],
        },
      });
      expect(await store.head(key)).toBeNull();
      expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    },
  );

  test('stores nothing of an upload that breaks off, and takes the next one', async () => {
    const key = newKey();
    const { url, headers } = await store.presignPut(key, upload);
    const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': '100000' } });
    sent.on('error', () => {});
    sent.write(Buffer.alloc(50_000));
    await expect.poll(() => readdir(join(folder, 'incoming'))).toHaveLength(1);
    sent.destroy();
    await expect.poll(() => readdir(join(folder, 'incoming'))).toHaveLength(0);
    expect(await store.head(key)).toBeNull();
    expect((await put(url, 'bytes', headers)).status).toBe(200);
  });

  test('answers in the envelope of the service', async () => {
    const key = newKey();
    const { url, headers } = await store.presignPut(key, upload);
    const codeOf = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { error: { code: string } }).error.code,
    ];
    expect(await codeOf(await put(`${url}x`, 'bytes', headers))).toEqual([403, 'forbidden']);
    expect(await codeOf(await put(url, 'bytes', { 'content-type': 'text/html' }))).toEqual([400, 'invalid_request']);
    late = 301_000;
    expect(await codeOf(await put(url, 'bytes', headers))).toEqual([410, 'expired']);
    late = 0;
    expect((await put(url, 'bytes', headers)).status).toBe(200);
    expect(await codeOf(await put(url, 'bytes', headers))).toEqual([412, 'invalid_request']);
  });

  test('gives a browser of any origin what it needs, and nothing that could run in ours', async () => {
    const key = newKey();
    await store.put(key, Buffer.from('<svg onload=alert(1)>'), { contentType: 'image/svg+xml' });
    const { url } = await store.presignPut(newKey(), upload);
    const asked = await fetch(url, { method: 'OPTIONS' });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
    const shown = await fetch(await store.presignGet(key, { expiresSeconds: 60 }));
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment',
    });
  });

  test.each([
    '/blobs/../../etc/passwd',
    '/blobs/%2e%2e/%2e%2e/etc/passwd',
    '/blobs/..%2f..%2fetc%2fpasswd',
    '/blobs/',
    '/blobs/%00',
  ])('serves nothing at %s', async path => {
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request(
        {
          ...new URL(origin),
          host: '127.0.0.1',
          port: new URL(origin).port,
          path: `${path}?expires=9999999999&signature=x`,
        },
        resolve,
      )
        .once('error', reject)
        .end();
    });
    answer.resume();
    expect([403, 404]).toContain(answer.statusCode);
  });

  test('sweeps what a crash left of an upload, and only that', async () => {
    const [old, young] = [join(folder, 'incoming', 'old'), join(folder, 'incoming', 'young')];
    for (const made of [old, young]) {
      await mkdir(made);
      await writeFile(join(made, 'image%2Fjpeg'), 'half');
    }
    await utimes(old, new Date(0), new Date(0));
    await open();
    expect(await readdir(join(folder, 'incoming'))).toEqual(['young']);
    await rm(young, { recursive: true });
  });

  test('says that it is unavailable when the folder is gone', async () => {
    const lost = await mkdtemp(join(tmpdir(), 'fh-blobs-lost-'));
    const broken = await openDiskStore({ folder: lost, secrets: [Buffer.alloc(32)], origin: () => origin });
    await rm(lost, { recursive: true });
    await expect(broken.check()).rejects.toThrow(BlobUnavailable);
    await expect(broken.put('a', new Uint8Array(1), { contentType: 'image/png' })).rejects.toThrow(BlobUnavailable);
  });

  test('does not hold a large upload in memory', async () => {
    const key = newKey();
    const { url, headers } = await store.presignPut(key, { ...upload, maxBytes: 256 * MB });
    const written = async () => {
      const [draft] = await readdir(join(folder, 'incoming'));
      const found = draft && (await stat(join(folder, 'incoming', draft, 'image%2Fjpeg')).catch(() => null));
      return found ? found.size : 0;
    };
    let furthestAhead = 0;
    const body = (async function* () {
      for (let n = 0; n < 128; n += 1) {
        furthestAhead = Math.max(furthestAhead, n * MB - (await written()));
        yield Buffer.alloc(MB, n);
      }
    })();
    const init = { method: 'PUT', headers, body, duplex: 'half' } as unknown as RequestInit;
    expect((await fetch(url, init)).status).toBe(200);
    expect((await store.head(key))?.size).toBe(128 * MB);
    // What is on its way fits into the buffers of two sockets.
    expect(furthestAhead).toBeLessThan(24 * MB);
  });
});

describe.skipIf(!hasS3Server)('a bucket', () => {
  let server: S3Server;
  let app: FastifyInstance;
  let store: BlobStore;
  let folder: string;
  let origin = '';
  const urls = () => ({
    incoming: join(folder, 'incoming'),
    secrets: [Buffer.alloc(32, 7)] as const,
    origin: () => origin,
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-bucket-'));
    server = await startS3Server();
    store = await openS3Store(server.options, urls());
    ({ app, address: origin } = await serve(store));
  });
  afterAll(async () => {
    await app?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  contract(() => store);
  describe('without size_bytes', () => uploads(() => store, false));
  describe('with size_bytes', () => uploads(() => store, true));

  test('stores nothing of an upload that breaks off, leaves no draft, and takes the next one', async () => {
    const key = newKey();
    const { url, headers } = await store.presignPut(key, upload);
    const drafts = () => readdir(join(folder, 'incoming'));
    const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': '100000' } });
    sent.on('error', () => {});
    sent.write(Buffer.alloc(50_000));
    await expect.poll(drafts).toHaveLength(1);
    sent.destroy();
    await expect.poll(drafts).toHaveLength(0);
    expect(await store.head(key)).toBeNull();
    expect((await put(url, 'bytes', headers)).status).toBe(200);
    expect(await drafts()).toEqual([]);
  });

  test('takes uploads only once the folder for incoming ones can be made', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const blocked = await openS3Store(server.options, { ...urls(), incoming: join(file, 'incoming') });
    const grant = { key: newKey(), contentType: 'image/png', maxBytes: 1, sizeBytes: null };
    const receive = () => blocked.receive(grant, Readable.from([Buffer.alloc(1)]));
    await expect(receive()).rejects.toThrow(BlobUnavailable);
    await rm(file);
    expect(await receive()).toBe('stored');
  });

  test('names the origin that a browser will talk to', async () => {
    expect(store.origin).toBe(server.options.endpoint);
    const virtual = await openS3Store(
      { ...server.options, forcePathStyle: false, endpoint: 'https://s3.example.org' },
      urls(),
    );
    expect(virtual.origin).toBe('https://pictures.s3.example.org');
  });

  test('says that it is unavailable when the bucket, the key or the server is wrong', async () => {
    const wrong = [
      { ...server.options, bucket: 'nowhere' },
      { ...server.options, secretAccessKey: 'not-the-secret' },
      { ...server.options, endpoint: 'http://127.0.0.1:1' },
    ];
    for (const options of wrong) {
      const broken = await openS3Store(options, urls());
      await expect(broken.check()).rejects.toThrow(BlobUnavailable);
      await expect(broken.head('a')).rejects.toThrow(BlobUnavailable);
      await expect(broken.get('a', { maxBytes: 1 })).rejects.toThrow(BlobUnavailable);
      await expect(broken.put('a', new Uint8Array(1), { contentType: 'image/png' })).rejects.toThrow(BlobUnavailable);
      const grant = { key: 'a', contentType: 'image/png', maxBytes: 1, sizeBytes: null };
      const body = Readable.from([Buffer.alloc(1)]);
      await expect(broken.receive(grant, body)).rejects.toThrow(BlobUnavailable);
      expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    }
  });
});

if (!hasS3Server) console.warn('No S3 server is installed here (see scripts/s3-server.sh): its suite was skipped.');
