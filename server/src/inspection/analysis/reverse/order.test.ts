import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { analyzePicture } from '@firsthand/forensics/analyze.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { type ReverseSignal, rememberAndSearch } from './search.ts';

const REVERSE = { signals_required: ['reverse'] };

describe('reverse signal, in whatever order photos arrive', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  async function scene(seed: number): Promise<Buffer> {
    const { data, width, height } = drawScene(seed);
    return sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 90 })
      .toBuffer();
  }
  /** Uploads a photo, and submits nothing yet. */
  async function reserve(id: string, bytes: Buffer): Promise<object> {
    const { body } = await ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg' },
    });
    await fetch(body.upload_url, { method: 'PUT', headers: body.headers, body: new Uint8Array(bytes) });
    return { image_key: body.image_key, image_sha256: createHash('sha256').update(bytes).digest('hex') };
  }
  const sendKey = (id: string, body: object) => ask(service, `/v1/verifications/${id}/captures`, { body });
  async function result(id: string, key: string) {
    const done = await untilStatus(service, id, ['completed'], key);
    return done.captures[0]!.signals!.reverse_search as unknown as ReverseSignal;
  }

  test('finds a photo in a claim that reserved its upload before the first claim sent it', async () => {
    const tenant = await service.newTenant();
    const [first, reserved, later] = await Promise.all(
      [1, 2, 3].map(async () => (await createVerification(service, REVERSE, tenant.pk_test)).id),
    );
    const picture = await scene(301);
    const early = await reserve(reserved!, picture);
    await submit(service, first!, picture);
    expect((await result(first!, tenant.pk_test)).found_online).toBe(false);
    await submit(service, later!, picture);
    expect((await result(later!, tenant.pk_test)).matches).toMatchObject([{ verification_id: first }]);
    expect((await sendKey(reserved!, early)).status).toBe(201);
    const found = await result(reserved!, tenant.pk_test);
    expect(found).toMatchObject({ band: 'confident', match_count: 2 });
  });

  test('finds one of two photos that are sent at the same moment', async () => {
    const tenant = await service.newTenant();
    for (let round = 0; round < 3; round += 1) {
      const picture = await scene(310 + round);
      const ids = await Promise.all(
        [1, 2].map(async () => (await createVerification(service, REVERSE, tenant.pk_test)).id),
      );
      const early = await reserve(ids[0]!, picture);
      await Promise.all([submit(service, ids[1]!, picture), sendKey(ids[0]!, early)]);
      const found = await Promise.all(ids.map(id => result(id, tenant.pk_test)));
      expect(found.filter(({ found_online }) => found_online).length).toBeGreaterThanOrEqual(1);
    }
  });

  test('finds all but one of many equal photos whose analyses overlap, and the same on every further analysis', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(320);
    const analysis = await analyzePicture({ bytes: picture, signals: ['reverse'] });
    // The worker of this service takes them as well: an analysis may run twice.
    const captures = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { id } = await createVerification(service, REVERSE, tenant.pk_test);
        await submit(service, id, picture);
        const { rows } = await service.deps.db.query<{ id: string }>(
          'select id from captures where verification_id = $1',
          [id],
        );
        return {
          id: rows[0]!.id,
          verificationId: id,
          tenantId: tenant.tenant_id,
          livemode: false,
          externalRef: null,
          listsOnly: false,
        };
      }),
    );
    const search = () => Promise.all(captures.map(capture => rememberAndSearch(service.deps, capture, analysis)));
    expect((await search()).filter(signal => signal!.found_online).length).toBeGreaterThanOrEqual(7);
    const again = await search();
    expect(again.filter(signal => signal!.found_online).length).toBeGreaterThanOrEqual(7);
    expect((await search()).map(signal => signal!.match_count)).toEqual(again.map(signal => signal!.match_count));
  });

  test('doubts a photo whose copy was submitted after it but analysed before it', async () => {
    const tenant = await service.newTenant();
    const bytes = await scene(330);
    const ids = await Promise.all(
      [1, 2].map(async () => (await createVerification(service, REVERSE, tenant.pk_test)).id),
    );
    // The first photo waits for its next attempt while the second is analysed.
    await service.deps.db.query(`create function hold() returns trigger language plpgsql as $$
      begin new.analysis_due_at := now() + interval '1 hour'; return new; end $$`);
    await service.deps.db.query(
      `create trigger hold before insert on captures for each row when (new.verification_id = '${ids[0]}') execute function hold()`,
    );
    await submit(service, ids[0]!, bytes);
    await submit(service, ids[1]!, bytes);
    await service.deps.db.query('drop function hold cascade');
    expect((await result(ids[1]!, tenant.pk_test)).found_online).toBe(false);
    await service.deps.db.query('update captures set analysis_due_at = now() where verification_id = $1', [ids[0]]);
    expect(await result(ids[0]!, tenant.pk_test)).toMatchObject({
      band: 'doubtful',
      matches: [{ verification_id: ids[1], later: true }],
    });
  });
});
