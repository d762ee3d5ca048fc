import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { fitHomography, ransac, transferError } from '../motion/geometry.ts';
import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { random } from '../pixels/random.ts';
import { areaResize } from '../pixels/resize.ts';
import {
  drawFilm,
  drawSensor,
  drawStage,
  type Film,
  FRAME,
  handWay,
  photographed,
  sample,
  type View,
  type Way,
} from '../simulate/film.ts';
import { checkContinuous } from './continuous.ts';
import { checkDepth } from './depth.ts';
import { checkHand } from './hand.ts';
import { checkLight } from './light.ts';
import { noisePictures } from './noise-pictures.ts';
import { type Path, pathOf } from './path.ts';
import {
  type CheckName,
  concluded,
  examine,
  lackingUnder,
  type Presence,
  presenceBand,
  underPolicy,
} from './presence.ts';
import { checkSensor } from './sensor.ts';
import type { CheckResult, Move, Session } from './trace.ts';
import { follow, matchesOf, planeOf } from './tracks.ts';

const MOVES: readonly Move[] = ['right', 'up'];
const SEED = 3;
const ISSUED = 1_760_000_000_000;
const stage = drawStage(SEED);
const way = handWay(MOVES, random(SEED));

/** A film of a deep stage, and one of its print, filmed by the same hand. */
let deep: Film;
let flat: Film;
let path: Path;
let flatPath: Path;
beforeAll(async () => {
  deep = await drawFilm({ stage, way, sensor: drawSensor(SEED), gyroscope: true });
  const sensor = {
    ...drawSensor(SEED),
    light: (row: number, at: number) => 1 + 0.06 * Math.sin((2 * Math.PI * 16 * row) / 360 + at / 45),
  };
  flat = await drawFilm({ stage: photographed(stage, SEED), way, sensor, gyroscope: true });
  path = pathOf(deep.trace.frames);
  flatPath = pathOf(flat.trace.frames);
});

const session = (film: Film, change: Partial<Session> = {}): Session => ({
  challenge: { moves: MOVES, issuedAt: ISSUED, expiresAt: ISSUED + 120_000 },
  trace: { ...film.trace, beganAt: ISSUED + 5_000 },
  still: film.still,
  second: film.second,
  ...change,
});

describe('examine', () => {
  it('passes a person who films a real scene as asked', () => {
    const presence = examine(session(deep));
    expect(presence.result).toBe('passed');
    expect(presenceBand(presence, 'strict')).toBe('clear');
    expect(presence.checks.hand?.passed).not.toBe(false);
  });

  it('does not pass a display with bands of light', () => {
    const presence = examine(session(flat));
    expect(presence.checks.depth?.passed).not.toBe(true);
    expect(presence.checks.light).toMatchObject({ passed: false });
    expect(presence.result).not.toBe('passed');
    expect(presenceBand(presence, 'strict')).not.toBe('clear');
  });

  it('performs nothing without a session', () => {
    expect(examine(undefined)).toEqual({ result: 'not_performed', checks: {} });
  });
});

