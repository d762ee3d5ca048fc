import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { type Challenge, TRACE, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../support/failure.ts';
import { ask, createVerification, startTestService, submit, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

let late = 0;
const service = serviceOfSuite({ worker: false, now: () => new Date(Date.now() + late) });

const challenge = (id: string, step_key = 'photo') =>
  ask<Challenge & Failure>(service, `/v1/verifications/${id}/challenges`, { body: { step_key } });
const image = (key: string, max = 1) => ({ type: 'image', key, description: 'Anything', min: 1, max });
const create = async (body: object = {}) =>
  (await createVerification(service, { steps: [image('photo')], signals_required: ['depth'], ...body })).id;
const rowsOf = async (id: string) =>
  (
    await service.deps.db.query<{ id: string; step_key: string; expires_at: Date; capture_id: string | null }>(
      'select id, step_key, expires_at, capture_id from challenges where verification_id = $1 order by issued_at, id',
      [id],
    )
  ).rows;

describe('POST /v1/verifications/:token/challenges', () => {
  it('asks for two moves at right angles, for two minutes, and for three from the third try on', async () => {
    const id = await create();
    const seen = [];
    for (let n = 0; n < 4; n += 1) {
      const { status, body } = await challenge(id);
      expect(status).toBe(201);
      expect(Date.parse(body.expires_at) - Date.parse(body.issued_at)).toBe(120_000);
      const sideways = body.moves.map(move => move === 'left' || move === 'right');
      expect(sideways.slice(1).every((is, i) => is !== sideways[i])).toBe(true);
      seen.push(body.moves.length);
    }
    expect(seen).toEqual([2, 2, 3, 3]);
  });

  it('draws all eight pairs of moves', async () => {
    const seen = new Set<string>();
    // Each pair is missed by 200 draws with a chance of (7/8)^200 < 1e-11.
    for (let n = 0; n < 20; n += 1) {
      const id = await create({ steps: [image('a', 5), image('b', 5)] });
      for (let i = 0; i < 5; i += 1) {
        for (const key of ['a', 'b']) seen.add((await challenge(id, key)).body.moves.slice(0, 2).join());
      }
    }
    expect(seen.size).toBe(8);
  });

  it('ends the challenge before it in the same step, and no other', async () => {
    const id = await create({ steps: [image('front'), image('back')] });
    const [front, back] = [await challenge(id, 'front'), await challenge(id, 'back')];
    await sleep(5);
    const again = await challenge(id, 'front');
    const rows = new Map((await rowsOf(id)).map(row => [row.id, row]));
    expect(rows.get(front.body.challenge_id)!.expires_at.toISOString()).toBe(again.body.issued_at);
    expect(rows.get(back.body.challenge_id)!.expires_at.toISOString()).toBe(back.body.expires_at);
  });

  it('leaves one open of several requested at once', async () => {
    const id = await create();
    const answers = await Promise.all(Array.from({ length: 6 }, () => challenge(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    const now = Math.max(...answers.map(({ body }) => Date.parse(body.issued_at)));
    expect((await rowsOf(id)).filter(row => row.expires_at.getTime() > now)).toHaveLength(1);
  });

  it('answers 429 after ten challenges for one photo, and still takes the photo', async () => {
    const id = await create();
    for (let n = 0; n < 10; n += 1) expect((await challenge(id)).status).toBe(201);
    const refused = await challenge(id);
    expect(refused.status).toBe(429);
    expect(refused.body.error?.code).toBe('too_many_requests');
    expect((await submit(service, id, await plain())).status).toBe(201);
  });

  it('refuses what takes no live photo', async () => {
    const upload = { type: 'upload', key: 'file', description: 'A file', min: 0, max: 1, accept: ['image/jpeg'] };
    const text = { type: 'text', key: 'words', description: 'Words', required: false };
    const id = await create({ steps: [image('photo'), upload, text] });
    const fields = [
      { path: 'step_key', message: 'must name a step that takes live photos', code: 'unknown_reference' },
    ];
    expect((await challenge(id, 'file')).body.error).toMatchObject({ code: 'invalid_request', fields });
    for (const key of ['words', 'nothing', '']) {
      expect((await challenge(id, key)).body.error?.code).toBe('unknown_step');
    }
    const audit = await create({ mode: 'audit' });
    expect((await challenge(audit)).body.error).toMatchObject({ code: 'invalid_request', fields });
  });

  it('answers step_full, expired and 404 as upload-url does', async () => {
    const id = await create();
    expect((await submit(service, id, await plain())).status).toBe(201);
    expect((await challenge(id)).body.error?.code).toBe('step_full');
    const old = await create({ expires_in_seconds: 60 });
    late = 61_000;
    expect((await challenge(old)).body.error?.code).toBe('expired');
    late = 0;
    expect((await challenge(`vfy_${'0'.repeat(26)}`)).status).toBe(404);
  });
});

describe('POST /v1/verifications/:token/captures/upload-url', () => {
  it('takes a trace of at most 1,500,000 bytes for an image step, and none for an upload step', async () => {
    const upload = { type: 'upload', key: 'file', description: 'A file', min: 0, max: 1, accept: ['image/jpeg'] };
    const id = await create({ steps: [image('photo'), upload] });
    const url = (body: object) =>
      ask<UploadUrlResponse & Failure>(service, `/v1/verifications/${id}/captures/upload-url`, {
        body: { content_type: TRACE_CONTENT_TYPE, ...body },
      });
    const { status, body } = await url({ step_key: 'photo', size_bytes: TRACE.maxBytes });
    expect(status).toBe(201);
    const put = (bytes: number) =>
      fetch(body.upload_url, { method: 'PUT', headers: body.headers, body: new Uint8Array(bytes) });
    expect((await put(TRACE.maxBytes + 1)).status).toBe(400);
    expect((await put(TRACE.maxBytes)).status).toBe(200);
    expect((await url({ size_bytes: TRACE.maxBytes + 1 })).body.error?.fields).toEqual([
      {
        path: 'size_bytes',
        message: 'must be at most 1500000',
        code: 'too_many_bytes',
        params: { max: 1_500_000 },
      },
    ]);
    expect((await url({ step_key: 'file' })).status).toBe(400);
  });
});

describe('POST /v1/verifications/:token/captures', () => {
  const sha256 = 'a'.repeat(64);

  it('takes challenge_id, trace_key and trace_sha256 together or not at all', async () => {
    const id = await create();
    const fields = { challenge_id: `chl_${'0'.repeat(26)}`, trace_key: 'x', trace_sha256: sha256 };
    for (const name of Object.keys(fields)) {
      const { status, body } = await submit(service, id, await plain(), { ...fields, [name]: undefined });
      expect(status).toBe(400);
      expect(body.error?.fields).toEqual([
        {
          path: name,
          message: expect.stringContaining('is required with'),
          code: 'required',
          params: { with: ['challenge_id', 'trace_key', 'trace_sha256'].filter(other => other !== name) },
        },
      ]);
    }
  });

  it('refuses the trace key of another verification', async () => {
    const id = await create();
    const { body } = await challenge(id);
    const trace_key = `captures/${await create()}/cap_${'0'.repeat(26)}`;
    const sent = await submit(service, id, await plain(), {
      challenge_id: body.challenge_id,
      trace_key,
      trace_sha256: sha256,
    });
    expect(sent.body.error?.fields).toEqual([
      { path: 'trace_key', message: 'belongs to another verification', code: 'unknown_reference' },
    ]);
  });
});

describe('the analysis of a trace', () => {
  it('leaves the trace out at the last attempt, so that a trace that ends its thread never costs the photo', async () => {
    const id = await create({ depth_policy: 'strict' });
    const { body } = await challenge(id);
    const sent = await submit(service, id, await plain(), {
      challenge_id: body.challenge_id,
      trace_key: `captures/${id}/cap_${'0'.repeat(26)}`,
      trace_sha256: 'a'.repeat(64),
    });
    expect(sent.status).toBe(201);
    // Two attempts have begun and ended with their process.
    await service.deps.db.query('update captures set analysis_attempts = 2 where verification_id = $1', [id]);
    const node = await startTestService({ beside: service });
    try {
      const { verdict, captures } = await untilStatus(service, id, ['completed']);
      expect(verdict?.label).toBe('suspicious');
      expect(captures[0]!.presence?.words).toBe('The analysis of the trace did not finish.');
    } finally {
      await node.stop();
    }
  });
});

describe('POST /v1/verifications', () => {
  const configOf = async (body: object, key = service.tenant.pk_test) =>
    (await createVerification(service, body, key)).config;

  it('takes depth_policy from the request, else from the settings, where depth is required', async () => {
    const { rk_secret } = service.tenant;
    const depth = { max_captures: 1, signals_required: ['depth'] };
    expect((await configOf(depth)).depth_policy).toBe('lenient');
    const patched = await ask<{ depth_policy: string }>(service, '/v1/settings', {
      method: 'PATCH',
      key: rk_secret,
      body: { depth_policy: 'strict' },
    });
    expect(patched.body.depth_policy).toBe('strict');
    expect((await configOf(depth)).depth_policy).toBe('strict');
    expect((await configOf({ ...depth, depth_policy: 'lenient' })).depth_policy).toBe('lenient');
    expect('depth_policy' in (await configOf({ max_captures: 1 }))).toBe(false);
    await ask(service, '/v1/settings', { method: 'PATCH', key: rk_secret, body: { depth_policy: 'lenient' } });
  });

  it('refuses a depth_policy without depth', async () => {
    const { body } = await ask<Failure>(service, '/v1/verifications', {
      key: service.tenant.pk_test,
      body: { max_captures: 1, depth_policy: 'strict' },
    });
    expect(body.error?.fields).toEqual([
      {
        path: 'depth_policy',
        message: 'needs "depth" among signals_required',
        code: 'conflict',
        params: { with: ['signals_required'] },
      },
    ]);
  });
});
