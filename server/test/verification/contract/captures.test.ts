import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import canonicalize from 'canonicalize';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf, type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, submit, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

describe('POST /v1/verifications/:token/captures', () => {
  const service = serviceOfSuite();
  let picture: Buffer;
  beforeAll(async () => {
    picture = await plain();
  });

  const read = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body;
  const uploadUrl = (id: string, body: object) =>
    ask<UploadUrlResponse & Failure>(service, `/v1/verifications/${id}/captures/upload-url`, { body });
  const put = (upload: UploadUrlResponse, bytes: Uint8Array, headers: Record<string, string> = upload.headers) =>
    fetch(upload.upload_url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('fills image steps in order, upload steps only by name, and says when a step is full or unknown', async () => {
    const { id } = await createVerification(service, {
      steps: [
        { key: 'a', min: 1, max: 1 },
        { type: 'upload', key: 'u', min: 1, max: 1 },
        { key: 'b', min: 1, max: 1 },
        { type: 'text', key: 't', required: false },
      ],
    });
    expect((await submit(service, id, picture)).status).toBe(201);
    expect((await submit(service, id, picture)).status).toBe(201);
    expect(codeOf(await submit(service, id, picture))).toEqual([409, 'step_full']);
    expect(codeOf(await submit(service, id, picture, { step_key: 'a' }))).toEqual([409, 'step_full']);
    expect(codeOf(await submit(service, id, picture, { step_key: 'nope' }))).toEqual([400, 'unknown_step']);
    expect(codeOf(await submit(service, id, picture, { step_key: 't' }))).toEqual([400, 'unknown_step']);
    expect(codeOf(await uploadUrl(id, { contentType: 'image/jpeg', step_key: 'a' }))).toEqual([409, 'step_full']);
    expect((await submit(service, id, picture, { step_key: 'u' })).status).toBe(201);
    const done = await untilStatus(service, id, ['completed']);
    expect(done.captures.map(capture => [capture.step_key, capture.source])).toEqual([
      ['a', 'live'],
      ['b', 'live'],
      ['u', 'upload'],
    ]);
    expect(done.captures[2]!.signals?.screen_detection).toEqual({
      status: 'not_applicable',
      reason: 'uploaded_content',
    });
    expect(codeOf(await submit(service, id, picture, { step_key: 'a' }))).toEqual([409, 'step_full']);
  });

  it('says verification_closed when a step has room, and expired before either', async () => {
    const optional = await createVerification(service, {
      steps: [
        { key: 'a', min: 1, max: 1 },
        { key: 'b', min: 0, max: 2 },
      ],
    });
    await submit(service, optional.id, picture, { step_key: 'a' });
    await untilStatus(service, optional.id, ['completed']);
    expect(codeOf(await submit(service, optional.id, picture, { step_key: 'b' }))).toEqual([
      409,
      'verification_closed',
    ]);
    expect(codeOf(await uploadUrl(optional.id, { contentType: 'image/jpeg' }))).toEqual([409, 'verification_closed']);
    expect(codeOf(await submit(service, optional.id, picture, { step_key: 'a' }))).toEqual([409, 'step_full']);

    const cancelled = await createVerification(service);
    const key = service.tenant.rk_secret;
    const cancel = () =>
      ask<Verification>(service, `/v1/verifications/${cancelled.id}/cancel`, { key, method: 'POST' });
    expect([(await cancel()).body.status, (await cancel()).status]).toEqual(['expired', 200]);
    expect(codeOf(await submit(service, cancelled.id, picture))).toEqual([410, 'expired']);
    expect(codeOf(await uploadUrl(cancelled.id, { contentType: 'image/jpeg' }))).toEqual([410, 'expired']);
    expect(codeOf(await submit(service, cancelled.id, Buffer.from('no picture')))).toEqual([400, 'invalid_request']);
    const closed = await ask(service, `/v1/verifications/${optional.id}/cancel`, { key, method: 'POST' });
    expect(codeOf(closed)).toEqual([409, 'verification_closed']);
  });

  it('recognises a retry by image_key or Idempotency-Key, also after completion', async () => {
    const { id } = await createVerification(service, { steps: [{ key: 'a', min: 1, max: 3 }] });
    const first = await submit(service, id, picture, {}, { 'idempotency-key': 'one' });
    expect(first.body.captures_count).toBe(1);
    await untilStatus(service, id, ['completed']);
    const again = await submit(service, id, picture, {}, { 'idempotency-key': 'one' });
    expect([again.status, again.body.captures_count]).toEqual([201, 1]);
    expect((await read(id)).captures).toHaveLength(1);
  });

  it('counts equal bytes without a key as a new capture', async () => {
    const { id } = await createVerification(service, { max_captures: 2 });
    await submit(service, id, picture);
    expect((await submit(service, id, picture)).body.captures_count).toBe(2);
  });

  it('limits an upload URL to its type, size, one use and its verification', async () => {
    const { id } = await createVerification(service, {
      steps: [
        { key: 'a', min: 1, max: 2 },
        { type: 'upload', key: 'u', min: 0, max: 1, accept: ['image/png'], max_size_bytes: 500 },
      ],
    });
    expect(pathsOf(await uploadUrl(id, {}))).toEqual(['contentType']);
    expect(pathsOf(await uploadUrl(id, { contentType: 'image/gif' }))).toEqual(['contentType']);
    expect(pathsOf(await uploadUrl(id, { content_type: 'image/gif' }))).toEqual(['content_type']);
    expect(pathsOf(await uploadUrl(id, { contentType: 'image/jpeg', step_key: 'u', size_bytes: 501 }))).toEqual([
      'contentType',
      'size_bytes',
    ]);
    const { body: upload } = await uploadUrl(id, { contentType: 'image/jpeg' });
    expect(Date.parse(upload.expires_at) - Date.now()).toBeGreaterThan(290_000);
    expect((await put(upload, picture, { 'content-type': 'image/png', 'if-none-match': '*' })).status).toBeGreaterThan(
      399,
    );
    const capture = (more: object) => ask(service, `/v1/verifications/${id}/captures`, { body: more });
    const reference = { image_key: upload.image_key, image_sha256: sha(picture) };
    expect(pathsOf(await capture(reference))).toEqual(['image_key']);
    expect((await put(upload, picture)).status).toBe(200);
    expect(pathsOf(await capture({ ...reference, image_sha256: '0'.repeat(64) }))).toEqual(['image_sha256']);
    const other = await createVerification(service);
    const foreign = await ask(service, `/v1/verifications/${other.id}/captures`, { body: reference });
    expect(pathsOf(foreign)).toEqual(['image_key']);
    expect((await capture({ ...reference, image_sha256: sha(picture).toUpperCase() })).status).toBe(201);
    const big = await sharp({
      create: {
        width: 100,
        height: 100,
        channels: 3,
        background: '#123',
        noise: { type: 'gaussian', mean: 90, sigma: 40 },
      },
    })
      .png()
      .toBuffer();
    expect(pathsOf(await submit(service, id, big, { step_key: 'u' }))).toEqual(['image_base64']);
    expect(pathsOf(await submit(service, id, picture, { step_key: 'u' }))).toEqual(['image_base64']);
  });

  it.each([
    ['neither shape', {}, ['image_base64']],
    ['both shapes', { image_base64: 'AAAA', image_key: 'x', image_sha256: '0'.repeat(64) }, ['image_base64']],
    ['a key without its hash', { image_key: 'x' }, ['image_sha256']],
    ['what is no base64', { image_base64: '%%%%' }, ['image_base64']],
    ['a time that is none', { image_base64: 'AAAA', client_captured_at: 'yesterday' }, ['client_captured_at']],
    ['the year 0', { image_base64: 'AAAA', client_captured_at: '0000-01-01T00:00:00Z' }, ['client_captured_at']],
    [
      'both motion frames',
      { image_base64: 'AAAA', motion_frame_base64: 'AAAA', motion_frame_key: 'x' },
      ['motion_frame_base64'],
    ],
    ['more than 6 MB inline', { image_base64: 'A'.repeat(8_388_612) }, ['image_base64']],
  ])('refuses %s', async (_name, body, paths) => {
    const { id } = await createVerification(service);
    const reply = await ask(service, `/v1/verifications/${id}/captures`, { body });
    expect(codeOf(reply)).toEqual([400, 'invalid_request']);
    expect(pathsOf(reply)).toEqual(paths);
  });

  it('tells why a picture is refused by a code and its bound', async () => {
    const steps = [
      { key: 'a', min: 1, max: 2 },
      { type: 'upload', key: 'u', min: 0, max: 1, accept: ['image/png'], max_size_bytes: 60 },
    ];
    const attributes = { 'min_long_side.a': 5_000 };
    const { id } = await createVerification(service, { steps, context: { kind: 'car', summary: 'A car', attributes } });
    const png = await sharp(picture).png().toBuffer();
    const { body: upload } = await uploadUrl(id, { contentType: 'image/jpeg', step_key: 'a' });
    const byKey = () =>
      ask(service, `/v1/verifications/${id}/captures`, {
        body: { image_key: upload.image_key, image_sha256: '0'.repeat(64), step_key: 'a' },
      });
    const { width, height } = await sharp(picture).metadata();
    const all = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif', 'image/avif'];
    const expected: [answer: { body: unknown }, code: string, params?: object][] = [
      [await submit(service, id, Buffer.from('no picture')), 'unsupported_type', { accepted: expect.any(Array) }],
      [await submit(service, id, picture.subarray(0, picture.length / 2), { step_key: 'a' }), 'truncated'],
      [await submit(service, id, picture, { step_key: 'u' }), 'unsupported_type', { accepted: ['image/png'] }],
      [await submit(service, id, png, { step_key: 'u' }), 'too_many_bytes', { max: 60 }],
      [await submit(service, id, picture, { step_key: 'a' }), 'too_few_pixels', { min: 5_000, width, height }],
      [await byKey(), 'not_uploaded'],
      [await put(upload, picture).then(byKey), 'hash_mismatch'],
    ];
    for (const [{ body }, code, params] of expected) {
      const [found] = (body as Failure).error.fields!;
      expect([found!.code, found!.params]).toEqual([code, params]);
    }
    const [first] = (expected[0]![0].body as Failure).error.fields!;
    expect((first!.params!.accepted as string[]).toSorted()).toEqual(all.toSorted());
  });

  it('decodes every format, honours orientation and keeps originals byte for byte', async () => {
    const base = sharp({ create: { width: 40, height: 20, channels: 3, background: '#a53' } });
    const files: [string, Buffer][] = [
      ['image/png', await base.clone().png().toBuffer()],
      ['image/webp', await base.clone().webp().toBuffer()],
      ['image/avif', await base.clone().avif().toBuffer()],
      ['image/jpeg', await base.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer()],
    ];
    const { id } = await createVerification(service, { max_captures: files.length });
    for (const [, bytes] of files) expect((await submit(service, id, bytes)).status).toBe(201);
    const { captures } = await untilStatus(service, id, ['completed']);
    expect(captures.map(({ content_type, width, height }) => [content_type, width, height])).toEqual([
      ['image/png', 40, 20],
      ['image/webp', 40, 20],
      ['image/avif', 40, 20],
      ['image/jpeg', 20, 40],
    ]);
    for (const [index, capture] of captures.entries()) {
      const original = Buffer.from(await (await fetch(capture.image_url!)).arrayBuffer());
      expect(original.equals(files[index]![1])).toBe(true);
    }
  });

  it('checks answers by step, seals them, and completes when the last requirement is an answer', async () => {
    const { id } = await createVerification(service, {
      steps: [
        { key: 'p', min: 1, max: 1 },
        { type: 'text', key: 'number', validation: { format: 'numeric_id', min_length: 2, max_length: 4 } },
        { type: 'text', key: 'code', required: false, validation: { format: 'alphanumeric_id' } },
      ],
    });
    const answer = (answers: object) =>
      ask<EndUserView & Failure>(service, `/v1/verifications/${id}/answers`, { body: { answers } });
    const short = await answer({ number: '1', code: 'a b', p: 'x', nope: 'x' });
    expect(short.body.error.fields?.map(({ code, params }) => [code, params])).toEqual([
      ['too_short', { min: 2 }],
      ['format', { format: 'alphanumeric_id' }],
      ['unknown_reference', undefined],
      ['unknown_reference', undefined],
    ]);
    expect(pathsOf(short)).toEqual(['answers.number', 'answers.code', 'answers.p', 'answers.nope']);
    expect(pathsOf(await answer({ number: '' }))).toEqual(['answers.number']);
    expect((await submit(service, id, picture)).status).toBe(201);
    const view = await answer({ number: '11', code: 'A-1' });
    expect(view.body.step_states.slice(1)).toEqual([
      { key: 'number', type: 'text', answered: true },
      { key: 'code', type: 'text', answered: true },
    ]);
    expect(view.text).not.toContain('A-1');
    const done = await untilStatus(service, id, ['completed']);
    expect(done.answers?.number?.value).toBe('11');
    const { id: vfy, created_at, expires_at, config, answers } = done;
    const sealed = canonicalize({ record: { id: vfy, created_at, expires_at, config }, answers });
    expect(done.record_seal).toEqual({
      algorithm: 'sha256',
      hash: sha(Buffer.from(sealed!)),
      covers: ['record', 'answers'],
      answers_provenance: 'user_declared',
    });
    expect(codeOf(await answer({ number: '22' }))).toEqual([409, 'verification_closed']);
  });

  it('records progress, abandons and revives, and shows the end user none of it', async () => {
    const { id } = await createVerification(service, {
      metadata: { secret: 'metadata-value' },
      expected_location: '1,1',
    });
    const report = (body: object) => ask(service, `/v1/verifications/${id}/progress`, { body });
    const snapshot = { schema_version: 1, step: 'ready', elapsed_ms: 10 };
    expect((await report(snapshot)).status).toBe(204);
    expect(codeOf(await report({ ...snapshot, schema_version: 2 }))).toEqual([400, 'invalid_request']);
    expect((await report({ ...snapshot, step: 'capturing', abandoned: true })).status).toBe(204);
    expect(await read(id)).toMatchObject({ status: 'abandoned', progress: { step: 'capturing', schema_version: 1 } });
    await report(snapshot);
    expect((await read(id)).status).toBe('abandoned');
    const view = await submit(service, id, picture);
    expect(view.body.status).toBe('partially_captured');
    expect(view.text).not.toMatch(/metadata-value|progress|expected_location|verdict/);
    const session = await ask<EndUserView>(service, `/v1/verify/${id}`);
    expect(session.body.requires).toEqual({ location: true, motion_frame: false });
    const done = await untilStatus(service, id, ['completed']);
    await report({ ...snapshot, step: 'success', abandoned: true });
    expect(await read(id)).toMatchObject({ status: 'completed', progress: { step: 'success' } });
    const publicView = await ask(service, `/v1/verifications/${id}/public`);
    expect(publicView.body).toEqual({
      id,
      status: 'completed',
      created_at: done.created_at,
      completed_at: done.completed_at,
      captures_count: 1,
      livemode: false,
      verdict: { label: 'verified' },
    });
  });

  it('expires a verification past its deadline once, whoever notices first', async () => {
    const { id } = await createVerification(service, { metadata: { test_outcome: 'expired' } });
    await untilStatus(service, id, ['expired']);
    expect(codeOf(await submit(service, id, picture))).toEqual([410, 'expired']);
    const { rows } = await service.deps.db.query(
      'select type from events where verification_id = $1 order by sequence',
      [id],
    );
    expect(rows.map(row => row.type)).toEqual(['verification.created', 'verification.expired']);
  });

  it.each([
    ['verified', 'completed', { label: 'verified' }],
    ['suspicious', 'completed', { label: 'suspicious', reason_code: 'screen_detected' }],
    ['screen_detected', 'completed', { label: 'failed', reason_code: 'screen_detected' }],
    ['ai_generated', 'completed', { label: 'failed', reason_code: 'ai_generated' }],
    ['context_mismatch', 'completed', { label: 'failed', reason_code: 'context_mismatch' }],
    ['reverse_search_match', 'completed', { label: 'failed', reason_code: 'reverse_search_match' }],
    ['depth_anomaly', 'completed', { label: 'failed', reason_code: 'depth_anomaly' }],
    ['failed', 'failed', undefined],
  ])('forces the test outcome %s', async (outcome, status, verdict) => {
    const body = { metadata: { test_outcome: outcome }, signals_required: ['screen', 'ai', 'reverse', 'depth'] };
    const { id } = await createVerification(service, body);
    await submit(service, id, picture);
    const done = await untilStatus(service, id, ['completed', 'failed']);
    expect(done.status).toBe(status);
    if (verdict) expect(done.verdict).toMatchObject(verdict);
    else expect(done).not.toHaveProperty('verdict');
  });

  it('forces no inapplicable signal onto uploaded content', async () => {
    const signals_required = ['screen', 'ai', 'reverse', 'depth'];
    const uploaded = { status: 'not_applicable', reason: 'uploaded_content' };
    const forced = async (test_outcome: string) => {
      const { id } = await createVerification(service, { mode: 'audit', metadata: { test_outcome }, signals_required });
      await submit(service, id, picture);
      return (await untilStatus(service, id, ['completed'])).verdict!;
    };
    for (const outcome of ['verified', 'suspicious', 'screen_detected', 'depth_anomaly']) {
      const { signals } = await forced(outcome);
      expect([outcome, signals.screen_detection, signals.depth]).toEqual([outcome, uploaded, uploaded]);
      expect(signals.ai_detection).toMatchObject({ label: 'unknown' });
    }
    const generated = await forced('ai_generated');
    expect(generated).toMatchObject({ label: 'failed', reason_code: 'ai_generated' });
    expect(generated.signals.ai_detection).toMatchObject({ label: 'likely_ai' });
  });

  it('ignores test outcomes in live mode', async () => {
    const key = service.tenant.pk_live;
    const { id } = await createVerification(service, { metadata: { test_outcome: 'failed' } }, key);
    await submit(service, id, picture);
    expect((await untilStatus(service, id, ['completed', 'failed'], key)).status).toBe('completed');
  });

  it('compares the location with coordinates and plus codes', async () => {
    const place = async (expected: string, location?: object) => {
      const { id } = await createVerification(service, { expected_location: expected });
      await submit(service, id, picture, location ? { location } : {});
      const done = await untilStatus(service, id, ['completed']);
      expect(done.location_match).toEqual({
        result: done.captures[0]!.location_match?.result,
        expected_location: expected,
      });
      return done.captures[0]!.location_match!;
    };
    const near = { latitude: 48.1375, longitude: 11.5756, accuracy_m: 20 };
    expect(await place('48.1374, 11.5755', near)).toMatchObject({
      result: 'verified',
      tolerance_m: 170,
      source: 'program',
    });
    expect(await place('8FWH4HX8+9C', near)).toMatchObject({ result: 'no_match' });
    expect(await place('52.52,13.405', near)).toMatchObject({ result: 'no_match', tolerance_m: 170 });
    expect(await place('48.1374,11.5755', { ...near, simulated: true })).toEqual({ result: 'rejected' });
    expect(await place('48.1374,11.5755')).toEqual({ result: 'ungeocoded' });
    expect(await place('Somewhere 5, Nowhere', near)).toEqual({ result: 'ungeocoded' });
  });

  it('says who sent a position, and counts a position in the file against it', async () => {
    const near = { latitude: 48.1375, longitude: 11.5756, accuracy_m: 20 };
    const expected_location = '48.1374, 11.5755';
    const sent = async (
      headers: Record<string, string>,
      bytes: Uint8Array = picture,
      location: object | null = near,
    ) => {
      const { id } = await createVerification(service, { expected_location });
      await submit(service, id, bytes, location ? { location } : {}, headers);
      const [capture] = (await untilStatus(service, id, ['completed'])).captures;
      return { ...capture!.location_match, sent_by: capture!.location_source };
    };
    const page = { origin: service.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    expect(await sent({})).toMatchObject({ result: 'verified', source: 'program', sent_by: 'program' });
    expect(await sent(page)).toMatchObject({ result: 'verified', source: 'page', sent_by: 'page' });
    for (const forged of [
      { origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ])
      expect(await sent({ ...page, ...forged })).toMatchObject({ source: 'program' });
    // Berlin, in the file of a photo that claims to be taken in Munich.
    const elsewhere = await sharp(await plain({}))
      .withExif({
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '52/1 31/1 12/1',
          GPSLongitudeRef: 'E',
          GPSLongitude: '13/1 24/1 18/1',
        },
      })
      .jpeg()
      .toBuffer();
    const against = await sent(page, elsewhere);
    expect(against).toMatchObject({ result: 'no_match', source: 'page' });
    expect(against.exif_distance_m).toBeGreaterThan(400_000);
    // A file proves no place.
    expect(await sent(page, elsewhere, null)).toMatchObject({
      result: 'ungeocoded',
      exif_distance_m: expect.any(Number),
    });
  });

  it('allows every origin and ignores Authorization', async () => {
    const { id } = await createVerification(service);
    const preflight = await fetch(`${service.url}/v1/verifications/${id}/captures`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const session = await ask(service, `/v1/verify/${id}`, { headers: { authorization: 'Bearer nonsense' } });
    expect([session.status, session.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(session.headers.get('x-content-type-options')).toBe('nosniff');
    const tenantRoute = await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(tenantRoute.headers.get('access-control-allow-origin')).toBeNull();
  });
});
