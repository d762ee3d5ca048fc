import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../test/data.ts';
import { drawing } from '../../test/files.ts';
import { fromHex, hamming, TURNS, toHex, turnedHash } from './hash.ts';
import { type Pixels, pdq } from './pdq.ts';

async function decode(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .resize(512, 512, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as 3 };
}

/** Draws blocks of pseudo-random grey, a picture with energy in every frequency. */
const scene = (width = 300, height = 220): Pixels => {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const block = Math.floor((x * 24) / width) * 31 + Math.floor((y * 24) / height);
      data[y * width + x] = Math.imul(block + 7, 2_654_435_761) >>> 24;
    }
  return { data, width, height, channels: 1 };
};

describe('pdq against the reference vectors', () => {
  const files = dataFiles('phash');
  const named = (name: string) => files.find(file => file.path.endsWith(`/${name}`))!;
  const vectors: [file: string, hash: string][] = [];
  for (const file of files) {
    if (!/\.(csv|tsv)$/.test(file.path)) continue;
    for (const line of file.read().toString().trim().split('\n')) {
      const parts = line.split(/[,\t]/);
      const hash = parts.find(part => /^[0-9a-f]{64}$/.test(part));
      const name = parts
        .find(part => /\.(jpg|png)$/.test(part))
        ?.split('/')
        .pop();
      if (hash && name) vectors.push([name === 'b.jpg' ? 'bridge-1-original.jpg' : name, hash]);
    }
  }

  test.skipIf(vectors.length === 0)(
    `is within 10 bits at quality 80 and up (${vectors.length} available)`,
    async () => {
      const far: string[] = [];
      for (const [name, hash] of vectors) {
        const found = pdq(await decode(named(name).read()));
        const distance = hamming(found.hash, fromHex(hash));
        if (found.quality >= 80 && distance > 10) far.push(`${name} ${distance}`);
      }
      expect(far).toEqual([]);
    },
  );

  test('derives the seven turned bridges from only the first one', async () => {
    const bridge = files.find(file => file.path.endsWith('bridge-1-original.jpg'));
    if (!bridge) return;
    const found = pdq(await decode(bridge.read()));
    const distances = files
      .filter(file => file.path.endsWith('pdq_cpp_dih.csv'))
      .flatMap(file => file.read().toString().trim().split('\n'))
      .map(line =>
        Math.min(...TURNS.map(turn => hamming(turnedHash(found.frequencies, turn), fromHex(line.split(',')[0]!)))),
      );
    expect(distances).toHaveLength(8);
    expect(Math.max(...distances)).toBeLessThanOrEqual(10);
  });
});

test('pdq sets half of the bits, and toHex and fromHex round-trip', () => {
  const { hash } = pdq(scene());
  expect(hash.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)).toBe(128);
  expect(fromHex(toHex(hash))).toEqual(hash);
  expect(() => fromHex('abc')).toThrow(RangeError);
});

test('pdq gives grey, RGB and RGBA of a picture the same hash', () => {
  const grey = scene();
  const as = (channels: 3 | 4): Pixels => ({
    ...grey,
    channels,
    data: Uint8Array.from({ length: grey.data.length * channels }, (_, i) => grey.data[Math.floor(i / channels)]!),
  });
  expect(hamming(pdq(as(3)).hash, pdq(grey).hash)).toBeLessThanOrEqual(2);
  expect(hamming(pdq(as(4)).hash, pdq(grey).hash)).toBeLessThanOrEqual(2);
});

test('pdq gives a plain picture quality 0', () => {
  expect(pdq({ data: new Uint8Array(10_000).fill(90), width: 100, height: 100, channels: 1 }).quality).toBe(0);
});

test.each(TURNS)('turnedHash is near the hash of the turned picture: %o', ({ transpose, mirror, flip }) => {
  const { data, width, height } = scene(512, 512);
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const tx = mirror ? width - 1 - x : x;
      const ty = flip ? height - 1 - y : y;
      turned[y * width + x] = transpose ? data[tx * width + ty]! : data[ty * width + tx]!;
    }
  const expected = turnedHash(pdq(scene(512, 512)).frequencies, { transpose, mirror, flip });
  const other = hamming(pdq({ data: turned, width, height, channels: 1 }).hash, expected);
  expect(other).toBeLessThanOrEqual(transpose && !mirror && !flip ? 2 : 60);
});

test('pdq hashes any size from one pixel on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 }), (width, height) => {
      const found = pdq({ data: drawing(width, height), width, height, channels: 3 });
      expect(found.hash).toHaveLength(32);
      expect(found.quality).toBeGreaterThanOrEqual(0);
      expect(found.frequencies.every(Number.isFinite)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('hamming is a metric', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(hash, hash, hash, (a, b, c) => {
      expect(hamming(a, a)).toBe(0);
      expect(hamming(a, b)).toBe(hamming(b, a));
      expect(hamming(a, c)).toBeLessThanOrEqual(hamming(a, b) + hamming(b, c));
    }),
  );
});
