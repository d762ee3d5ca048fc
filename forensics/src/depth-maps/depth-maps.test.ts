import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../test/cost.ts';
import { dataFiles } from '../../test/data.ts';
import { disparity, dynamicDepthFile, gdepthFile, map, mpfFile, type Shape } from '../../test/depth-files.ts';
import { jpeg } from '../../test/files.ts';
import { assessDepthMap, type DepthMap } from './planarity.ts';
import { readDepthMap } from './read.ts';

/** Pseudo-random, and equal for equal coordinates. */
const noise = (u: number, v: number) => ((Math.sin(u * 9_871.7 + v * 5_333.3) * 43_758.5) % 1) - 0.5;
/** A tilted screen half a metre away, and a room with a box. */
const tilted: Shape = (u, v) => 2 + 0.6 * u - 0.3 * v;
const room: Shape = (u, v) => (u > 0.3 && u < 0.7 && v > 0.4 ? 1.6 : 0.4 + 0.5 * v);

describe('assessDepthMap', () => {
  test.each<[string, Shape]>([
    ['a wall seen straight', (u, v) => 1.25 + 1e-4 * noise(u, v)],
    ['a plane seen askew', tilted],
    ['a plane with 1% of noise', (u, v) => tilted(u, v) * (1 + 0.01 * noise(u, v))],
    ['a plane with a few wild points', (u, v) => (noise(u, v) > 0.48 ? 9 : tilted(u, v))],
    ['inverse depth counted the other way', (u, v) => -tilted(u, v)],
  ])('%s is planar', (_name, shape) => {
    expect(assessDepthMap(map(shape))).toMatchObject({ planar: true });
  });

  test.each<[string, Shape]>([
    ['a room', room],
    ['a gentle bulge of a tenth', (u, v) => 2 + 0.2 * Math.cos(3 * (u - 0.5)) * Math.cos(3 * (v - 0.5))],
    ['a wall with a table before it', (u, v) => (v > 0.7 ? 2.4 : 1.2)],
    ['a screen in a third of the picture', (u, v) => (u > 0.66 ? 2 : 0.3 + 0.3 * v)],
  ])('%s is not', (_name, shape) => {
    expect(assessDepthMap(map(shape))).toMatchObject({ planar: false });
  });

  test.each<[string, DepthMap]>([
    ['smaller than 64 pixels', map(tilted, 63, 200)],
    ['constant', map(() => 128)],
    ['all holes', map(() => Number.NaN)],
    ['a third of it holes', map((u, v) => (u < 0.36 ? Number.NaN : tilted(u, v)))],
    ['zero', map(() => 0)],
  ])('a map that is %s has no answer', (_name, given) => {
    expect(assessDepthMap(given)).toMatchObject({ planar: null, confidence: 0 });
  });

  test('calls every plane planar, whatever its slope, distance and unit', () => {
    const slope = fc.double({ min: -0.45, max: 0.45, noNaN: true });
    fc.assert(
      fc.property(slope, slope, fc.double({ min: 0.01, max: 1_000, noNaN: true }), (a, b, unit) => {
        fc.pre(Math.abs(a) + Math.abs(b) > 0.01);
        expect(assessDepthMap(map((u, v) => unit * (1 + a * u + b * v), 96, 72)).planar).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe.each<[string, string, (shape: Shape) => Promise<Buffer>]>([
  ['GDepth, inverse', 'gdepth', shape => gdepthFile(shape, 'RangeInverse')],
  ['GDepth, linear', 'gdepth', shape => gdepthFile(shape, 'RangeLinear')],
  ['Apple disparity in MPF', 'apple_disparity', async shape => mpfFile(await disparity(shape))],
  ['Dynamic Depth', 'dynamic_depth', dynamicDepthFile],
])('%s', (_name, source, make) => {
  test('calls a flat map planar and a deep one not', async () => {
    const flat = await readDepthMap(await make((u, v) => 1 + 0.3 * u + 0.1 * v));
    expect(flat?.source).toBe(source);
    expect(assessDepthMap(flat!.map).planar).toBe(true);
    expect(assessDepthMap((await readDepthMap(await make(room)))!.map).planar).toBe(false);
  });
});

test('toInverseDepth uses the range of the map', async () => {
  const found = await readDepthMap(await gdepthFile(() => 1, 'RangeLinear'));
  expect(found!.map.data[100]).toBeCloseTo(1, 1);
});

describe('readDepthMap ignores other pictures', () => {
  test('portrait matte and gain map', async () => {
    const matte = await disparity(
      room,
      'apdi:AuxiliaryImageType="depth" apdi:AuxiliaryImageSubType="portraiteffectsmatte"',
    );
    const gain = await disparity(room, 'apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap"');
    expect(await readDepthMap(await mpfFile(matte, gain))).toBeUndefined();
    expect((await readDepthMap(await mpfFile(matte, await disparity(room))))?.source).toBe('apple_disparity');
  });

  test('plain JPEG', async () => {
    expect(await readDepthMap(await jpeg())).toBeUndefined();
  });

  test('distances with an impossible range, and an extended packet with a part missing', async () => {
    expect(await readDepthMap(await gdepthFile(room, 'RangeLinear', { near: -1 }))).toBeUndefined();
    const whole = map(room);
    expect(whole.width).toBe(160);
    const big: Shape = (u, v) => 1 + 0.4 * noise(u, v);
    expect(await readDepthMap(await gdepthFile(big, 'RangeInverse'))).toBeDefined();
    expect(await readDepthMap(await gdepthFile(big, 'RangeInverse', { drop: true }))).toBeUndefined();
  });
});

test('readDepthMap answers damaged files in bounded time', async () => {
  const files = [
    await gdepthFile(room, 'RangeInverse'),
    await mpfFile(await disparity(room)),
    await dynamicDepthFile(room),
    ...dataFiles('depth').map(file => file.read()),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(20_000), fc.nat(255)), { minLength: 1, maxLength: 12 }),
      fc.nat(2_000),
      async (file, edits, cut) => {
        const hurt = Buffer.from(file.subarray(0, file.length - cut));
        for (const [at, value] of edits) hurt[at % hurt.length] = value;
        const ms = await processorMs(async () => {
          const found = await readDepthMap(hurt);
          if (found) assessDepthMap(found.map);
        });
        expect(ms).toBeLessThan(5_000);
      },
    ),
    { numRuns: 150 },
  );
});

const real = dataFiles('depth');
test.skipIf(real.length === 0)(`readDepthMap finds real maps deep (${real.length} available)`, async () => {
  for (const file of real) {
    const found = await readDepthMap(file.read());
    expect(found, file.path).toBeDefined();
    expect(assessDepthMap(found!.map), file.path).toMatchObject({ planar: false });
  }
});
