import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode, FULL_PIXELS, shrinkOnLoad } from './decode.ts';

const SIDE = { width: 6_003, height: 4_001 };

/** Draws four colours in the corners, so that each orientation looks different. */
async function corners(orientation: number, format: 'jpeg' | 'png' | 'webp'): Promise<Buffer> {
  const small = await sharp(Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]), {
    raw: { width: 2, height: 2, channels: 3 },
  })
    .resize({ ...SIDE, kernel: 'nearest', fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(small.data, { raw: { ...SIDE, channels: 3 } })
    .toFormat(format)
    .withMetadata({ orientation })
    .toBuffer();
}

const near = (pixel: Uint8Array): string => [...pixel].map(value => (value > 127 ? 1 : 0)).join('');

describe('decode', () => {
  it('shrinks only pictures above 24 megapixels, to at most that', () => {
    expect(shrinkOnLoad({ width: 6_000, height: 4_000 })).toBe(1);
    for (const [width, height] of [
      [6_001, 4_000],
      [8_000, 6_000],
      [12_000, 8_000],
      [10_000, 10_000],
    ] as const) {
      const factor = shrinkOnLoad({ width, height });
      expect((width * height) / factor ** 2).toBeLessThanOrEqual(FULL_PIXELS);
      expect((width * height) / (factor / 2) ** 2).toBeGreaterThan(FULL_PIXELS);
    }
  });

  it.each(['jpeg', 'png', 'webp'] as const)(
    'turns a large %s upright like sharp, for every orientation',
    async format => {
      for (const orientation of format === 'jpeg' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 6]) {
        const bytes = await corners(orientation, format);
        const { info, picture, preview } = await decode(bytes);
        expect(picture.width).toBe(Math.ceil(info.width / 2));
        expect(picture.height).toBe(Math.ceil(info.height / 2));
        const expected = await sharp(bytes).autoOrient().resize(40, 40, { fit: 'fill' }).raw().toBuffer();
        const shown = await sharp(preview).resize(40, 40, { fit: 'fill' }).raw().toBuffer();
        for (const [x, y] of [
          [5, 5],
          [35, 5],
          [5, 35],
          [35, 35],
        ] as const) {
          const at = (Math.floor((y / 40) * picture.height) * picture.width + Math.floor((x / 40) * picture.width)) * 3;
          const want = near(expected.subarray((y * 40 + x) * 3, (y * 40 + x) * 3 + 3));
          expect(near(picture.data.subarray(at, at + 3)), `${format} ${orientation}`).toBe(want);
          expect(near(shown.subarray((y * 40 + x) * 3, (y * 40 + x) * 3 + 3)), `preview ${orientation}`).toBe(want);
        }
      }
    },
  );
});
