import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { many } from '../../../src/platform/db/sql.ts';
import { sha256Hex } from '../../../src/platform/lib/keyring.ts';
import { codeOf, type Failure } from '../../support/failure.ts';
import { ask, createVerification, submit } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { upload } from '../../support/upload.ts';

describe('repeated request', () => {
  let picture: Buffer;
  let skewMs = 0;
  const service = serviceOfSuite({ worker: false, now: () => new Date(Date.now() + skewMs) });
  beforeAll(async () => {
    picture = await plain();
  });

  const steps = [{ key: 'a', min: 1, max: 5 }];
  const uploaded = async (id: string, bytes: Buffer, body: object = {}) => {
    const { put, image_key, sha256 } = await upload(service, id, bytes, { contentType: 'image/jpeg', ...body });
    return { put, reference: { image_key, image_sha256: sha256 } };
  };
  const capture = (id: string, body: object, headers: Record<string, string> = {}) =>
    ask<Verification>(service, `/v1/verifications/${id}/captures`, { body, headers });
  const rowsOf = (id: string) =>
    many<{ id: string }>(service.deps.db, 'select id from captures where verification_id = $1', [id]);

  it('makes one capture, however many submissions race under one Idempotency-Key', async () => {
    const { id } = await createVerification(service, { steps });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => submit(service, id, picture, {}, { 'idempotency-key': 'one' })),
    );
    expect(replies.map(reply => [reply.status, reply.body.captures_count])).toEqual(replies.map(() => [201, 1]));
    expect(await rowsOf(id)).toHaveLength(1);
    const events = await many(service.deps.db, `select 1 from events where verification_id = $1`, [id]);
    expect(events).toHaveLength(2);
  });

  it('makes one capture, however many submissions of one image_key race', async () => {
    const { id } = await createVerification(service, { steps });
    const { put, reference } = await uploaded(id, picture);
    expect(put).toBe(200);
    const replies = await Promise.all(Array.from({ length: 10 }, () => capture(id, reference)));
    expect(replies.map(reply => [reply.status, reply.body.captures_count])).toEqual(replies.map(() => [201, 1]));
    expect(await rowsOf(id)).toHaveLength(1);
    const wrongHash = await capture(id, { ...reference, image_sha256: '0'.repeat(64) });
    expect((wrongHash.body as unknown as Failure).error.fields?.[0]?.path).toBe('image_sha256');
  });

  it('is refused when its key was used for another picture or step', async () => {
    const { id } = await createVerification(service, { steps: [...steps, { key: 'b', min: 0, max: 1 }] });
    const headers = { 'idempotency-key': 'one' };
    expect((await submit(service, id, picture, {}, headers)).status).toBe(201);
    const other = await plain({ colour: '#000' });
    expect(codeOf(await submit(service, id, other, {}, headers))).toEqual([422, 'idempotency_conflict']);
    expect(codeOf(await submit(service, id, picture, { step_key: 'b' }, headers))).toEqual([
      422,
      'idempotency_conflict',
    ]);
    expect((await submit(service, id, picture, { step_key: 'a' }, headers)).status).toBe(201);
    const { reference } = await uploaded(id, picture);
    expect((await capture(id, reference, headers)).body.captures_count).toBe(1);
    const elsewhere = await createVerification(service, { steps });
    expect((await submit(service, elsewhere.id, other, {}, headers)).body.captures_count).toBe(1);
  });

  it('gets the first answer for 24 hours on every POST, if that was not an error', async () => {
    const headers = { 'idempotency-key': 'kept' };
    const create = (body: object, key = service.tenant.pk_test) =>
      ask<Verification>(service, '/v1/verifications', { key, body, headers });
    expect(codeOf(await create({ max_captures: 0 }))).toEqual([400, 'invalid_request']);
    const first = await create({});
    const again = await create({});
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    const other = await service.newTenant();
    expect((await create({}, other.pk_test)).body.id).not.toBe(first.body.id);
    expect((await create({}, service.tenant.pk_live)).body.id).not.toBe(first.body.id);
    const cancel = () =>
      ask<Verification>(service, `/v1/verifications/${first.body.id}/cancel`, {
        key: service.tenant.rk_secret,
        method: 'POST',
        headers,
      });
    const cancelled = await cancel();
    const replayed = await cancel();
    expect([replayed.status, replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([
      200,
      cancelled.text,
      'true',
    ]);
    skewMs = 23.9 * 3_600_000;
    expect((await create({})).text).toBe(first.text);
    skewMs = 24.1 * 3_600_000;
    expect((await create({})).body.id).not.toBe(first.body.id);
    skewMs = 0;
  });

  it('keeps an image_key within its step’s size, and the upload within its URL’s size', async () => {
    const { id } = await createVerification(service, {
      steps: [...steps, { type: 'upload', key: 'u', min: 0, max: 1, max_size_bytes: 200 }],
    });
    expect(picture.length).toBeGreaterThan(200);
    expect((await uploaded(id, picture, { step_key: 'u' })).put).toBe(400);
    expect((await uploaded(id, picture, { size_bytes: picture.length - 1 })).put).toBe(400);
    const { put, reference } = await uploaded(id, picture);
    expect(put).toBe(200);
    const reply = await capture(id, { ...reference, step_key: 'u' });
    expect([reply.status, (reply.body as unknown as Failure).error.fields?.[0]?.path]).toEqual([400, 'image_key']);
    expect((await capture(id, { ...reference, step_key: 'a' })).status).toBe(201);
    for (const image_key of [
      `captures/${id}/cap_${'0'.repeat(26)}`,
      `captures/${id}/../${id}`,
      'https://example.org/x.jpg',
      `/${id}/cap_${'0'.repeat(26)}`,
    ]) {
      const refused = await capture(id, { image_key, image_sha256: sha256Hex(picture) });
      expect((refused.body as unknown as Failure).error.fields?.map(field => field.path)).toEqual(['image_key']);
    }
  });
});