describe('checkContinuous', () => {
  it('calls a photo of another scene a contradiction, and has no answer for such a second photo', () => {
    const other = checkContinuous(session(deep, { still: flatOther() }), path);
    expect(other).toMatchObject({ passed: false, contradiction: true });
    const lowered = checkContinuous(session(deep, { second: flatOther() }), path);
    expect(lowered).toMatchObject({ evaluated: false });
    expect(lowered.words).toMatch(/second photo/);
  });

  it('passes the photo of the moment, and has no answer for a photo from a hand’s breadth beside', async () => {
    expect(checkContinuous(session(deep), path)).toMatchObject({ evaluated: true, passed: true });
    const beside: Way = { position: [[0.06, 0, 0]], turn: [[0, 0, 0]] };
    const { still } = await drawFilm({ stage, way: beside, sensor: drawSensor(SEED + 1), frames: 2 });
    const found = checkContinuous(session(deep, { still }), path);
    expect(found).toMatchObject({ evaluated: false });
    expect(found.words).toMatch(/another place/);
  });

  it('counts no answer under strict for a photo whose outer ring the film does not show', () => {
    const { width, height } = deep.still;
    const large = areaResize(flatOther(), Math.round(width / 0.7));
    const [left, top] = [(large.width - width) >> 1, (large.height - height) >> 1];
    for (let y = 0; y < height; y++)
      large.data.set(
        deep.still.data.subarray(3 * y * width, 3 * (y + 1) * width),
        3 * ((top + y) * large.width + left),
      );
    const presence = examine(session(deep, { still: large }));
    expect(presence.checks.continuous?.evidence.uncovered).toBeCloseTo(1 - 0.7 ** 2, 1);
    expect(underPolicy(presence, 'lenient').result).toBe('passed');
    const strict = underPolicy(presence, 'strict');
    expect(strict.result).toBe('inconclusive');
    expect(strict.checks.continuous).toMatchObject({
      evaluated: false,
      words: expect.stringContaining('of the photo'),
    });
    expect([presenceBand(presence, 'lenient'), presenceBand(presence, 'strict')]).toEqual(['clear', 'doubtful']);
    expect(examine(session(deep)).checks.continuous?.evidence.uncovered).toBeLessThan(0.05);
  });

  it('has no answer for a photo with a small piece set in, where all else lies in place', () => {
    const { width, height } = deep.still;
    const data = Uint8Array.from(deep.still.data);
    const side = Math.round(0.12 * width);
    for (let y = height >> 1; y < (height >> 1) + side; y++)
      for (let x = width >> 1; x < (width >> 1) + side; x++)
        for (let c = 0; c < 3; c++)
          data[(y * width + x) * 3 + c] = deep.still.data[((height - 1 - y) * width + (width - 1 - x)) * 3 + c]!;
    const patched = checkContinuous(session(deep, { still: { width, height, data } }), path);
    expect(patched).toMatchObject({ evaluated: false });
    expect(patched.words).toMatch(/part of the photo/);
  });

  it('has no answer for a photo with something set in, nor for a film with a cut', () => {
    const { width, height } = deep.still;
    const data = Uint8Array.from(deep.still.data);
    // A quarter of the photo, from its other side.
    for (let y = height >> 2; y < height >> 1; y++)
      for (let x = 3 * (width >> 2); x < 4 * (width >> 2); x++)
        for (let c = 0; c < 3; c++)
          data[(y * width + x) * 3 + c] = deep.still.data[((height - 1 - y) * width + (width - 1 - x)) * 3 + c]!;
    const patched = checkContinuous(session(deep, { still: { width, height, data } }), path);
    expect(patched).toMatchObject({ evaluated: false });
    expect(patched.words).toMatch(/part of the photo/);
    const steps = path.steps.map((step, i) => ({ ...step, correlation: i === 2 ? 0.5 : 0.98 }));
    const cut = checkContinuous(session(deep), { ...path, steps });
    expect(cut).toMatchObject({ evaluated: false });
    expect(cut.words).toMatch(/cut/);
  });

  it('has no answer for a photo without detail', () => {
    const { width, height } = deep.still;
    const grey = { width, height, data: new Uint8Array(width * height * 3).fill(120) };
    const frames = deep.trace.frames.map(({ at }) => ({ at, picture: grey }));
    const plain = session(deep, { still: grey, second: undefined, trace: { ...deep.trace, frames } });
    expect(checkContinuous(plain, path).evaluated).toBe(false);
  });
});

describe('checkHand', () => {
  it('finds the delay of the sensor, fails the sensor of a phone at rest, and has no answer for that of another hand', () => {
    const { motion } = deep.trace;
    const late = motion.map(({ at, rate }) => ({ at: at + 120, rate }));
    const own = checkHand(path, { motion });
    const delayed = checkHand(path, { motion: late });
    expect(own).toMatchObject({ passed: true });
    expect(delayed).toMatchObject({ passed: true });
    expect(Math.abs(Number(delayed.evidence.delay_ms) - Number(own.evidence.delay_ms) - 120)).toBeLessThanOrEqual(20);
    const turned = motion.map(({ at, rate: [x, y, z] }) => ({ at, rate: [-y, x, -z] as const }));
    expect(checkHand(path, { motion: turned }).evaluated).toBe(false);
    const rng = random(1);
    const rest = motion.map(({ at }) => ({ at, rate: [0.004 * rng.normal(), 0.004 * rng.normal(), 0] as const }));
    expect(checkHand(path, { motion: rest })).toMatchObject({ passed: false, contradiction: true });
    expect(checkHand(path, { motion: [] }).evaluated).toBe(false);
  });
});

describe('underPolicy', () => {
  const without = (motionAbsence: 'silent' | 'refused' | undefined, make?: string, model?: string): Session =>
    session(
      { ...deep, trace: { ...deep.trace, motion: [], ...(motionAbsence && { motionAbsence }) } },
      {
        metadata: { thumbnail: false, fields: [], faults: [], ...(make && { make }), ...(model && { model }) },
      },
    );
  it('asks under strict why a film has no motion sensor, and believes a device that has none', () => {
    for (const [sent, result] of [
      [without('silent'), 'passed'],
      [without('silent', 'motorola', 'moto e5'), 'passed'],
      [without('silent', 'Apple', 'iPhone 13'), 'inconclusive'],
      [without('refused'), 'inconclusive'],
      [without(undefined), 'inconclusive'],
    ] as const) {
      const presence = examine(sent);
      expect(presence.result).toBe('passed');
      expect(underPolicy(presence, 'lenient').result).toBe('passed');
      expect(underPolicy(presence, 'strict').result, JSON.stringify(sent.metadata)).toBe(result);
      expect(lackingUnder(presence, 'strict')).toHaveLength(result === 'passed' ? 0 : 1);
    }
    expect(lackingUnder(examine(without('silent', 'Apple', 'iPhone 13')), 'strict')[0]).toContain('iPhone 13');
  });
});

