import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { coarseJpeg, isHeldWhole } from './coarse-jpeg.ts';
import { decode, previewOf } from './decode.ts';

/** Draws a colour gradient with more pixels than a decoder may hold coefficients for. */
async function gradient(width: number, height: number, options: Record<string, unknown>): Promise<Buffer> {
  const small = Buffer.from(Array.from({ length: 16 * 12 * 3 }, (_, i) => (i * 37 + (i >> 4) * 11) & 255));
  return sharp(small, { raw: { width: 16, height: 12, channels: 3 } })
    .resize(width, height, { fit: 'fill' })
    .jpeg({ quality: 90, ...options })
    .toBuffer();
}

const FULL_COLOUR = { chromaSubsampling: '4:4:4', progressive: true };
const large = gradient(7_003, 5_001, FULL_COLOUR);

const eighth = (bytes: Uint8Array, width: number, height: number) =>
  sharp(bytes)
    .resize(Math.ceil(width / 8), Math.ceil(height / 8), { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });

/** Builds a JPEG with three components, each the grey picture in a separate scan. */
function threeScans(grey: Buffer): Buffer {
  const frameAt = grey.indexOf(Buffer.from([0xff, 0xc0, 0, 11]));
  const scanAt = grey.indexOf(Buffer.from([0xff, 0xda, 0, 8, 1]));
  const frame = Buffer.concat([
    Buffer.from([0xff, 0xc0, 0, 17]),
    grey.subarray(frameAt + 4, frameAt + 9),
    Buffer.from([3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
  ]);
  const data = grey.subarray(scanAt + 10, -2);
  const scans = [1, 2, 3].flatMap(id => [Buffer.from([0xff, 0xda, 0, 8, 1, id, 0, 0, 63, 0]), data]);
  return Buffer.concat([
    grey.subarray(0, frameAt),
    frame,
    grey.subarray(frameAt + 13, scanAt),
    ...scans,
    grey.subarray(-2),
  ]);
}

const greatestDifference = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

describe('coarseJpeg', () => {
  it.each([
    ['4:4:4', 7_003, 5_001, () => large],
    ['4:2:0', 9_001, 7_507, () => gradient(9_001, 7_507, { progressive: true })],
  ] as const)(
    'gives the pixels that libjpeg gives of the whole file at an eighth (%s)',
    async (_, width, height, make) => {
      const bytes = await make();
      const coarse = coarseJpeg(bytes);
      expect(coarse).toBeDefined();
      expect([isHeldWhole(bytes), isHeldWhole(coarse!)]).toEqual([true, false]);
      const [got, want] = [await eighth(coarse!, width, height), await eighth(bytes, width, height)];
      expect(got.info).toEqual(want.info);
      // The sides are rounded, so sharp resamples slightly.
      expect(greatestDifference(got.data, want.data)).toBeLessThanOrEqual(8);
    },
  );

  it('gives the same for a JPEG with one scan per component', async () => {
    const [width, height] = [7_003, 5_001];
    const grey = await sharp(await large)
      .toColourspace('b-w')
      .jpeg({ quality: 90, optimiseCoding: false })
      .toBuffer();
    const bytes = threeScans(grey);
    expect(isHeldWhole(bytes)).toBe(true);
    const [got, want] = [await eighth(coarseJpeg(bytes)!, width, height), await eighth(bytes, width, height)];
    expect(got.info).toEqual(want.info);
    expect(greatestDifference(got.data, want.data)).toBeLessThanOrEqual(8);
  });

  it('leaves small files, and those decoded row by row, unchanged', async () => {
    expect(coarseJpeg(await gradient(7_003, 5_001, { chromaSubsampling: '4:4:4' }))).toBeUndefined();
    expect(coarseJpeg(await gradient(2_000, 1_500, { progressive: true }))).toBeUndefined();
  });

  it('reads a damaged file as far as possible', async () => {
    const bytes = await large;
    for (const at of [0.01, 0.1, 0.5]) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, Math.floor(bytes.length * at), Math.floor(bytes.length * at) + 200);
      const { picture } = await decode(damaged).catch(() => ({ picture: null }));
      if (picture) expect(picture.width).toBe(876);
      expect(() => coarseJpeg(bytes.subarray(0, Math.floor(bytes.length * at)))).not.toThrow();
    }
  });
});

describe('decode', () => {
  it('decodes a large progressive JPEG at an eighth, upright', async () => {
    const turned = await sharp(await large)
      .withMetadata({ orientation: 6 })
      .jpeg(FULL_COLOUR)
      .toBuffer();
    const { info, picture } = await decode(turned);
    const preview = await previewOf(picture);
    expect(info).toMatchObject({ width: 5_001, height: 7_003 });
    expect(picture).toMatchObject({ width: 626, height: 876 });
    expect(await sharp(preview).metadata()).toMatchObject({ width: 626, height: 876 });
  });
});
