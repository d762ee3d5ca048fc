import { type Challenge, type Move, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { filmPrint } from '@firsthand/forensics/presence/film-print.ts';
import { pathOf } from '@firsthand/forensics/presence/path.ts';
import type { Trace } from '@firsthand/forensics/presence/trace.ts';
import { COPIES, copied } from '@firsthand/forensics/simulate/copies.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { filmCameBefore } from 'firsthand/verification/captures/film-prints.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { upload } from '../../support/upload.ts';

const MOVES: readonly Move[] = ['right', 'up'];
const COPY = COPIES['JPEG of quality 50'];

/** A session by a rendered hand that passes under `strict`. Each hand makes another film of another room. */
const filmed = (hand: number): Promise<Film> =>
  drawFilm({ stage: drawStage(hand), way: handWay(MOVES, random(3)), sensor: drawSensor(hand), gyroscope: true });
const jpegOf = (film: Film, quality: number) =>
  sharp(film.still.data, { raw: { width: film.still.width, height: film.still.height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();

describe('POST /v1/verifications/:token/captures with a film that came before', () => {
  let service: TestService;
  let node: TestService;
  let other: NewTenant;
  let film: Film;
  beforeAll(async () => {
    service = await startTestService();
    node = await startTestService({ beside: service });
    other = await service.newTenant('Other company');
    film = await filmed(3);
  });
  afterAll(async () => {
    await node?.stop();
    await service?.stop();
  });

  /** A strict link of an account that asks for the moves of the film: one in eight does. */
  async function fitting(key: string, at: TestService) {
    for (;;) {
      const body = { max_captures: 1, signals_required: ['ai', 'depth'], depth_policy: 'strict' };
      const { id, config } = await createVerification(at, body, key);
      const step_key = config.steps[0]!.key;
      const challenge = (await ask<Challenge>(at, `/v1/verifications/${id}/challenges`, { body: { step_key } })).body;
      if (challenge.moves.join() === MOVES.join()) return { id, challenge };
    }
  }

  /** Everything that a sender does before the photo. */
  async function ready(key: string, trace: Trace, at = service) {
    const { id, challenge } = await fitting(key, at);
    const { challenge_id, moves, issued_at } = challenge;
    const header = { began_at: Date.parse(issued_at) + 4_000 };
    const file = await encodeTrace(trace, { challengeId: challenge_id, moves, header });
    const { put, image_key, sha256 } = await upload(at, id, file, { content_type: TRACE_CONTENT_TYPE });
    expect(put).toBe(200);
    return async (photo: Buffer) => {
      const sent = await submit(at, id, photo, { challenge_id, trace_key: image_key, trace_sha256: sha256 });
      expect(sent.status, sent.text).toBe(201);
      return id;
    };
  }
  const outcome = async (id: string, key: string) => {
    const done = await untilStatus(service, id, ['completed', 'failed'], key);
    const { presence } = done.captures[0]!;
    return { id, label: done.verdict?.label, reason: done.verdict?.reason_code, presence, text: JSON.stringify(done) };
  };
  const send = async (key: string, trace: Trace, photo: Buffer) => outcome(await (await ready(key, trace))(photo), key);

  it('is suspicious under strict in another account, encoded anew, with words that name nobody', async () => {
    const first = await send(service.tenant.pk_live, film.trace, await jpegOf(film, 92));
    expect(first.label, first.text).toBe('verified');
    const again = await send(other.pk_live, await copied(film.trace, COPY), await jpegOf(film, 80));
    expect([again.label, again.reason], again.text).toEqual(['suspicious', 'depth_anomaly']);
    expect(again.presence).toMatchObject({
      result: 'inconclusive',
      checks: {
        fresh: { evaluated: false, words: 'This film, or a part of it, came before in another encoding.' },
        continuous: { passed: true },
        asked: { passed: true },
      },
    });
    for (const name of [first.id, service.tenant.tenant_id]) expect(again.text).not.toContain(name);
    expect(again.text).not.toMatch(/"(print|film|keys)"/);
  });

  it('is suspicious under strict in the same account, cut at both ends', async () => {
    const cut = await copied(film.trace, frames => COPY(frames.slice(2, -1)));
    const crops = cut.crops.filter(({ frame }) => frame >= 2 && frame < film.trace.frames.length - 1);
    const trace = { ...cut, crops: crops.map(crop => ({ ...crop, frame: crop.frame - 2 })) };
    const again = await send(service.tenant.pk_live, trace, await jpegOf(film, 70));
    expect(again.presence?.checks.fresh, again.text).toMatchObject({ evaluated: false });
    expect(again.label).toBe('suspicious');
  });

  it('is verified in test mode until another account sends it: a company plays one film to its tests again and again', async () => {
    const ways = ['JPEG of quality 25', 'brighter, another gamma'] as const;
    for (const [i, how] of ways.entries()) {
      const own = await send(service.tenant.pk_test, await copied(film.trace, COPIES[how]), await jpegOf(film, 90 - i));
      expect(own.label, own.text).toBe('verified');
    }
    const theirs = await send(other.pk_test, await copied(film.trace, COPIES['scaled to 75%']), await jpegOf(film, 60));
    expect(theirs.label, theirs.text).toBe('suspicious');
  });

  it('counts once when two nodes get it at the same moment', async () => {
    const twin = await filmed(4);
    const [one, two] = await Promise.all([
      ready(service.tenant.pk_live, twin.trace),
      ready(other.pk_live, await copied(twin.trace, COPY), node),
    ]);
    const ids = await Promise.all([one(await jpegOf(twin, 92)), two(await jpegOf(twin, 80))]);
    const found = await Promise.all([outcome(ids[0], service.tenant.pk_live), outcome(ids[1], other.pk_live)]);
    expect(found.map(({ label }) => label).sort(), JSON.stringify(found)).toEqual(['suspicious', 'verified']);
  });

  it('is known no more once its capture is erased', async () => {
    const rest = async () =>
      (
        await service.deps.db.query<{ prints: number; keys: number; strays: number }>(
          `select (select count(*)::int from film_prints) as prints, (select count(*)::int from film_keys) as keys,
             (select count(*)::int from film_keys where film not in (select film from film_prints)) as strays`,
        )
      ).rows[0]!;
    const mine = await filmed(5);
    const before = await rest();
    const { id, label, text } = await send(service.tenant.pk_live, mine.trace, await jpegOf(mine, 92));
    expect(label, text).toBe('verified');
    const during = await rest();
    expect(during.prints).toBe(before.prints + 1);
    expect(during.keys).toBeGreaterThan(before.keys + 20);
    const erased = await ask(service, `/v1/verifications/${id}/redact`, { key: service.tenant.rk_secret, body: {} });
    expect(erased.status, erased.text).toBe(200);
    expect(await rest()).toEqual(before);
    const again = await send(other.pk_live, await copied(mine.trace, COPY), await jpegOf(mine, 80));
    expect(again.label, again.text).toBe('verified');
  });
});

describe('filmCameBefore', () => {
  const service = serviceOfSuite({ worker: false });

  it('says no to exactly one of many that file a film at once, and the same to each when it is asked again', async () => {
    const print = filmPrint(pathOf((await filmed(6)).trace.frames))!;
    const captures: { id: string; tenant_id: string }[] = [];
    for (let i = 0; i < 12; i++) {
      const { id } = await createVerification(service, { max_captures: 1 }, service.tenant.pk_live);
      const film = await sharp({ create: { width: 640, height: 480, channels: 3, background: `#a0${i + 10}40` } })
        .jpeg()
        .toBuffer();
      expect((await submit(service, id, film)).status).toBe(201);
      const { rows } = await service.deps.db.query<{ id: string; tenant_id: string }>(
        'select id, tenant_id from captures where verification_id = $1',
        [id],
      );
      captures.push(rows[0]!);
    }
    const file = () => Promise.all(captures.map(capture => filmCameBefore(service.deps, capture, true, print)));
    const answers = await file();
    expect(answers.filter(before => !before)).toHaveLength(1);
    expect(await file()).toEqual(answers);
    expect(await filmCameBefore(service.deps, { ...captures[0]!, id: 'cap_gone' }, true, print)).toBe(false);
  });
});
