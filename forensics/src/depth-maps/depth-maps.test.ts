import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../test/data.ts';
import { jpeg, xmpPacket, xmpSegment } from '../../test/files.ts';
import { assessDepthMap, type DepthMap } from './planarity.ts';
import { readDepthMap } from './read.ts';

type Shape = (u: number, v: number) => number;

/** Inverse depth over the picture, u and v from 0 to 1. */
function map(shape: Shape, width = 160, height = 120): DepthMap {
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = shape(x / width, y / height);
  return { data, width, height };
}

/** Pseudo-random but the same for the same place. */
const noise = (u: number, v: number) => ((Math.sin(u * 9_871.7 + v * 5_333.3) * 43_758.5) % 1) - 0.5;
/** A screen half a metre away, turned sideways, and a room with a box in it. */
const tilted: Shape = (u, v) => 2 + 0.6 * u - 0.3 * v;
const room: Shape = (u, v) => (u > 0.3 && u < 0.7 && v > 0.4 ? 1.6 : 0.4 + 0.5 * v);

describe('planarity', () => {
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

  test('every plane is planar, whatever its slope, distance and unit', () => {
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

async function grey(shape: Shape, scale: (d: number) => number, format: 'png' | 'jpeg' = 'png'): Promise<Buffer> {
  const { data, width, height } = map(shape);
  const levels = Buffer.from(Array.from(data, d => Math.max(0, Math.min(255, Math.round(scale(d))))));
  return sharp(levels, { raw: { width, height, channels: 1 } })
    [format](format === 'jpeg' ? { quality: 95 } : {})
    .toBuffer();
}

const splice = (file: Buffer, ...segments: [number, Buffer][]): Buffer =>
  Buffer.concat([
    file.subarray(0, 2),
    ...segments.map(([marker, payload]) =>
      Buffer.concat([Buffer.from([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255]), payload]),
    ),
    file.subarray(2),
  ]);

const GUID = '0123456789ABCDEF0123456789ABCDEF';
const NEAR = 0.5;
const FAR = 2.5;

/** GDepth as camera apps write it: attributes in the main packet, the map in an extended one, cut into segments. */
async function gdepthFile(
  shape: Shape,
  format: 'RangeInverse' | 'RangeLinear',
  options: { near?: number; drop?: boolean } = {},
) {
  const near = options.near ?? NEAR;
  const level =
    format === 'RangeInverse'
      ? (d: number) => (255 * (1 / NEAR - d)) / (1 / NEAR - 1 / FAR)
      : (d: number) => (255 * (1 / d - NEAR)) / (FAR - NEAR);
  const encoded = (await grey(shape, level)).toString('base64');
  const main = xmpPacket(
    `xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" GDepth:Format="${format}" GDepth:Near="${near}" GDepth:Far="${FAR}" GDepth:Mime="image/png" xmpNote:HasExtendedXMP="${GUID}"`,
  );
  const extended = Buffer.from(xmpPacket(`xmlns:d="http://ns.google.com/photos/1.0/depthmap/" d:Data="${encoded}"`));
  const parts: [number, Buffer][] = [];
  for (let at = 0; at < extended.length; at += 20_000) {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(extended.length);
    header.writeUInt32BE(at, 4);
    const name = Buffer.from(`http://ns.adobe.com/xmp/extension/\0${GUID}`, 'latin1');
    parts.push([0xe1, Buffer.concat([name, header, extended.subarray(at, at + 20_000)])]);
  }
  if (options.drop) parts.pop();
  return splice(await jpeg(), xmpSegment(main), ...parts);
}

const apdi = (attributes: string) => xmpPacket(`xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" ${attributes}`);

/** A JPEG with further ones behind it and an MPF index that says where. */
async function mpfFile(...others: Buffer[]): Promise<Buffer> {
  const plain = await jpeg();
  const table = Buffer.alloc(16 * (others.length + 1));
  const ifd = Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08\0\x01\xb0\x02\0\x07', 'latin1'),
    Buffer.alloc(4),
    Buffer.from('\0\0\0\x1a\0\0\0\0', 'latin1'),
  ]);
  ifd.writeUInt32BE(table.length, 14);
  const length = plain.length + 4 + 4 + ifd.length + table.length;
  const base = 2 + 4 + 4;
  let at = length;
  for (const [i, other] of others.entries()) {
    table.writeUInt32BE(other.length, (i + 1) * 16 + 4);
    table.writeUInt32BE(at - base, (i + 1) * 16 + 8);
    at += other.length;
  }
  return Buffer.concat([splice(plain, [0xe2, Buffer.concat([Buffer.from('MPF\0'), ifd, table])]), ...others]);
}

const disparity = async (
  shape: Shape,
  attributes = 'apdi:AuxiliaryImageType="disparity" apdi:FloatMinValue="0.2" apdi:FloatMaxValue="3.2"',
) => splice(await grey(shape, d => (255 * (d - 0.2)) / 3, 'jpeg'), xmpSegment(apdi(attributes)));

async function dynamicDepthFile(shape: Shape): Promise<Buffer> {
  const depth = await grey(shape, d => (255 * (1 / NEAR - d)) / (1 / NEAR - 1 / FAR), 'jpeg');
  const gain = await jpeg(20, 20);
  const item = (semantic: string, length: number) =>
    `<rdf:li rdf:parseType="Resource"><C:Item I:Mime="image/jpeg" I:Semantic="${semantic}" I:Length="${length}"/></rdf:li>`;
  const packet = xmpPacket(
    'xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/" xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" GDepth:Format="RangeInverse" GDepth:Near="0.5" GDepth:Far="2.5"',
    `<C:Directory><rdf:Seq>${item('Primary', 0)}${item('GainMap', gain.length)}${item('Depth', depth.length)}</rdf:Seq></C:Directory>`,
  );
  return Buffer.concat([splice(await jpeg(), xmpSegment(packet)), gain, depth]);
}

describe.each<[string, string, (shape: Shape) => Promise<Buffer>]>([
  ['GDepth, inverse', 'gdepth', shape => gdepthFile(shape, 'RangeInverse')],
  ['GDepth, linear', 'gdepth', shape => gdepthFile(shape, 'RangeLinear')],
  ['Apple disparity in MPF', 'apple_disparity', async shape => mpfFile(await disparity(shape))],
  ['Dynamic Depth', 'dynamic_depth', dynamicDepthFile],
])('%s', (_name, source, make) => {
  test('a flat map comes out planar, a deep one not', async () => {
    const flat = await readDepthMap(await make((u, v) => 1 + 0.3 * u + 0.1 * v));
    expect(flat?.source).toBe(source);
    expect(assessDepthMap(flat!.map).planar).toBe(true);
    expect(assessDepthMap((await readDepthMap(await make(room)))!.map).planar).toBe(false);
  });
});

test('the range of a map gives its inverse depths', async () => {
  const found = await readDepthMap(await gdepthFile(() => 1, 'RangeLinear'));
  expect(found!.map.data[100]).toBeCloseTo(1, 1);
});

describe('what is no depth map is not taken for one', () => {
  test('the portrait matte and the gain map beside it', async () => {
    const matte = await disparity(
      room,
      'apdi:AuxiliaryImageType="depth" apdi:AuxiliaryImageSubType="portraiteffectsmatte"',
    );
    const gain = await disparity(room, 'apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap"');
    expect(await readDepthMap(await mpfFile(matte, gain))).toBeUndefined();
    expect((await readDepthMap(await mpfFile(matte, await disparity(room))))?.source).toBe('apple_disparity');
  });

  test('a plain JPEG', async () => {
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

test('damaged files are answered in bounded time', async () => {
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
        const started = performance.now();
        const found = await readDepthMap(hurt);
        if (found) assessDepthMap(found.map);
        expect(performance.now() - started).toBeLessThan(5_000);
      },
    ),
    { numRuns: 150 },
  );
});

const real = dataFiles('depth');
test(`real maps are deep (${real.length} at hand)`, async () => {
  for (const file of real) {
    const found = await readDepthMap(file.read());
    expect(found, file.path).toBeDefined();
    expect(assessDepthMap(found!.map), file.path).toMatchObject({ planar: false });
  }
});