/** One picture, cut at places that follow the path: what a program that pans a still delivers. */
function panned(): Session['trace'] {
  const { still } = deep;
  const crops = [0, 6, 12, 18].map(frame => {
    const { x, y } = path.points[frame]!;
    const corner = { x: Math.round(200 + x * 600), y: Math.round(150 + y * 600) };
    const data = new Uint8Array(256 * 256 * 3);
    for (let row = 0; row < 256; row++) {
      const from = ((corner.y + row) * still.width + corner.x) * 3;
      data.set(still.data.subarray(from, from + 256 * 3), row * 256 * 3);
    }
    return { frame, x: 0, y: 0, picture: { width: 256, height: 256, data } };
  });
  return { ...deep.trace, crops, videoWidth: 600 };
}

describe('checkSensor', () => {
  it('passes new noise and fails noise that moves with the scene', () => {
    expect(checkSensor(deep.trace, path)).toMatchObject({ evaluated: true, passed: true });
    expect(checkSensor(panned(), path)).toMatchObject({ passed: false });
    expect(checkSensor({ ...deep.trace, crops: [] }, path).evaluated).toBe(false);
  });
});

describe('noisePictures', () => {
  /** Correlation of the two noises that a picture shows: one in red and blue, the other in green. */
  const agreementIn = async (png: Uint8Array): Promise<number> => {
    const data = await sharp(png).removeAlpha().raw().toBuffer();
    let [both, first, second] = [0, 0, 0];
    for (let at = 0; at < data.length; at += 3) {
      const [a, b] = [data[at]! - 128, data[at + 1]! - 128];
      both += a * b;
      first += a * a;
      second += b * b;
    }
    return both / Math.sqrt(first * second);
  };

  it('turns grey where a program pans a still, after the crops are aligned', async () => {
    const pictures = (await noisePictures(panned(), path))!;
    expect(await agreementIn(pictures.before)).toBeLessThan(0.3);
    expect(await agreementIn(pictures.after)).toBeGreaterThan(0.6);
  });

  it('stays coloured where a camera filmed', async () => {
    const pictures = (await noisePictures(deep.trace, path))!;
    expect(await agreementIn(pictures.after)).toBeLessThan(0.5);
  });

  it('draws nothing where no two crops show the same', async () => {
    expect(await noisePictures({ ...deep.trace, crops: deep.trace.crops.slice(0, 1) }, path)).toBeUndefined();
  });
});

it('checkDepth passes a deep scene and fails its print', () => {
  expect(checkDepth(deep.trace.frames, path)).toMatchObject({ evaluated: true, passed: true });
  expect(checkDepth(flat.trace.frames, flatPath)).toMatchObject({ evaluated: true, passed: false });
});

it('checkDepth passes a scene whose near things move much faster than the rest', async () => {
  const [seed, moves] = [10_011, ['up', 'left'] as const];
  const { trace } = await drawFilm({
    stage: drawStage(seed),
    way: handWay(moves, random(seed)),
    sensor: drawSensor(seed),
  });
  expect(checkDepth(trace.frames, pathOf(trace.frames))).toMatchObject({ evaluated: true, passed: true });
});

it('follow finds the corners of a print where its homography puts them, far from the anchor too', () => {
  const planes = flat.trace.frames.map(({ picture }) => planeOf(picture));
  const tracks = follow(planes, flatPath.steps, 10);
  for (const frame of [0, 5, 15, 19]) {
    const matches = matchesOf(tracks, frame);
    expect(matches.length).toBeGreaterThan(40);
    const options = { sample: 4, threshold: 1, rounds: 200, rng: random(frame) };
    const plane = ransac(matches, fitHomography, transferError, options)!;
    // A blurred border of the print and repeating patterns mislead some.
    expect(plane.inliers.length).toBeGreaterThan(0.6 * matches.length);
  }
});

