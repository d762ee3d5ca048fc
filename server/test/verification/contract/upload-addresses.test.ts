import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweepUploads } from '../../../src/verification/captures/upload-addresses.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

const MINUTE_MS = 60_000;

describe('POST /v1/verifications/:token/captures/upload-url', () => {
  let service: TestService;
  let late = 0;
  beforeAll(async () => {
    service = await startTestService({ worker: false, now: () => new Date(Date.now() + late) });
  });
  beforeEach(() => {
    late = 0;
  });
  afterAll(() => service.stop());

  const address = (id: string) =>
    ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg' },
    });
  const create = async (captures: number) =>
    (await createVerification(service, { max_captures: captures, expires_in_seconds: 86_400 })).id;
  const upload = async (id: string, bytes: Uint8Array) => {
    const { body } = await address(id);
    const put = await fetch(body.upload_url, { method: 'PUT', headers: body.headers, body: new Uint8Array(bytes) });
    expect(put.status).toBe(200);
    return body;
  };
  const use = (id: string, imageKey: string, bytes: Uint8Array) =>
    ask(service, `/v1/verifications/${id}/captures`, {
      body: { image_key: imageKey, image_sha256: createHash('sha256').update(bytes).digest('hex') },
    });

  test('gives three live URLs per picture and five more, then 429 until one ends', async () => {
    const id = await create(2);
    for (let n = 0; n < 3 * 2 + 5; n += 1) expect((await address(id)).status).toBe(201);
    const refused = await address(id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(300);
    late = 6 * MINUTE_MS;
    expect((await address(id)).status).toBe(201);
  });

  test('gives no more than that to simultaneous requests', async () => {
    const id = await create(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => address(id)));
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(3 + 5);
  });

  test('stops at four times as many unused URLs, until they are swept', async () => {
    const id = await create(1);
    for (let round = 0; round < 4; round += 1) {
      late = round * 6 * MINUTE_MS;
      for (let n = 0; n < 8; n += 1) expect((await address(id)).status).toBe(201);
    }
    late = 4 * 6 * MINUTE_MS;
    expect((await address(id)).status).toBe(429);
    late += 70 * MINUTE_MS;
    await sweepUploads(service.deps);
    expect((await address(id)).status).toBe(201);
  });

  test('does not count a URL whose picture was submitted', async () => {
    const id = await create(2);
    const bytes = await plain();
    const used = await upload(id, bytes);
    for (let n = 0; n < 10; n += 1) expect((await address(id)).status).toBe(201);
    expect((await address(id)).status).toBe(429);
    expect((await use(id, used.image_key, bytes)).status).toBe(201);
    expect((await address(id)).status).toBe(201);
  });

  test('deletes unsubmitted bytes an hour after their URL ended, and keeps those of captures', async () => {
    const id = await create(2);
    const bytes = await plain();
    const kept = await upload(id, bytes);
    expect((await use(id, kept.image_key, bytes)).status).toBe(201);
    const left = await upload(id, bytes);
    late = 64 * MINUTE_MS;
    await sweepUploads(service.deps);
    expect(await service.deps.blobs.head(left.image_key)).not.toBeNull();
    late = 66 * MINUTE_MS;
    await sweepUploads(service.deps);
    expect(await service.deps.blobs.head(left.image_key)).toBeNull();
    expect(await service.deps.blobs.head(kept.image_key)).not.toBeNull();
    expect((await use(id, left.image_key, bytes)).status).toBe(400);
  });
});
