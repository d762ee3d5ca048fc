import { randomBytes } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

const MB = 1_048_576;
/** The first bytes of a JPEG, then noise. */
const disguised = (bytes: number) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), randomBytes(bytes - 3)]);

describe('uploads', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service.stop());

  const address = (id: string, more: object = {}) =>
    ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg', ...more },
    });
  const put = async (to: UploadUrlResponse, bytes: Uint8Array) => {
    const answer = await fetch(to.upload_url, { method: 'PUT', headers: to.headers, body: new Uint8Array(bytes) });
    return { status: answer.status, retryAfter: Number(answer.headers.get('retry-after')), text: await answer.text() };
  };
  const trial = async () =>
    (await ask<{ id: string }>(service, '/v1/trial/verifications', { body: { max_captures: 20 } })).body.id;
  async function storedMegabytes(id: string): Promise<number> {
    let bytes = 0;
    for await (const key of service.deps.blobs.list(`captures/${id}/`))
      bytes += (await service.deps.blobs.head(key))!.size;
    return bytes / MB;
  }

  test('a PUT that does not begin like a picture is refused and stores nothing', async () => {
    const { id } = await createVerification(service, { max_captures: 2 });
    for (const bytes of [Buffer.alloc(0), Buffer.from('GIF89a'), randomBytes(3 * MB), Buffer.alloc(200_000)]) {
      const to = (await address(id)).body;
      const refused = await put(to, bytes);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('must be a JPEG, PNG, WebP, HEIC, HEIF or AVIF picture');
      expect(await service.deps.blobs.head(to.image_key)).toBeNull();
      // The address still takes the picture.
      expect((await put(to, await plain())).status).toBe(200);
    }
  });

  test('a trial takes 64 MiB and the upload that passes them, whatever the number of its addresses', async () => {
    const id = await trial();
    const answers: Awaited<ReturnType<typeof put>>[] = [];
    for (let n = 0; n < 6; n += 1) answers.push(await put((await address(id)).body, disguised(25 * MB)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429]);
    expect(answers.at(-1)!.retryAfter).toBeGreaterThan(60);
    expect(await storedMegabytes(id)).toBeLessThan(90);
    // Declared bytes and pictures in the body count in the same window.
    expect((await address(id, { size_bytes: 1_000 })).status).toBe(429);
    const inline = await ask(service, `/v1/verifications/${id}/captures`, {
      body: { image_base64: (await plain()).toString('base64') },
    });
    expect(inline.status).toBe(429);
  });

  test('declared sizes count when the address is given', async () => {
    const { id } = await createVerification(service, {});
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) answers.push((await address(id, { size_bytes: 25 * MB })).status);
    expect(answers).toEqual([201, 201, 201, 429, 429]);
  });

  test('uploads at the same moment pass the budget by one of them at the most', async () => {
    const { id } = await createVerification(service, {
      steps: [{ key: 'file', type: 'upload', min: 1, max: 1, max_size_bytes: 10 * MB }],
    });
    const addresses = await Promise.all(Array.from({ length: 8 }, () => address(id, { step_key: 'file' })));
    const answers = await Promise.all(addresses.map(({ body }) => put(body, disguised(10 * MB))));
    // Two pictures of 10 MiB and 25 MiB more.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
  });
});

describe('uploads of one address', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service.stop());

  const declare = (id: string, bytes: number) =>
    ask(service, `/v1/verifications/${id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg', size_bytes: bytes },
    });

  test('count over all its trials: 128 MiB an hour', async () => {
    let taken = 0;
    for (let n = 0; n < 10; n += 1) {
      const trial = await ask<{ id: string }>(service, '/v1/trial/verifications', { body: { max_captures: 20 } });
      for (let tries = 0; tries < 4; tries += 1)
        if ((await declare(trial.body.id, 25 * MB)).status === 201) taken += 25;
    }
    expect(taken).toBe(150);
    // A verification that an account asked for is not counted there.
    const { id } = await createVerification(service, {});
    expect((await declare(id, 25 * MB)).status).toBe(201);
  });

  test('count over everything it opened by shared links: 1 GiB an hour', async () => {
    const template = await ask<{ id: string }>(service, '/v1/link-templates', {
      key: service.tenant.rk_secret,
      body: { name: 'Open', request: { max_captures: 20 } },
    });
    let taken = 0;
    for (let n = 0; n < 3; n += 1) {
      const opened = await fetch(`${service.url}/t/${template.body.id}`, { method: 'POST', redirect: 'manual' });
      const id = opened.headers.get('location')!.split('/').at(-1)!;
      for (let tries = 0; tries < 20; tries += 1) if ((await declare(id, 25 * MB)).status === 201) taken += 25;
    }
    expect(taken).toBe(1_025);
  });
});
