import {
  type Challenge,
  type Move,
  TRACE_CONTENT_TYPE,
  type TraceHeader,
} from '@firsthand/contract/verification/presence.ts';
import type { Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/platform/lib/keyring.ts';
import { ask, createVerification, submit, untilStatus } from '../../support/harness.ts';
import { firstHand, plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { upload } from '../../support/upload.ts';

const SEED = 3;
const stage = drawStage(SEED);
let nextSensor = 0;
let late = 0;
let oldPhoto: Buffer;
/** A small photo that costs little. */
let small: Buffer;
const service = serviceOfSuite({ now: () => new Date(Date.now() + late) });
beforeAll(async () => {
  oldPhoto = await ofThePhone(await firstHand(), '2025:05:17 10:41:33');
  small = await plain({ width: 640, height: 480 });
});

const announce = async (id: string, { challenge_id }: Challenge, photo: Uint8Array, file: Uint8Array) => {
  const reply = await ask<{ announced_at: string }>(service, `/v1/verifications/${id}/films`, {
    body: { challenge_id, image_sha256: sha256Hex(photo), trace_sha256: sha256Hex(file) },
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
};

/** A photo as a phone's camera saves it, taken at a time. */
const ofThePhone = (jpeg: Buffer, taken: string) =>
  sharp(jpeg)
    .withExif({
      IFD0: { Make: 'Google', Model: 'Pixel 8', Software: 'HDR+ 1.0' },
      IFD2: { DateTimeOriginal: taken, LensModel: 'Pixel 8 back camera' },
    })
    .jpeg({ quality: 95 })
    .toBuffer();
const exifNow = () => new Date().toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');

const jpegOf = ({ width, height, data }: Picture) =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();

/** A film by a rendered hand that moves as asked. */
const filmOf = (moves: readonly Move[], hand = SEED): Promise<Film> =>
  drawFilm({
    stage,
    way: handWay(moves, random(hand)),
    sensor: drawSensor(SEED),
    gyroscope: true,
  });

type Policy = 'lenient' | 'strict';
const create = async (depth_policy: Policy, body: object = {}) =>
  (await createVerification(service, { max_captures: 1, signals_required: ['ai', 'depth'], depth_policy, ...body })).id;
const challengeOf = async (id: string) => {
  const steps = (await ask<Verification>(service, `/v1/verify/${id}`)).body.config.steps;
  const reply = await ask<Challenge>(service, `/v1/verifications/${id}/challenges`, {
    body: { step_key: steps[0]!.key },
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
};
const withTrace = async (id: string, challenge_id: string, file: Uint8Array) => {
  const { put, image_key, sha256 } = await upload(service, id, file, { content_type: TRACE_CONTENT_TYPE });
  expect(put).toBe(200);
  return { challenge_id, trace_key: image_key, trace_sha256: sha256 };
};
const traceOf = (film: Film, { challenge_id, moves, issued_at }: Challenge, header: Partial<TraceHeader> = {}) =>
  encodeTrace(film.trace, {
    challengeId: challenge_id,
    moves,
    header: { began_at: Date.parse(issued_at) + 4_000, ...header },
  });

type Judged = Verification & { capture: Capture };
const outcome = async (id: string, key = service.tenant.pk_test): Promise<Judged> => {
  const done = await untilStatus(service, id, ['completed', 'failed'], key);
  return { ...done, capture: done.captures.at(-1)! };
};
const send = async (id: string, photo: Uint8Array, more: object = {}, key?: string): Promise<Judged> => {
  const sent = await submit(service, id, photo, more);
  expect(sent.status, sent.text).toBe(201);
  return outcome(id, key);
};

describe('a live photo without a camera session', () => {
  const signals_required = ['screen', 'ai', 'reverse', 'depth'];

  it('is suspicious under strict when its file is from another day', async () => {
    const { verdict, capture } = await send(await create('strict', { signals_required }), oldPhoto);
    expect(verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    expect(verdict!.signals.depth).toMatchObject({ source: 'camera_session' });
    expect(capture.presence).toMatchObject({
      result: 'not_performed',
      checks: { fresh: { evaluated: true, passed: false, words: expect.stringContaining('2025-05-17') } },
    });
  });

  it('is verified under lenient when its file is from another day, and opens a review', async () => {
    // In the other mode, where "reverse" does not find the photo of the test before.
    const { pk_live } = service.tenant;
    const { id } = await createVerification(service, { max_captures: 1, signals_required }, pk_live);
    const { verdict, review, capture } = await send(id, oldPhoto, {}, pk_live);
    expect(verdict).toMatchObject({ label: 'verified' });
    expect(review.state).toBe('open');
    expect(capture.presence?.checks.fresh?.passed).toBe(false);
  });

  it('is suspicious under strict and verified under lenient when its file is of today', async () => {
    const photo = await ofThePhone(small, exifNow());
    const strict = await send(await create('strict'), photo);
    expect(strict.verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    const lenient = await send(await create('lenient'), photo);
    expect([lenient.verdict?.label, lenient.review.state]).toEqual(['verified', 'none']);
    expect(lenient.capture.presence).toEqual({
      result: 'not_performed',
      checks: {},
      words: 'No film came with the photo.',
    });
  });

  it('has no presence where it was uploaded, or where depth is not required', async () => {
    const audit = await send(await create('strict', { mode: 'audit' }), oldPhoto);
    expect([audit.verdict?.label, audit.capture.presence]).toEqual(['verified', undefined]);
    const { id } = await createVerification(service, { max_captures: 1, signals_required: ['ai'] });
    expect((await send(id, oldPhoto)).capture.presence).toBeUndefined();
  });

  it('does not change the outcome that a test asks for', async () => {
    const id = await create('strict', { metadata: { test_outcome: 'verified' } });
    expect((await send(id, oldPhoto)).verdict?.label).toBe('verified');
  });
});

describe('a live photo with a camera session', () => {
  let film: Film;
  beforeAll(async () => {
    film = await filmOf(['right', 'up']);
  });

  /** A verification whose challenge asks for the moves of the film: one in eight does. */
  async function fitting(policy: Policy = 'strict') {
    for (;;) {
      const id = await create(policy, { expires_in_seconds: 86_400 });
      const challenge = await challengeOf(id);
      if (challenge.moves.join() === 'right,up') return { id, challenge };
    }
  }

  it('is verified under strict when a hand filmed a real scene as asked, even if it arrives hours after it was announced', async () => {
    const { id, challenge } = await fitting();
    const file = await traceOf(film, challenge);
    const photo = await jpegOf(film.still);
    await announce(id, challenge, photo, file);
    late = 3 * 3600_000;
    try {
      const trace = await withTrace(id, challenge.challenge_id, file);
      const second = (await jpegOf(film.second)).toString('base64');
      const sent = await send(id, photo, { ...trace, motion_frame_base64: second });
      const { presence } = sent.capture;
      expect(presence?.result, JSON.stringify(presence)).toBe('passed');
      expect(sent.verdict).toMatchObject({ label: 'verified', signals: { depth: { source: 'camera_session' } } });
      expect(presence!.evidence).toMatchObject({
        moves_asked: challenge.moves,
        moves_done: challenge.moves,
        noise: { before: expect.any(Number), after: expect.any(Number) },
        challenges: 1,
        gave_up: false,
      });
      expect(presence!.evidence!.delay_seconds).toBeGreaterThan(10_000);
      expect(presence!.evidence!.path).toHaveLength(film.trace.frames.length);
      const strip = await fetch(presence!.evidence!.strip_url!);
      expect([strip.status, strip.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      const { width, height } = await sharp(Buffer.from(await strip.arrayBuffer())).metadata();
      expect(width! / height!).toBeGreaterThan(8);
      const { before_url, after_url } = presence!.evidence!.noise!;
      for (const url of [before_url!, after_url!]) {
        const noise = await fetch(url);
        expect([noise.status, noise.headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(await sharp(Buffer.from(await noise.arrayBuffer())).metadata()).toMatchObject({
          width: 256,
          height: 256,
        });
      }
      const { rows } = await service.deps.db.query<{ body: string }>(
        "select body from events where verification_id = $1 and public_type = 'verification.completed'",
        [id],
      );
      expect(rows[0]!.body).toContain('"presence"');
      expect(rows[0]!.body).not.toMatch(/strip|_blob|before_url/);
    } finally {
      late = 0;
    }
  });

  describe('of which a part came before in the account', () => {
    let other: Film;
    beforeAll(async () => {
      other = await drawFilm({
        stage: drawStage(SEED + 1),
        way: handWay(['right', 'up'], random(SEED)),
        sensor: drawSensor(SEED + 1),
        gyroscope: true,
      });
    });

    /** Sends a film, restamped for its verification, with a photo. */
    const sendFilm = async (from: Film, photo: Buffer, policy: Policy = 'strict') => {
      const { id, challenge } = await fitting(policy);
      return send(id, photo, await withTrace(id, challenge.challenge_id, await traceOf(from, challenge)));
    };

    it('a whole session counts once: under another link it is suspicious under strict', async () => {
      const photo = await jpegOf(other.still);
      const first = await sendFilm(other, photo);
      expect(first.capture.presence?.result, JSON.stringify(first.capture.presence)).toBe('passed');
      const again = await sendFilm(other, photo);
      expect(again.capture.presence?.result).toBe('inconclusive');
      expect(again.capture.presence?.checks.fresh).toMatchObject({
        evaluated: false,
        words: 'The same film came before, with another photo.',
      });
      expect(again.verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    });

    it('a photo with another film, and a film with another photo, do not count', async () => {
      const photo = await jpegOf(other.still);
      const fewer = { ...other, trace: { ...other.trace, crops: other.trace.crops.slice(0, -1) } };
      const samePhoto = await sendFilm(fewer, photo);
      expect(samePhoto.capture.presence?.checks.fresh?.words).toContain('The same photo came before.');
      const sameFilm = await sendFilm(other, await sharp(photo).jpeg({ quality: 90 }).toBuffer());
      expect(sameFilm.capture.presence?.checks.fresh?.words).toContain('The same film came before');
      for (const { verdict } of [samePhoto, sameFilm]) expect(verdict?.label).toBe('suspicious');
    });
  });

  describe('that the service hears of after the challenge has ended', () => {
    /** Each try has pictures of its own, because a film counts once in the account. */
    let tries = 0;
    const session = async (policy: Policy) => {
      tries += 1;
      const fewer = { ...film, trace: { ...film.trace, crops: film.trace.crops.slice(0, -tries) } };
      const photo = await sharp(await jpegOf(film.still))
        .jpeg({ quality: 90 - tries })
        .toBuffer();
      const { id, challenge } = await fitting(policy);
      return { id, challenge, photo, file: await traceOf(fewer, challenge) };
    };

    it.each<[Policy, string]>([
      ['strict', 'suspicious'],
      ['lenient', 'verified'],
    ])('has no answer whether it is fresh, and is %s: %s', async (policy, label) => {
      for (const announced of [true, false]) {
        const { id, challenge, photo, file } = await session(policy);
        late = 125_000;
        try {
          if (announced) await announce(id, challenge, photo, file);
          const sent = await send(id, photo, await withTrace(id, challenge.challenge_id, file));
          expect(sent.capture.presence?.checks.fresh).toMatchObject({
            evaluated: false,
            words: expect.stringContaining('after its request had ended'),
          });
          expect([sent.capture.presence?.result, sent.verdict?.label]).toEqual(['inconclusive', label]);
        } finally {
          late = 0;
        }
      }
    });

    it('is late although another photo or film was announced in time, and the first announcement stays', async () => {
      const { id, challenge, photo, file } = await session('strict');
      const at = await announce(id, challenge, photo, file);
      expect(await announce(id, challenge, photo, file)).toEqual(at);
      const { challenge_id } = challenge;
      const changed = await sharp(photo).jpeg({ quality: 70 }).toBuffer();
      const body = { challenge_id, image_sha256: sha256Hex(changed), trace_sha256: sha256Hex(file) };
      const second = await ask(service, `/v1/verifications/${id}/films`, { body });
      expect([second.status, second.text]).toEqual([400, expect.stringContaining('another photo or film')]);
      const foreign = await ask(service, `/v1/verifications/${await create('strict')}/films`, { body });
      expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining('not a challenge of this')]);
      late = 125_000;
      try {
        const sent = await send(id, changed, await withTrace(id, challenge_id, file));
        expect(sent.capture.presence?.checks.fresh?.words).toContain('after its request had ended');
      } finally {
        late = 0;
      }
    });
  });

  describe('with a film that was not made for it', () => {
    it.each<Policy>(['lenient', 'strict'])(
      'fails under %s when its challenge is another verification’s',
      async policy => {
        const theirs = await challengeOf(await create(policy));
        const id = await create(policy);
        const own = await challengeOf(id);
        const photo = await jpegOf(film.still);
        const named = await send(id, photo, await withTrace(id, theirs.challenge_id, await traceOf(film, theirs)));
        expect(named.verdict).toMatchObject({ label: 'failed', reason_code: 'depth_anomaly' });
        expect(named.capture.presence?.checks.fresh?.words).toContain('not made for this photo');

        const other = await create(policy);
        const challenge = await challengeOf(other);
        const made = await traceOf(film, own);
        const restamped = await send(other, photo, await withTrace(other, challenge.challenge_id, made));
        expect(restamped.verdict).toMatchObject({ label: 'failed', reason_code: 'depth_anomaly' });
        expect(restamped.capture.presence?.checks.fresh?.words).toContain('made for another request');
      },
    );

    it('fails when another photo has used its challenge; the same photo counts once', async () => {
      // A film that no account has seen.
      const film = await filmOf(['right', 'up'], SEED + 1);
      const { pk_test } = await service.newTenant();
      const body = { max_captures: 3, signals_required: ['ai', 'depth'] };
      const { id } = await createVerification(service, body, pk_test);
      const challenge = await challengeOf(id);
      const trace = await withTrace(id, challenge.challenge_id, await traceOf(film, challenge));
      const [photo, other] = [await jpegOf(film.still), await jpegOf(film.second)];
      for (const picture of [photo, photo, other]) {
        expect((await submit(service, id, picture, trace)).status).toBe(201);
      }
      const { captures } = await outcome(id, pk_test);
      const words = captures.map(({ presence }) => presence?.checks.fresh?.words ?? presence?.words);
      expect(words[0]).not.toContain('came before');
      expect(words[1]).toContain('came before');
      expect(words[1]).not.toContain('already used');
      expect(words[2]).toContain('already used');
    });

    it('fails when the film claims to be older than the challenge or later than the photo', async () => {
      for (const hours of [-1, 1]) {
        const id = await create('lenient');
        const challenge = await challengeOf(id);
        const began_at = Date.parse(challenge.issued_at) + hours * 3600_000;
        const file = await traceOf(film, challenge, { began_at });
        const { verdict } = await send(id, await jpegOf(film.still), await withTrace(id, challenge.challenge_id, file));
        expect(verdict?.label).toBe('failed');
      }
    });

    it.each([
      ['strict', 'silent', false, 'verified'],
      ['strict', 'silent', true, 'suspicious'],
      ['strict', 'refused', false, 'suspicious'],
      ['strict', undefined, false, 'suspicious'],
      ['lenient', 'refused', true, 'verified'],
    ] as const)(
      'under %s without the motion sensor, which is %s, beside a photo of a Pixel (%s), is %s',
      async (policy, absence, pixel, label) => {
        const { id, challenge } = await fitting(policy);
        // Another sensor's noise makes it another film of the same hand.
        const sensor = drawSensor(SEED + 40 + nextSensor++);
        const own = await drawFilm({ stage, way: handWay(['right', 'up'], random(SEED)), sensor });
        const track = { settings: {}, capabilities: {}, ...(absence && { motion: absence }) };
        const file = await traceOf(own, challenge, { track });
        const jpeg = await jpegOf(own.still);
        const photo = pixel ? await ofThePhone(jpeg, exifNow()) : jpeg;
        const { verdict, capture } = await send(id, photo, await withTrace(id, challenge.challenge_id, file));
        expect(verdict?.label, JSON.stringify(capture.presence)).toBe(label);
        expect(capture.presence?.checks.hand).toMatchObject({
          evaluated: false,
          evidence: { samples: 0, absence: absence ?? null, ...(pixel && { device: 'Pixel 8' }) },
        });
        if (label === 'suspicious')
          expect(capture.presence).toMatchObject({
            result: 'inconclusive',
            words: expect.stringContaining('motion sensor'),
          });
      },
    );

    it.each<Policy>(['lenient', 'strict'])('is suspicious under %s when its camera was a program', async policy => {
      const { id, challenge } = await fitting(policy);
      const file = await traceOf(film, challenge, {
        track: { settings: {}, capabilities: {}, program: 'OBS Virtual Camera' },
      });
      const sent = await send(id, await jpegOf(film.still), await withTrace(id, challenge.challenge_id, file));
      expect(sent.capture.presence?.checks.sensor).toMatchObject({
        passed: false,
        words: expect.stringContaining('“OBS Virtual Camera”'),
      });
      expect(sent.verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    });

    it('fails beside a photo of another scene', async () => {
      const id = await create('lenient');
      const challenge = await challengeOf(id);
      const file = await traceOf(film, challenge);
      const { capture, verdict } = await send(
        id,
        await jpegOf(drawStage(77).backdrop),
        await withTrace(id, challenge.challenge_id, file),
      );
      expect(capture.presence?.checks.continuous).toMatchObject({ evaluated: true, passed: false });
      expect(verdict).toMatchObject({ label: 'failed', reason_code: 'depth_anomaly' });
    });
  });

  it.each([
    ['of another day', () => oldPhoto],
    ['without EXIF', () => sharp(oldPhoto).jpeg({ quality: 95 }).toBuffer()],
  ] as const)('is suspicious under strict when a program made the film from a photo %s', async (_which, photoOf) => {
    const photo = await photoOf();
    const { data, info } = await sharp(photo).resize(1000, 750).raw().toBuffer({ resolveWithObject: true });
    const panned = { backdrop: { width: info.width, height: info.height, data }, cards: [] };
    const id = await create('strict');
    const challenge = await challengeOf(id);
    const way = handWay(challenge.moves, random(SEED));
    const forged = await drawFilm({ stage: panned, way, sensor: drawSensor(SEED) });
    const trace = await withTrace(id, challenge.challenge_id, await traceOf(forged, challenge));
    const { verdict, capture } = await send(id, photo, trace);
    expect(capture.presence?.result).not.toBe('passed');
    expect(verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
  });

  describe('that cannot be read', () => {
    const forged: [string, (file: Buffer) => Buffer | null][] = [
      ['is noise', () => Buffer.alloc(5_000, 7)],
      ['is empty of pictures', () => Buffer.from('\0\0\0\u0002{}', 'latin1')],
      ['ends early', file => file.subarray(0, file.length - 9)],
      ['never arrived', () => null],
    ];
    it.each(forged)('counts as none when it %s', async (_how, forge) => {
      const film = await smallFilm();
      for (const [policy, label] of [
        ['lenient', 'verified'],
        ['strict', 'suspicious'],
      ] as const) {
        const id = await create(policy);
        const challenge = await challengeOf(id);
        const file = forge(await encodeTrace(film, { challengeId: challenge.challenge_id, moves: challenge.moves }));
        const trace = file
          ? await withTrace(id, challenge.challenge_id, file)
          : {
              challenge_id: challenge.challenge_id,
              trace_key: `captures/${id}/cap_${'0'.repeat(26)}`,
              trace_sha256: 'a'.repeat(64),
            };
        const { verdict, capture } = await send(id, small, trace);
        expect(verdict?.label).toBe(label);
        expect(capture.presence).toMatchObject({ result: 'not_performed', checks: {} });
        expect(capture.presence?.words).toContain('trace');
      }
    });

    it('counts as none when its bytes are not those whose hash came with the photo', async () => {
      const film = await smallFilm();
      const id = await create('strict');
      const challenge = await challengeOf(id);
      const file = await encodeTrace(film, { challengeId: challenge.challenge_id, moves: challenge.moves });
      const trace = { ...(await withTrace(id, challenge.challenge_id, file)), trace_sha256: 'b'.repeat(64) };
      const { capture } = await send(id, small, trace);
      expect(capture.presence?.words).toBe('The trace is not the one whose hash came with the photo.');
    });
  });
});

/** A trace that can be read and shows nothing. */
async function smallFilm(): Promise<Film['trace']> {
  const { data, info } = await sharp(small).resize(160, 120).raw().toBuffer({ resolveWithObject: true });
  const picture = { width: info.width, height: info.height, data };
  const frames = Array.from({ length: 16 }, (_, i) => ({ at: i * 133, picture }));
  return { beganAt: Date.now(), frames, videoWidth: 640, crops: [], motion: [] };
}
