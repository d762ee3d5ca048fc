import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

const x = (length: number) => 'x'.repeat(length);

describe('capture routes, bounds', () => {
  let service: TestService;
  let id: string;
  let image_base64: string;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    image_base64 = (await plain()).toString('base64');
    ({ id } = await createVerification(service, {
      steps: [
        { key: 'p', min: 1, max: 20 },
        { type: 'text', key: 't' },
      ],
    }));
  });
  afterAll(() => service?.stop());

  const send = (route: string, body: unknown) => ask<Failure>(service, `/v1/verifications/${id}/${route}`, { body });
  const pathsIn = (reply: { body: unknown }) => [...new Set(pathsOf(reply))].sort();
  const at = { latitude: 0, longitude: 0 };

  it('accepts every field of a capture at its bounds', async () => {
    for (const more of [
      { surface: x(40), client_captured_at: '2026-01-01T00:00:00+14:00' },
      { surface: '' },
      { location: { latitude: -90, longitude: -180, accuracy_m: 0, simulated: false } },
      { location: { latitude: 90, longitude: 180 } },
      { attestation_token: x(20_000) },
      { motion_frame_base64: image_base64 },
    ]) {
      const reply = await send('captures', { image_base64, ...more });
      expect([reply.status, reply.text]).toEqual([201, reply.text]);
    }
  });

  it.each([
    ['surface: 41 characters', { surface: x(41) }, 'surface'],
    ['client_captured_at: 2026-02-30T00:00:00Z', { client_captured_at: '2026-02-30T00:00:00Z' }, 'client_captured_at'],
    ['client_captured_at: 2026-01-01', { client_captured_at: '2026-01-01' }, 'client_captured_at'],
    ['location: { ...at, latitude: 90.1', { location: { ...at, latitude: 90.1 } }, 'location.latitude'],
    ['location: { ...at, longitude: -180.1', { location: { ...at, longitude: -180.1 } }, 'location.longitude'],
    ['location: { ...at, accuracy_m: -1', { location: { ...at, accuracy_m: -1 } }, 'location.accuracy_m'],
    ['location: { ...at, simulated: no', { location: { ...at, simulated: 'no' } }, 'location.simulated'],
    ['location: { ...at, altitude: 5', { location: { ...at, altitude: 5 } }, 'location.altitude'],
    ['location: { latitude: 0', { location: { latitude: 0 } }, 'location.longitude'],
    ['attestation_token: x(20_001)', { attestation_token: x(20_001) }, 'attestation_token'],
    ['step_key: 5', { step_key: 5 }, 'step_key'],
    ['image_sha256: 64 characters', { image_sha256: x(64) }, 'image_sha256'],
    ['motion_frame_base64: %', { motion_frame_base64: '%' }, 'motion_frame_base64'],
    ['motion_frame_key: captures/x', { motion_frame_key: 'captures/x' }, 'motion_frame_key'],
    ['surprise: 1', { surprise: 1 }, 'surprise'],
  ])('refuses a capture with %s', async (_name, more, path) => {
    const reply = await send('captures', { image_base64, ...more });
    expect(reply.status).toBe(400);
    expect(pathsIn(reply)).toContain(path);
    expect(reply.body.error.code).toBe('invalid_request');
  });

  it('accepts an inline picture of at most 6 × 1,048,576 decoded bytes', async () => {
    const padded = (size: number) => Buffer.concat([Buffer.from(image_base64, 'base64'), Buffer.alloc(size)]);
    const exact = padded(6 * 1_048_576 - Buffer.from(image_base64, 'base64').length);
    expect((await send('captures', { image_base64: exact.toString('base64') })).status).toBe(201);
    const over = Buffer.concat([exact, Buffer.alloc(1)]);
    const reply = await send('captures', { image_base64: over.toString('base64') });
    expect([reply.status, pathsIn(reply)]).toEqual([400, ['image_base64']]);
  });

  it('accepts well-formed progress and refuses anything else with all faults at once', async () => {
    const snapshot = { schema_version: 1, step: 'landing', elapsed_ms: 0 };
    for (const good of [
      snapshot,
      {
        ...snapshot,
        updated_at: '2020-01-01T00:00:00Z',
        step_index: 0,
        camera_permission: 'unknown',
        abandoned: false,
      },
      ...['ready', 'capturing', 'reviewing', 'uploading', 'camera_blocked', 'success'].map(s => ({
        ...snapshot,
        step: s,
      })),
      ...['granted', 'denied', 'unavailable'].map(camera_permission => ({ ...snapshot, camera_permission })),
    ]) {
      expect((await send('progress', good)).status).toBe(204);
    }
    const stored = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(Date.parse(stored.body.progress!.updated_at)).toBeGreaterThan(Date.parse('2026-01-01'));
    const bad = await send('progress', {
      schema_version: 2,
      step: 'gone',
      elapsed_ms: -1,
      step_index: -1,
      camera_permission: 'maybe',
      abandoned: 'yes',
      updated_at: 'now',
      more: 1,
    });
    expect(pathsIn(bad)).toEqual(
      [
        'schema_version',
        'step',
        'elapsed_ms',
        'step_index',
        'camera_permission',
        'abandoned',
        'updated_at',
        'more',
      ].sort(),
    );
    expect(pathsIn(await send('progress', {}))).toEqual(['elapsed_ms', 'schema_version', 'step']);
  });

  it('counts the length of an answer in code points and reports unknown keys with the other faults', async () => {
    const car = '\u{1F697}';
    expect((await send('answers', { answers: { t: car.repeat(2_000) } })).status).toBe(200);
    expect(pathsIn(await send('answers', { answers: { t: car.repeat(2_001) } }))).toEqual(['answers.t']);
    expect(pathsIn(await send('answers', { answers: { t: '', nope: 'x', p: 5 }, more: 1 }))).toEqual(
      ['answers.t', 'answers.nope', 'answers.p', 'more'].sort(),
    );
    expect(pathsIn(await send('answers', { answers: {} }))).toEqual(['answers']);
    expect(pathsIn(await send('answers', {}))).toEqual(['answers']);
    expect(pathsIn(await send('answers', { answers: { 't\n': 1 } }))).toEqual(['answers.t\n']);
  });

  it('refuses malformed upload-url requests', async () => {
    const cases: [object, string[]][] = [
      [{ contentType: 5, size_bytes: 0 }, ['contentType', 'size_bytes']],
      [{ contentType: 'image/jpeg', size_bytes: 1.5 }, ['size_bytes']],
      [{ contentType: 'image/jpeg', size_bytes: 26_214_401 }, ['size_bytes']],
      [{ contentType: 'image/jpeg', content_type: 'image/png' }, ['content_type']],
      [{ contentType: 'image/jpeg', more: 1 }, ['more']],
      [{ contentType: 'text/html' }, ['contentType']],
    ];
    for (const [body, paths] of cases) expect(pathsIn(await send('captures/upload-url', body))).toEqual(paths);
    for (const step_key of ['t', 'nope', 'constructor']) {
      const reply = await send('captures/upload-url', { contentType: 'image/jpeg', step_key });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'unknown_step']);
    }
    for (const contentType of ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif', 'image/avif']) {
      expect((await send('captures/upload-url', { contentType })).status).toBe(201);
    }
  });
});
