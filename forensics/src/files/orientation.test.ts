import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pngChunk } from '../../test/files.ts';
import { imageOf } from '../pixels/image.ts';
import { decode, makePreview, previewOf } from './decode.ts';
import { inspect } from './inspect.ts';
import { readMetadata } from './metadata/read.ts';
import { readOrientation } from './orientation.ts';

const TYPES = { BYTE: 1, SHORT: 3, LONG: 4 } as const;
type Type = keyof typeof TYPES;

/** A TIFF block with one tag: the orientation. */
function tiff(orientation: number, type: Type = 'SHORT', little = true): Buffer {
  const block = new DataView(new ArrayBuffer(26));
  block.setUint16(0, little ? 0x4949 : 0x4d4d);
  block.setUint16(2, 42, little);
  block.setUint32(4, 8, little);
  block.setUint16(8, 1, little);
  block.setUint16(10, 0x0112, little);
  block.setUint16(12, TYPES[type], little);
  block.setUint32(14, 1, little);
  if (type === 'BYTE') block.setUint8(18, orientation);
  else if (type === 'SHORT') block.setUint16(18, orientation, little);
  else block.setUint32(18, orientation, little);
  return Buffer.from(block.buffer);
}

const exif = (block: Buffer) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), block]);

/** A picture with a red top left quarter, a green top right one, blue and white below. */
const quarters = (width: number, height: number) =>
  sharp(Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]), {
    raw: { width: 2, height: 2, channels: 3 },
  }).resize({
    width,
    height,
    kernel: 'nearest',
    fit: 'fill',
  });

async function jpegWithBlocks(size: [number, number], ...blocks: Buffer[]): Promise<Buffer> {
  const jpeg = await quarters(...size)
    .jpeg()
    .toBuffer();
  const segments = blocks.map(block => {
    const body = exif(block);
    return Buffer.concat([Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255]), body]);
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

async function pngWithChunk(size: [number, number], block: Buffer, place: 'before' | 'after'): Promise<Buffer> {
  const png = await quarters(...size)
    .png()
    .toBuffer();
  const at = place === 'before' ? 33 : png.length - 12;
  return Buffer.concat([png.subarray(0, at), pngChunk('eXIf', block), png.subarray(at)]);
}

async function webpWithChunk(size: [number, number], block: Buffer): Promise<Buffer> {
  const webp = await quarters(...size)
    .webp()
    .withMetadata({ orientation: 3 })
    .toBuffer();
  const at = webp.indexOf('EXIF');
  const head = Buffer.concat([webp.subarray(0, at), Buffer.from('EXIF'), Buffer.alloc(4), block]);
  head.writeUInt32LE(block.length, at + 4);
  head.writeUInt32LE(head.length - 8, 4);
  return head;
}

/** Which of red, green, blue and white the four corners show, from the top left, row by row. */
async function cornersOf(picture: Uint8Array): Promise<string> {
  const { data } = await sharp(picture)
    .resize(8, 8, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [9, 14, 49, 54]
    .map(at => [...data.subarray(3 * at, 3 * at + 3)].map(value => (value > 127 ? '1' : '0')).join(''))
    .map(rgb => ({ '100': 'r', '010': 'g', '001': 'b', '111': 'w' })[rgb] ?? '?')
    .join('');
}

/** The corners of `quarters` under each orientation. */
const CORNERS = ['', 'rgbw', 'grwb', 'wbgr', 'bwrg', 'rbgw', 'brwg', 'wgbr', 'gwrb'];

/** Every reader of one file: sizes, pixels, preview and metadata. */
async function expectTurned(bytes: Buffer, orientation: number, [width, height]: [number, number]): Promise<void> {
  const upright = orientation >= 5 ? { width: height, height: width } : { width, height };
  const { info, picture } = await decode(bytes);
  const preview = await previewOf(picture);
  expect(info).toMatchObject({ ...upright, orientation });
  expect(Math.sign(picture.width - picture.height)).toBe(Math.sign(upright.width - upright.height));
  expect(await cornersOf(await imageOf(picture).png().toBuffer())).toBe(CORNERS[orientation]);
  expect(await cornersOf(preview)).toBe(CORNERS[orientation]);
  expect(await cornersOf(await makePreview(bytes))).toBe(CORNERS[orientation]);
  expect((await readMetadata(bytes)).orientation ?? 1).toBe(orientation);
}

describe('readOrientation', () => {
  it('reads BYTE, SHORT and LONG in either byte order, and nothing outside 1 to 8', () => {
    fc.assert(
      fc.property(fc.nat(255), fc.constantFrom<Type>('BYTE', 'SHORT', 'LONG'), fc.boolean(), (value, type, little) => {
        const read = readOrientation(tiff(value, type, little));
        expect(read).toBe(value >= 1 && value <= 8 ? value : undefined);
      }),
    );
  });
});

describe('every reader of a file turns it the same way', () => {
  const SMALL: [number, number] = [64, 48];
  /** Over the size from which decoding shrinks. */
  const LARGE: [number, number] = [6_400, 4_000];

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('by orientation %i, of every type and order', async orientation => {
    for (const type of ['BYTE', 'SHORT', 'LONG'] as const) {
      for (const little of [true, false]) {
        await expectTurned(await jpegWithBlocks(SMALL, tiff(orientation, type, little)), orientation, SMALL);
      }
    }
    await expectTurned(await webpWithChunk(SMALL, tiff(orientation, 'LONG')), orientation, SMALL);
    await expectTurned(await webpWithChunk(SMALL, exif(tiff(orientation))), orientation, SMALL);
    await expectTurned(await pngWithChunk(SMALL, tiff(orientation), 'before'), orientation, SMALL);
    await expectTurned(await pngWithChunk(SMALL, tiff(orientation, 'BYTE', false), 'after'), orientation, SMALL);
  });

  it.each([
    [6, 1],
    [1, 6],
    [8, 3],
    [3, 6],
  ])('by the first of two EXIF blocks: %i before %i', async (first, second) => {
    await expectTurned(await jpegWithBlocks(SMALL, tiff(first), tiff(second)), first, SMALL);
  });

  it('where the first of two EXIF blocks says nothing', async () => {
    await expectTurned(await jpegWithBlocks(SMALL, tiff(0), tiff(6)), 1, SMALL);
  });

  it.each([6, 3])('whatever its size: orientation %i', async orientation => {
    await expectTurned(await jpegWithBlocks(LARGE, tiff(orientation, 'LONG'), tiff(1)), orientation, LARGE);
    await expectTurned(await pngWithChunk(LARGE, tiff(orientation), 'after'), orientation, LARGE);
  });

  it('by EXIF before the pixels of a JPEG, never by a block between its scans', async () => {
    const jpeg = await quarters(...SMALL)
      .jpeg({ progressive: true })
      .toBuffer();
    const body = exif(tiff(6));
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body]);
    const at = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
    const bytes = Buffer.concat([jpeg.subarray(0, at), segment, jpeg.subarray(at)]);
    expect(await inspect(bytes)).toMatchObject({ orientation: 1 });
    await expectTurned(bytes, 1, SMALL);
  });
});
