import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import canonicalize from 'canonicalize';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { many } from '../../../src/platform/db/sql.ts';
import { sha256Hex } from '../../../src/platform/lib/keyring.ts';
import { codeOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, submit, until, untilStatus } from '../../support/harness.ts';
import { firstHand, plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

/** Pictures of real phones, where the folder is at hand. */
const HEIC = join(process.env.FIRSTHAND_DATA ?? 'none', 'heic');
const phones = existsSync(HEIC)
  ? readdirSync(HEIC, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.hei[cf]$/i.test(name))
      .slice(0, 3)
  : [];
const snapshot = { schema_version: 1, step: 'ready', elapsed_ms: 1 };

/** A WebP with a sound structure whose pixel data no decoder can read. */
async function withoutPixels(): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#456' } })
    .webp()
    .toBuffer();
  // RIFF header, chunk header and the frame's header with its size stay; the compressed pixels become nonsense.
  return bytes.fill(0xff, 30);
}

/** A PNG of a few hundred bytes whose header says that it has this many pixels. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

describe('verification outcome', () => {
  let skewMs = 0;
  let picture: Buffer;
  const service = serviceOfSuite({ now: () => new Date(Date.now() + skewMs) });
  beforeAll(async () => {
    picture = await plain();
  });

  const read = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body;
  const report = (id: string, body: object) => ask(service, `/v1/verifications/${id}/progress`, { body });
  const answer = (id: string, answers: object) =>
    ask(service, `/v1/verifications/${id}/answers`, { body: { answers } });
  const finalize = (id: string) =>
    ask(service, `/v1/verifications/${id}/finalize`, { key: service.tenant.pk_test, body: { narrative: 'It fell.' } });
  const cancel = (id: string) =>
    ask<Verification>(service, `/v1/verifications/${id}/cancel`, { key: service.tenant.rk_secret, method: 'POST' });
  const eventsOf = async (id: string) =>
    (
      await many<{ type: string }>(
        service.deps.db,
        'select type from events where verification_id = $1 order by sequence',
        [id],
      )
    ).map(({ type }) => type);

  it('keeps the configuration unchanged after creation', async () => {
    const made = await createVerification(service, {
      steps: [
        { key: 'a', min: 1, max: 2 },
        { type: 'text', key: 't' },
      ],
      metadata: { k: 'v' },
      context: { kind: 'k', summary: 's', attributes: { n: 1.5 } },
      expected_location: '1,1',
      notify_email: 'a@example.org',
    });
    const same = async () => expect((await read(made.id)).config).toEqual(made.config);
    await report(made.id, { ...snapshot, abandoned: true });
    await same();
    await submit(service, made.id, picture);
    await same();
    await answer(made.id, { t: 'x' });
    await untilStatus(service, made.id, ['completed']);
    await same();
    await finalize(made.id);
    await same();
    const patch = await ask(service, `/v1/verifications/${made.id}`, {
      method: 'PATCH',
      key: service.tenant.rk_secret,
      body: { max_captures: 2 },
    });
    expect(patch.status).toBe(404);
  });

  it('seals answers: the hash follows from a GET, changes with an answer, and is absent with seal: false', async () => {
    const steps = [
      { key: 'a', min: 2, max: 2 },
      { type: 'text', key: 't' },
    ];
    const body = {
      steps,
      metadata: { z: 'ü \u2028 "quoted"', a: '1' },
      context: { kind: 'k', summary: 's', attributes: { n: 1e21, m: 0.1, b: false } },
    };
    const { id } = await createVerification(service, body);
    expect(await read(id)).not.toHaveProperty('record_seal');
    await answer(id, { t: 'first €\u{1F697}' });
    const recompute = async () => {
      const text = await (
        await fetch(`${service.url}/v1/verifications/${id}`, {
          headers: { authorization: `Bearer ${service.tenant.pk_test}` },
        })
      ).text();
      const { created_at, expires_at, config, answers, record_seal } = JSON.parse(text) as Verification;
      expect(record_seal?.hash).toBe(
        sha256Hex(canonicalize({ record: { id, created_at, expires_at, config }, answers }) ?? ''),
      );
      expect(record_seal).toMatchObject({ algorithm: 'sha256', covers: ['record', 'answers'] });
      return record_seal?.hash;
    };
    const first = await recompute();
    await answer(id, { t: 'second' });
    expect(await recompute()).not.toBe(first);

    const unsealed = await createVerification(service, { steps, seal: false });
    await answer(unsealed.id, { t: 'x' });
    const view = await read(unsealed.id);
    expect(view.answers?.t?.value).toBe('x');
    expect(view).not.toHaveProperty('record_seal');
    expect((await ask(service, `/v1/verifications/${unsealed.id}/public`)).body).not.toHaveProperty('record_seal');
  });

  it('expires on the first read or write: tenant, list, session, public view, capture, answer, progress, finalize, cancel', async () => {
    const steps = [
      { key: 'a', min: 1, max: 1 },
      { type: 'text', key: 't' },
    ];
    const noticers: ((id: string) => Promise<unknown>)[] = [
      id => read(id),
      id => ask(service, `/v1/verify/${id}`),
      id => ask(service, `/v1/verifications/${id}/public`),
      id => submit(service, id, picture),
      id => answer(id, { t: 'x' }),
      id => report(id, snapshot),
      id => finalize(id),
      id => cancel(id),
      id => ask(service, `/v1/verifications?metadata[n]=list`, { key: service.tenant.pk_test }).then(() => id),
    ];
    const api = await startTestService({ beside: service, worker: false, now: () => new Date(Date.now() + 3_700_000) });
    const at = { url: api.url };
    try {
      for (const [index, notice] of noticers.entries()) {
        const { id } = await createVerification(service, { steps, metadata: { n: 'list' } });
        const mine = { ...service };
        service.url = at.url;
        await notice(id);
        service.url = mine.url;
        const rows = await many<{ status: string }>(service.deps.db, 'select status from verifications where id = $1', [
          id,
        ]);
        expect([index, rows[0]?.status]).toEqual([index, 'expired']);
        expect(await eventsOf(id)).toEqual(['verification.created', 'verification.expired']);
      }
    } finally {
      await api.stop();
    }
  });

  it('does not expire while only analysis is outstanding, and accepts nothing more meanwhile', async () => {
    const api = await startTestService({ worker: false, now: () => new Date(Date.now() + skewMs) });
    try {
      const key = api.tenant.pk_test;
      const steps = [
        { key: 'a', min: 1, max: 3 },
        { type: 'text', key: 't', required: false },
      ];
      const waiting = await createVerification(api, { steps });
      const lacking = await createVerification(api, { steps: [{ key: 'a', min: 2, max: 3 }] });
      for (const { id } of [waiting, lacking]) {
        expect((await submit(api, id, picture, {}, { 'idempotency-key': 'one' })).status).toBe(201);
      }
      skewMs = 3_700_000;
      const status = async (id: string) =>
        (await ask<Verification>(api, `/v1/verifications/${id}`, { key })).body.status;
      expect(await status(waiting.id)).toBe('partially_captured');
      expect(await status(lacking.id)).toBe('expired');
      expect(codeOf(await submit(api, waiting.id, picture))).toEqual([410, 'expired']);
      const again = await submit(api, waiting.id, picture, {}, { 'idempotency-key': 'one' });
      expect([again.status, again.body.captures_count]).toEqual([201, 1]);
      const url = await ask(api, `/v1/verifications/${waiting.id}/captures/upload-url`, {
        body: { contentType: 'image/jpeg' },
      });
      expect(codeOf(url)).toEqual([410, 'expired']);
      const late = await ask(api, `/v1/verifications/${waiting.id}/answers`, { body: { answers: { t: 'x' } } });
      expect(codeOf(late)).toEqual([410, 'expired']);
      const node = await startTestService({ beside: api, now: () => new Date(Date.now() + skewMs) });
      await untilStatus(api, waiting.id, ['completed'], key);
      await node.stop();
    } finally {
      skewMs = 0;
      await api.stop();
    }
  });

  it('is failed when a required picture cannot be analysed, keeps the picture, and stays failed', async () => {
    const { id } = await createVerification(service, { steps: [{ key: 'a', min: 1, max: 3 }] });
    expect((await submit(service, id, await withoutPixels())).status).toBe(201);
    const failed = await untilStatus(service, id, ['failed', 'completed']);
    expect([failed.status, failed.captures_count, failed.captures.length]).toEqual(['failed', 1, 1]);
    expect(failed).not.toHaveProperty('verdict');
    expect(failed).not.toHaveProperty('completed_at');
    expect(await eventsOf(id)).toEqual([
      'verification.created',
      'verification.capture.persisted',
      'verification.failed',
    ]);
    expect(codeOf(await submit(service, id, picture))).toEqual([409, 'verification_closed']);
    expect(codeOf(await finalize(id))).toEqual([409, 'verification_closed']);
    expect(codeOf(await cancel(id))).toEqual([409, 'verification_closed']);
    expect((await report(id, { ...snapshot, abandoned: true })).status).toBe(204);
    expect((await read(id)).status).toBe('failed');
  });

  it('is completed although an optional picture cannot be analysed, but not without any analysed picture', async () => {
    const steps = [
      { key: 'a', min: 1, max: 1 },
      { key: 'b', min: 0, max: 1 },
    ];
    const { id } = await createVerification(service, { steps });
    await submit(service, id, await withoutPixels(), { step_key: 'b' });
    await submit(service, id, picture, { step_key: 'a' });
    const done = await untilStatus(service, id, ['failed', 'completed']);
    expect(done.status).toBe('completed');
    expect(Object.keys(done.verdict?.signals ?? {}).sort()).toEqual(['ai_detection', 'screen_detection']);

    const alone = await createVerification(service, { steps: [{ key: 'b', min: 0, max: 2 }] });
    await submit(service, alone.id, await withoutPixels());
    const ended = await untilStatus(service, alone.id, ['failed', 'completed']);
    expect(ended.status).toBe('failed');
    expect(ended).not.toHaveProperty('verdict');
  });

  it('waits for exactly the required pictures and answers', async () => {
    const { id } = await createVerification(service, {
      steps: [
        { key: 'a', min: 1, max: 1 },
        { key: 'o', min: 0, max: 1 },
        { type: 'upload', key: 'u', min: 1, max: 1 },
        { type: 'text', key: 't' },
        { type: 'text', key: 'x', required: false },
      ],
    });
    await submit(service, id, picture);
    await answer(id, { t: 'x' });
    expect((await finalize(id)).body).toMatchObject({ error: { code: 'steps_incomplete' } });
    expect((await read(id)).status).toBe('partially_captured');
    await submit(service, id, picture, { step_key: 'u' });
    const done = await untilStatus(service, id, ['completed']);
    expect(done.captures.map(capture => [capture.step_key, capture.source])).toEqual([
      ['a', 'live'],
      ['u', 'upload'],
    ]);
  });

  it('counts nothing as live in audit mode', async () => {
    const { id } = await createVerification(service, {
      mode: 'audit',
      signals_required: ['screen', 'ai', 'reverse', 'depth', 'context'],
    });
    await submit(service, id, await firstHand(4), { surface: 'web' });
    const done = await untilStatus(service, id, ['completed']);
    expect(done.config.mode).toBe('audit');
    expect(done.captures[0]?.source).toBe('upload');
    const uploaded = { status: 'not_applicable', reason: 'uploaded_content' };
    expect(done.verdict).toMatchObject({ label: 'verified', signals: { screen_detection: uploaded, depth: uploaded } });
    expect(Object.keys(done.verdict?.signals ?? {}).sort()).toEqual([
      'ai_detection',
      'depth',
      'reverse_search',
      'screen_detection',
    ]);
    expect(done.verdict?.signals.ai_detection).toHaveProperty('label');
    expect(done.verdict?.signals.reverse_search).toMatchObject({ found_online: expect.any(Boolean) });
  });

  it('shows unevaluated depth and reverse search without tripping', async () => {
    const { id } = await createVerification(service, { signals_required: ['depth', 'context'] });
    const flat = await plain({ colour: '#abc' });
    await submit(service, id, flat);
    const done = await untilStatus(service, id, ['completed']);
    expect(Object.keys(done.verdict?.signals ?? {})).toEqual(['depth']);
    expect(done.verdict?.signals.depth).toMatchObject({ source: 'unavailable', confidence: 0 });
    expect(done.verdict?.label).toBe('suspicious');
    expect(done.verdict).not.toHaveProperty('reason_code');
  });

  it('never calls a picture verified of which a part is missing, with an end marker put back', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const create = { width: 1280, height: 960, channels: 3, background: '#888', noise } as const;
    const whole = await sharp({ create }).jpeg().toBuffer();
    const cut = Buffer.concat([whole.subarray(0, Math.floor((whole.length * 2) / 3)), Buffer.from([0xff, 0xd9])]);
    const { id } = await createVerification(service, {});
    expect((await submit(service, id, cut)).status).toBe(201);
    const done = await untilStatus(service, id, ['completed', 'failed']);
    expect([done.status, done.verdict]).toEqual(['failed', undefined]);
  });

  it('takes the worst location of its captures and limits the tolerance', async () => {
    const expected_location = '48.1374,11.5755';
    const near = { latitude: 48.1375, longitude: 11.5756, accuracy_m: 20 };
    const far = { latitude: 52.52, longitude: 13.405 };
    const worst = async (...locations: (object | null)[]) => {
      const { id } = await createVerification(service, { expected_location, max_captures: locations.length });
      for (const location of locations) await submit(service, id, picture, location ? { location } : {});
      const done = await untilStatus(service, id, ['completed']);
      expect(done.verdict?.label).toBe('verified');
      return [done.location_match?.result, done.captures.map(capture => capture.location_match)] as const;
    };
    expect((await worst(near, near))[0]).toBe('verified');
    expect((await worst(near, null))[0]).toBe('ungeocoded');
    expect((await worst(null, far, near))[0]).toBe('no_match');
    expect((await worst(far, { ...near, simulated: true }, null))[0]).toBe('rejected');
    const [, matches] = await worst({ ...near, accuracy_m: 5_000 }, { ...near, accuracy_m: 0 });
    expect(matches.map(match => match?.tolerance_m)).toEqual([1_000, 150]);
    const none = await createVerification(service);
    await submit(service, none.id, picture, { location: near });
    const done = await untilStatus(service, none.id, ['completed']);
    expect(done).not.toHaveProperty('location_match');
    expect(done.captures[0]?.location).toEqual(near);
  });

  it('shows a capture with every field, and none of it to the end user', async () => {
    const { id } = await createVerification(service, { metadata: { hidden: 'from-the-end-user' } });
    const sent = await submit(service, id, picture, {
      surface: 'web_file',
      client_captured_at: '2026-11-21T10:00:00+01:00',
    });
    const done = await untilStatus(service, id, ['completed']);
    const [capture] = done.captures;
    expect(capture).toMatchObject({
      id: expect.stringMatching(/^cap_[0-9A-HJKMNP-TV-Z]{26}$/),
      step_key: 'capture_1',
      source: 'live',
      surface: 'web_file',
      content_type: 'image/jpeg',
      size_bytes: picture.length,
      width: 640,
      height: 480,
      sha256: sha256Hex(picture),
      client_captured_at: '2026-11-21T09:00:00.000Z',
      image_url: expect.stringContaining(`/${id}/`),
      preview_url: expect.any(String),
      signals: { screen_detection: expect.any(Object), ai_detection: expect.any(Object) },
    });
    expect(sent.body).not.toHaveProperty('captures');
    const session = await ask<EndUserView>(service, `/v1/verify/${id}`);
    for (const member of ['id', 'status', 'capture_url', 'created_at', 'expires_at', 'captures_count', 'config']) {
      expect(session.body).toHaveProperty(member);
    }
    expect(Object.keys(session.body.config).sort()).toEqual(['max_captures', 'signals_required', 'steps']);
    expect(session.text).not.toContain('from-the-end-user');
    expect(session.text).not.toContain('verdict');
    expect(session.body).not.toHaveProperty('captures');
  });

  it('refuses a picture of more than 100 megapixels by its header', async () => {
    const { id } = await createVerification(service);
    const reply = await submit(service, id, await claiming(10_001, 10_000));
    expect([reply.status, reply.body.error?.fields]).toEqual([
      400,
      [
        {
          path: 'image_base64',
          message: 'has more than 100 megapixels',
          code: 'too_many_pixels',
          params: { max: 100 },
        },
      ],
    ]);
    expect((await read(id)).captures_count).toBe(0);
  });

  it('cancels an open verification whatever it holds, and announces it once', async () => {
    const { id } = await createVerification(service, { max_captures: 2 });
    await submit(service, id, picture);
    await report(id, { ...snapshot, abandoned: true });
    expect((await read(id)).status).toBe('abandoned');
    const cancelled = await cancel(id);
    expect([cancelled.status, cancelled.body.status, cancelled.body.captures.length]).toEqual([200, 'expired', 1]);
    expect((await cancel(id)).body.status).toBe('expired');
    expect(codeOf(await submit(service, id, picture))).toEqual([410, 'expired']);
    expect(codeOf(await answer(id, { nope: 'x' }))).toEqual([400, 'invalid_request']);
    expect((await eventsOf(id)).filter(type => type === 'verification.expired')).toHaveLength(1);
    expect((await ask<EndUserView>(service, `/v1/verify/${id}`)).body.status).toBe('expired');
  });

  it('is not abandoned after everything required arrived', async () => {
    const { id } = await createVerification(service);
    await submit(service, id, picture);
    await report(id, { ...snapshot, abandoned: true });
    expect((await read(id)).status).not.toBe('abandoned');
    expect((await untilStatus(service, id, ['completed'])).progress).toMatchObject(snapshot);
    expect((await eventsOf(id)).join()).not.toContain('abandoned');
  });

  it('has picture links that last an hour, on the public address', async () => {
    const { id } = await createVerification(service);
    await submit(service, id, picture);
    const done = await untilStatus(service, id, ['completed']);
    for (const address of [done.captures[0]?.image_url, done.captures[0]?.preview_url]) {
      const seconds = Number(new URL(address!).searchParams.get('expires')) - Date.now() / 1_000;
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_601);
    }
    const elsewhere = await startTestService({
      beside: service,
      worker: false,
      env: { CAPTURE_BASE_URL: 'https://capture.example.org' },
    });
    const other = await createVerification(elsewhere);
    await elsewhere.stop();
    expect(other.capture_url).toBe(`https://capture.example.org/v/${other.id}`);
  });

  it('finalize and cancel replay their answer with fresh presigned links, and store none', async () => {
    const key = service.tenant.rk_secret;
    const done = await createVerification(service);
    await submit(service, done.id, picture);
    await untilStatus(service, done.id, ['completed']);
    const partly = await createVerification(service, { max_captures: 2 });
    await submit(service, partly.id, picture);
    // A preview that is made between answer and replay would be new in the replay.
    await until(async () => {
      const { body } = await ask<Verification>(service, `/v1/verifications/${partly.id}`, { key });
      return body.captures.every(capture => capture.preview_url);
    }, 'the preview');

    const calls: [string, object | undefined][] = [
      [`/v1/verifications/${done.id}/finalize`, { narrative: 'The roof was hit by hail.' }],
      [`/v1/verifications/${partly.id}/cancel`, undefined],
    ];
    for (const [index, [path, body]] of calls.entries()) {
      const send = () =>
        ask<Verification>(service, path, {
          key,
          method: 'POST',
          headers: { 'idempotency-key': `replayed-${index}` },
          ...(body ? { body } : {}),
        });
      const links = ({ captures }: Verification) =>
        captures!.flatMap(c => [c.image_url!, c.preview_url!].filter(Boolean));
      const first = await send();
      // A case that takes longer is answered before it is done.
      expect([200, 202], first.text).toContain(first.status);
      expect(links(first.body).length).toBeGreaterThan(0);
      const { rows } = await service.deps.db.query<{ body: string }>(
        'select body from idempotency_keys where key = $1',
        [sha256Hex(`replayed-${index}`)],
      );
      expect(rows[0]!.body).toContain('"captures"');
      expect(rows[0]!.body).not.toMatch(/signature|\/blobs\//i);

      skewMs += 2 * 3_600_000;
      for (const link of links(first.body)) expect((await fetch(link)).status).toBe(410);
      const replayed = await send();
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      for (const link of links(replayed.body)) expect((await fetch(link)).status).toBe(200);
      const unlinked = (view: Verification) =>
        JSON.parse(JSON.stringify(view).replaceAll(/"(\w+_url)":"[^"]*\/blobs\/[^"]*"/g, '"$1":"a link"'));
      expect(unlinked(replayed.body)).toEqual(unlinked(first.body));
    }
    skewMs = 0;
  });

  it.skipIf(phones.length === 0)(`accepts HEIC files from phones (${phones.length} available)`, async () => {
    for (const name of phones) {
      const bytes = await readFile(join(HEIC, name));
      const { id } = await createVerification(service);
      expect([name, (await submit(service, id, bytes)).status]).toEqual([name, 201]);
      const done = await untilStatus(service, id, ['completed', 'failed']);
      expect([name, done.status]).toEqual([name, 'completed']);
      expect(['image/heic', 'image/heif']).toContain(done.captures[0]?.content_type);
      expect((await fetch(done.captures[0]!.preview_url!)).status).toBe(200);
    }
  });
});
