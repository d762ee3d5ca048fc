import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  keepsObjects,
  MB,
  newKey,
  ORIGIN,
  put,
  serve,
  takesUploads,
  upload,
} from '../../../test/support/blob-contract.ts';
import { codeOf } from '../../../test/support/failure.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../../test/support/s3.ts';
import { type DiskStore, openDiskStore } from './disk.ts';
import { BlobUnavailable } from './faults.ts';
import { openS3Store } from './s3.ts';
import type { BlobStore } from './store.ts';

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

  keepsObjects(() => store);
  describe('without size_bytes', () => takesUploads(() => store, false));
  describe('with size_bytes', () => takesUploads(() => store, true));

  test('stores the exact bytes in a file and leaves no drafts', async () => {
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
          doc_url: `${ORIGIN}/docs/errors#invalid_request`,
          fields: [
            {
              path: 'body',
              message: 'must have at most 1048576 bytes',
              code: 'too_many_bytes',
              params: { max: 1_048_576 },
            },
          ],
        },
      });
      expect(await store.head(key)).toBeNull();
      expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    },
  );

  test('stores nothing of an interrupted upload, and accepts the next one', async () => {
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

  test('answers errors with the envelope of the service', async () => {
    const key = newKey();
    const { url, headers } = await store.presignPut(key, upload);
    const refusalOf = async (answer: Response) => codeOf({ status: answer.status, body: await answer.json() });
    expect(await refusalOf(await put(`${url}x`, 'bytes', headers))).toEqual([403, 'forbidden']);
    expect(await refusalOf(await put(url, 'bytes', { 'content-type': 'text/html' }))).toEqual([400, 'invalid_request']);
    late = 301_000;
    expect(await refusalOf(await put(url, 'bytes', headers))).toEqual([410, 'expired']);
    late = 0;
    expect((await put(url, 'bytes', headers)).status).toBe(200);
    expect(await refusalOf(await put(url, 'bytes', headers))).toEqual([412, 'invalid_request']);
  });

  test('allows browsers of any origin, and serves nothing that could run in ours', async () => {
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
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
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

  test('sweeps only what a crash left of an upload', async () => {
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

  test('reports storage_unavailable when the folder is gone', async () => {
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
    // The buffers of two sockets and of a busy disk hold the bytes in flight: less than half of the whole.
    expect(furthestAhead).toBeLessThan(64 * MB);
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

  keepsObjects(() => store);
  describe('without size_bytes', () => takesUploads(() => store, false));
  describe('with size_bytes', () => takesUploads(() => store, true));

  test('stores nothing of an interrupted upload, leaves no draft, and accepts the next one', async () => {
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

  test('accepts uploads only when the folder for incoming ones can be created', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const blocked = await openS3Store(server.options, { ...urls(), incoming: join(file, 'incoming') });
    const grant = { key: newKey(), contentType: 'image/png', maxBytes: 1, sizeBytes: null };
    const receive = () => blocked.receive(grant, Readable.from([Buffer.alloc(1)]));
    await expect(receive()).rejects.toThrow(BlobUnavailable);
    await rm(file);
    expect(await receive()).toBe('stored');
  });

  test('names the origin that browsers connect to', async () => {
    expect(store.origin).toBe(server.options.endpoint);
    const virtual = await openS3Store(
      { ...server.options, forcePathStyle: false, endpoint: 'https://s3.example.org' },
      urls(),
    );
    expect(virtual.origin).toBe('https://pictures.s3.example.org');
  });

  test('reports storage_unavailable when the bucket, the key or the server is wrong', async () => {
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
