import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../support/s3.ts';

const LIMIT = 3_000_000;
const SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);
/** Begins like a JPEG. */
const jpeg = (bytes: number) => Buffer.concat([SIGNATURE, randomBytes(bytes - SIGNATURE.length)]);

describe.skipIf(!hasS3Server)('upload-url on a bucket', () => {
  let server: S3Server;
  let service: TestService;
  let id: string;
  let late = 0;
  beforeAll(async () => {
    server = await startS3Server();
    service = await startTestService({
      worker: false,
      config: { s3: server.options },
      now: () => new Date(Date.now() + late),
    });
  });
  beforeEach(async () => {
    late = 0;
    const steps = [{ key: 'photo', type: 'upload', min: 1, max: 2, accept: ['image/jpeg'], max_size_bytes: LIMIT }];
    id = (await createVerification(service, { steps })).id;
  });
  afterAll(async () => {
    await service?.stop();
    await server?.stop();
  });

  const address = async (more: object = {}) => {
    const body = { contentType: 'image/jpeg', step_key: 'photo', ...more };
    return (await ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, { body })).body;
  };
  const put = async (to: UploadUrlResponse, body: Uint8Array, headers = to.headers) => {
    const answer = await fetch(to.upload_url, { method: 'PUT', headers, body: new Uint8Array(body) });
    return { status: answer.status, body: await answer.text() };
  };
  /** Sends so many bytes, without saying how many unless `length` does; the status, or null where the server hung up. */
  const stream = (to: UploadUrlResponse, bytes: number, length?: number) =>
    new Promise<number | null>(resolve => {
      const headers = { ...to.headers, ...(length === undefined ? {} : { 'content-length': `${length}` }) };
      const sent = request(to.upload_url, { method: 'PUT', headers }, answer => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      sent.on('error', () => resolve(null));
      sent.write(SIGNATURE);
      for (let left = bytes - SIGNATURE.length; left > 0; left -= 65_536)
        sent.write(Buffer.alloc(Math.min(left, 65_536)));
      sent.end();
    });
  const stored = (to: UploadUrlResponse) => service.deps.blobs.head(to.image_key);
  const incoming = () => join(service.deps.config.dataDir, 'blobs', 'incoming');
  const expectNoDrafts = async () => expect(existsSync(incoming()) ? await readdir(incoming()) : []).toEqual([]);

  test('with size_bytes points at the bucket, which accepts only that length', async () => {
    const to = await address({ size_bytes: 1000 });
    expect(new URL(to.upload_url).origin).toBe(server.options.endpoint);
    expect((await put(to, new Uint8Array(1001))).status).toBe(403);
    expect((await put(to, new Uint8Array(1000))).status).toBe(200);
  });

  test('without size_bytes stores a valid body byte for byte, and then takes the capture', async () => {
    const bytes = await plain();
    const to = await address();
    expect(await put(to, bytes)).toEqual({ status: 200, body: '' });
    expect((await service.deps.blobs.get(to.image_key, { maxBytes: LIMIT })).equals(bytes)).toBe(true);
    const body = {
      step_key: 'photo',
      image_key: to.image_key,
      image_sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    expect((await ask(service, `/v1/verifications/${id}/captures`, { body })).status).toBe(201);
    await expectNoDrafts();
  });

  test('without size_bytes accepts a body of exactly the limit, chunked or not', async () => {
    for (const length of [LIMIT, undefined]) {
      const to = await address();
      expect(await stream(to, LIMIT, length)).toBe(200);
      expect(await stored(to)).toEqual({ size: LIMIT, contentType: 'image/jpeg' });
    }
    await expectNoDrafts();
  });

  test.each([
    ['that says its length', LIMIT + 1],
    ['in chunks', undefined],
  ])('without size_bytes refuses a body over the limit %s and stores nothing', async (_how, length) => {
    const to = await address();
    expect(await stream(to, LIMIT + 1, length)).toBe(400);
    expect(await stored(to)).toBeNull();
    await expectNoDrafts();
    // The refusal used nothing up.
    expect((await put(to, jpeg(1000))).status).toBe(200);
  });

  test('without size_bytes refuses a second PUT and keeps the first', async () => {
    const [first, second] = [jpeg(1000), jpeg(1000)];
    const to = await address();
    expect((await put(to, first)).status).toBe(200);
    expect((await put(to, second)).status).toBe(412);
    expect((await service.deps.blobs.get(to.image_key, { maxBytes: LIMIT })).equals(first)).toBe(true);
  });

  test('without size_bytes refuses another content type and a URL after five minutes', async () => {
    const to = await address();
    expect((await put(to, jpeg(1000), { 'content-type': 'image/png' })).status).toBe(400);
    late = 301_000;
    expect((await put(to, jpeg(1000))).status).toBe(410);
    expect(await stored(to)).toBeNull();
    late = 0;
    expect((await put(to, jpeg(1000))).status).toBe(200);
  });

  test('without size_bytes answers 403 for a changed URL', async () => {
    const to = await address();
    const changed = to.upload_url.replace(`max=${LIMIT}`, () => `max=${2 * LIMIT}`);
    expect((await put({ ...to, upload_url: changed }, jpeg(1000))).status).toBe(403);
    expect(await stored(to)).toBeNull();
  });

  test('serves pictures only from the bucket', async () => {
    expect((await fetch(`${service.url}/blobs/x?expires=9999999999&signature=x`)).status).toBe(404);
  });
});
