import { megapixelsExceeded } from '@firsthand/contract/capture/picture-size.ts';
import { imageTypeOf } from '@firsthand/contract/capture/pictures.ts';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { exifSegment, jpegWith } from '../../test/files.ts';
import { ImageFault, inspect } from './inspect.ts';

const blank = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#777' } });

/** Writes another size into the header of a picture. */
const RESIZED = {
  jpeg: async (width: number, height: number) => {
    const bytes = await jpegWith([exifSegment({})]);
    const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(height, at + 5);
    bytes.writeUInt16BE(width, at + 7);
    return bytes;
  },
  png: async (width: number, height: number) => {
    const bytes = await blank().png().toBuffer();
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  webp: async (width: number, height: number) => {
    const bytes = await blank().webp().toBuffer();
    bytes.writeUInt16LE(Math.min(width, 16_383), 26);
    bytes.writeUInt16LE(Math.min(height, 16_383), 28);
    return bytes;
  },
  avif: (width: number, height: number) => heif(width, height, 'avif'),
  heic: (width: number, height: number) => heif(width, height, 'heic'),
  'heic of mif1': (width: number, height: number) => heif(width, height, 'mif1'),
};

async function heif(width: number, height: number, brand: 'avif' | 'heic' | 'mif1'): Promise<Buffer> {
  const bytes = await blank().avif().toBuffer();
  const at = bytes.indexOf('ispe');
  bytes.writeUInt32BE(width, at + 8);
  bytes.writeUInt32BE(height, at + 12);
  if (brand === 'avif') return bytes;
  for (const [from, to] of [
    ['avif', 'heic'],
    ['av01', 'hvc1'],
  ] as const) {
    for (let found = bytes.indexOf(from); found >= 0; found = bytes.indexOf(from)) bytes.write(to, found, 'latin1');
  }
  if (brand === 'mif1') bytes.write('mif1', 8, 'latin1');
  return bytes;
}

it('the page and the service read the same type and the same limit from a header', async () => {
  const side = fc.oneof(
    fc.integer({ min: 1, max: 20_000 }),
    fc.constantFrom(3_605, 3_606, 7_211, 7_212, 10_000, 10_001),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(RESIZED)), side, side, async (make, width, height) => {
      const bytes = await make(width, height);
      const type = imageTypeOf(bytes);
      const service = await inspect(bytes).catch((cause: unknown) => cause);
      if (service instanceof ImageFault) {
        expect(service.code).toBe('too_many_pixels');
        expect(megapixelsExceeded(bytes, type!)).toBe(service.maxMegapixels);
      } else {
        expect(service).toMatchObject({ contentType: type });
        expect(megapixelsExceeded(bytes, type!)).toBeUndefined();
      }
    }),
    { numRuns: 150 },
  );
});
