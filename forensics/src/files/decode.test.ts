import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode, FULL_PIXELS, previewOf, shrinkOnLoad } from './decode.ts';

const SIDE = { width: 6_003, height: 4_001 };

const UPRIGHT = 1;

type Format = 'jpeg' | 'png' | 'webp';

/** Four colours in the corners, so that each orientation looks different. */
async function corners(format: Format): Promise<Buffer> {
  const small = await sharp(Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]), {
    raw: { width: 2, height: 2, channels: 3 },
  })
    .resize({ ...SIDE, kernel: 'nearest', fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(small.data, { raw: { ...SIDE, channels: 3 } })
    .toFormat(format)
    .withMetadata({ orientation: UPRIGHT })
    .toBuffer();
}

/** The orientation as EXIF in Intel byte order writes it: tag, type SHORT, one value. */
const TAG = Buffer.from([0x12, 0x01, 3, 0, 1, 0, 0, 0]);

/** The same file with another orientation. Encoding 24 megapixels for each took half of the test's time. */
function turned(file: Buffer, orientation: number, format: Format): Buffer {
  const copy = Buffer.from(file);
  const tag = copy.indexOf(TAG);
  copy.writeUInt16LE(orientation, tag + TAG.length);
  // A chunk of a PNG ends with its checksum.
  if (format === 'png') {
    const chunk = copy.indexOf('eXIf');
    const length = copy.readUInt32BE(chunk - 4);
    copy.writeUInt32BE(crc32(copy.subarray(chunk, chunk + 4 + length)), chunk + 4 + length);
  }
  return copy;
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

  it.each<Format>(['jpeg', 'png', 'webp'])(
    'turns a large %s upright like sharp, for every orientation',
    async format => {
      const upright = await corners(format);
      for (const orientation of format === 'jpeg' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 6]) {
        const bytes = turned(upright, orientation, format);
        expect((await sharp(bytes).metadata()).orientation).toBe(orientation);
        const { info, picture } = await decode(bytes);
        const preview = await previewOf(picture);
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
