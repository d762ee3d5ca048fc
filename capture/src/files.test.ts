import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkFile } from './files.ts';

const canvas = () => sharp({ create: { width: 4, height: 4, channels: 3, background: '#888' } });
const ftyp = (brand: string, ...others: string[]) =>
  new Blob([
    new Uint8Array([0, 0, 0, 16 + 4 * others.length]),
    `ftyp${brand}`,
    new Uint8Array(4),
    ...others,
    new Uint8Array(64),
  ]);

test('imageTypeOf recognises pictures by their bytes, whatever their name', async () => {
  for (const [format, type] of [
    ['jpeg', 'image/jpeg'],
    ['png', 'image/png'],
    ['webp', 'image/webp'],
    ['avif', 'image/avif'],
  ] as const) {
    const bytes = new Uint8Array(await canvas().toFormat(format).toBuffer());
    expect(await checkFile(new Blob([bytes], { type: 'text/plain' }))).toMatchObject({ contentType: type });
  }
  expect(await checkFile(ftyp('heic'))).toMatchObject({ contentType: 'image/heic' });
  expect(await checkFile(ftyp('mif1'))).toMatchObject({ contentType: 'image/heif' });
  expect(await checkFile(ftyp('mif1', 'mif1', 'heic'))).toMatchObject({ contentType: 'image/heic' });
});

test('checkFile refuses a file of another type, an empty one and one too large, with the reason', async () => {
  expect(await checkFile(new Blob(['<svg/>'], { type: 'image/jpeg' }))).toEqual({ fault: 'file.type' });
  expect(await checkFile(new Blob([]))).toEqual({ fault: 'file.empty' });
  const png = new Blob([new Uint8Array(await canvas().png().toBuffer())]);
  expect(await checkFile(png, ['image/jpeg'])).toEqual({ fault: 'file.type' });
  expect(await checkFile(png, ['image/png'], png.size - 1)).toEqual({ fault: 'file.size' });
  expect(await checkFile(png, ['image/png'], png.size)).toMatchObject({ contentType: 'image/png' });
});

test('checkFile refuses a picture of more megapixels than the service takes', async () => {
  const png = await canvas().png().toBuffer();
  png.writeUInt32BE(12_000, 16);
  png.writeUInt32BE(9_000, 20);
  expect(await checkFile(new Blob([new Uint8Array(png)]))).toEqual({ fault: 'file.pixels', megapixels: 100 });
});