it('checkDepth has no answer where the brightness of a photo was taken for its depth', async () => {
  const photo = (await drawFilm({ stage, way, sensor: drawSensor(SEED), frames: 2 })).still;
  const small = areaResize(photo, FRAME.width);
  const near = lumaOf(small.data, small.width * small.height);
  for (let i = 0; i < 2; i++) boxBlur(near, small.width, small.height, 24);
  const [least, most] = [near.reduce((a, b) => Math.min(a, b)), near.reduce((a, b) => Math.max(a, b))];
  const view: View =
    ({ focal, position }) =>
    (dx, dy, out) => {
      let [x, y] = [dx, dy];
      for (let step = 0; step < 3; step++) {
        const column = Math.max(0, Math.min(small.width - 1, Math.round(x + small.width / 2)));
        const row = Math.max(0, Math.min(small.height - 1, Math.round(y + small.height / 2)));
        const inverse = 1 + (0.9 * (near[row * small.width + column]! - least)) / (most - least);
        [x, y] = [dx + focal * position[0] * inverse, dy + focal * position[1] * inverse];
      }
      const scale = photo.width / small.width;
      sample(photo, x * scale + photo.width / 2, y * scale + photo.height / 2, out);
    };
  const { trace } = await drawFilm({ stage, way, view, sensor: drawSensor(SEED) });
  const found = checkDepth(trace.frames, pathOf(trace.frames));
  expect(found, JSON.stringify(found)).toMatchObject({
    evaluated: false,
    words: expect.stringContaining('Bright things'),
  });
  expect(Number(checkDepth(deep.trace.frames, path).evidence.by_brightness)).toBeLessThan(0.86);
});

it('checkSensor misses crops under strict where the video has room for them', () => {
  const presence = examine(session(deep, { trace: { ...deep.trace, beganAt: ISSUED + 5_000, crops: [] } }));
  expect([presenceBand(presence, 'lenient'), presenceBand(presence, 'strict')]).toEqual(['clear', 'doubtful']);
  expect(checkSensor({ ...deep.trace, crops: [], videoWidth: 200 }, path).missing).toBeUndefined();
});

it('checkDepth has no answer for a camera at rest', () => {
  const still = { ...path, points: path.points.map(({ at }) => ({ at, x: 0, y: 0 })) };
  expect(checkDepth(deep.trace.frames, still).evaluated).toBe(false);
});

it('checkLight passes even light and finds bands that run over the scene', () => {
  expect(checkLight(deep.trace.frames, path)).toMatchObject({ evaluated: true, passed: true });
  expect(checkLight(flat.trace.frames, flatPath)).toMatchObject({ evaluated: true, passed: false });
});

describe('concluded', () => {
  const outcome: fc.Arbitrary<CheckResult> = fc
    .record({ evaluated: fc.boolean(), passed: fc.boolean(), contradiction: fc.boolean() })
    .map(made => ({ ...made, words: '', evidence: {} }));
  const names: CheckName[] = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'];
  const all = fc
    .tuple(...names.map(() => outcome))
    .map((list): Presence['checks'] => Object.fromEntries(names.map((name, i) => [name, list[i]!])));

  it('passes only if fresh, continuous, asked and depth passed', () => {
    fc.assert(
      fc.property(all, checks => {
        const needed = [checks.fresh, checks.continuous, checks.asked, checks.depth];
        if (concluded(checks).result === 'passed')
          expect(needed.every(check => check?.evaluated && check.passed)).toBe(true);
      }),
    );
  });

  it('never trips under lenient where nothing that was evaluated failed', () => {
    fc.assert(
      fc.property(all, checks => {
        const mild = Object.fromEntries(
          Object.entries(checks).map(([name, check]) => [
            name,
            { ...check, passed: check.evaluated ? true : check.passed },
          ]),
        );
        expect(presenceBand(concluded(mild), 'lenient')).toBe('clear');
      }),
    );
  });

  it('is never milder under strict than under lenient, and a contradiction is confident under both', () => {
    const order = ['clear', 'doubtful', 'confident'];
    fc.assert(
      fc.property(all, checks => {
        const presence = concluded(checks);
        const [lenient, strict] = [presenceBand(presence, 'lenient'), presenceBand(presence, 'strict')];
        expect(order.indexOf(strict)).toBeGreaterThanOrEqual(order.indexOf(lenient));
        if (presence.result !== 'passed') expect(strict).not.toBe('clear');
        const caught = Object.values(checks).some(c => c.evaluated && !c.passed && c.contradiction);
        if (caught) expect([lenient, strict]).toEqual(['confident', 'confident']);
      }),
    );
    expect(presenceBand(examine(undefined), 'strict')).toBe('doubtful');
    expect(presenceBand(examine(undefined), 'lenient')).toBe('clear');
  });
});

function flatOther(): Session['still'] {
  return drawStage(77).backdrop;
}
