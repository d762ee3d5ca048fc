import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodePicture } from './decode.ts';
import { ImageFault, inspect } from './inspect.ts';

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 90, g: 140, b: 60 } } });

const formats = {
  'image/jpeg': () => blank(40, 30).jpeg().toBuffer(),
  'image/png': () => blank(40, 30).png().toBuffer(),
  'image/webp': () => blank(40, 30).webp().toBuffer(),
  'image/avif': () => blank(40, 30).avif().toBuffer(),
} as const;

describe('inspect', () => {
  for (const [contentType, make] of Object.entries(formats)) {
    it(`detects ${contentType} and its size by content`, async () => {
      expect(await inspect(await make())).toEqual({ contentType, width: 40, height: 30, orientation: 1 });
    });
  }

  it('gives width and height after orientation', async () => {
    const turned = await blank(40, 30).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await inspect(turned)).toEqual({ contentType: 'image/jpeg', width: 30, height: 40, orientation: 6 });
  });

  it('accepts a single pixel and a progressive JPEG', async () => {
    expect(await inspect(await blank(1, 1).png().toBuffer())).toMatchObject({ width: 1, height: 1 });
    expect(await inspect(await blank(64, 64).jpeg({ progressive: true }).toBuffer())).toMatchObject({ width: 64 });
  });

  it.each([
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0')],
    ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')],
    ['HTML', Buffer.from('<!DOCTYPE html><html></html>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
  ])('refuses %s by name', async (name, bytes) => {
    await expect(inspect(bytes)).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringContaining(name),
    });
  });

  it('refuses over 100 megapixels without decoding', async () => {
    const png = await blank(2, 2).png().toBuffer();
    png.writeUInt32BE(20_000, 16);
    png.writeUInt32BE(20_000, 20);
    await expect(inspect(png)).rejects.toMatchObject({ code: 'too_many_pixels' });
  });

  it('ends in a named fault or an answer, whatever the bytes', async () => {
    const seeds = await Promise.all(Object.values(formats).map(make => make()));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }),
        fc.nat(600),
        async (seed, edits, keep) => {
          const bytes = Buffer.from(seed.subarray(0, keep));
          for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
          const result = await inspect(bytes).catch((cause: unknown) => cause);
          if (!(result instanceof ImageFault)) expect(result).toMatchObject({ contentType: expect.any(String) });
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('inspect HEIF and AVIF', () => {
  /** An AVIF whose header declares a size, whatever its pixels are. `as`: the same boxes as another coding. */
  async function declaring(
    width: number,
    height: number,
    as: 'avif' | 'heic' | 'heic with AV1' = 'avif',
  ): Promise<Buffer> {
    const bytes = await blank(40, 30).avif().toBuffer();
    const at = bytes.indexOf('ispe');
    bytes.writeUInt32BE(width, at + 8);
    bytes.writeUInt32BE(height, at + 12);
    const rename = (from: string, to: string) => {
      for (let found = bytes.indexOf(from); found >= 0; found = bytes.indexOf(from)) bytes.write(to, found, 'latin1');
    };
    if (as !== 'avif') rename('avif', 'heic');
    if (as === 'heic') rename('av01', 'hvc1');
    return bytes;
  }

  it('takes the pictures of phones', async () => {
    expect(await inspect(await declaring(4_160, 3_120))).toMatchObject({ contentType: 'image/avif', width: 4_160 });
    for (const [width, height] of [
      [8_064, 6_048],
      [8_192, 6_144],
    ] as const) {
      const info = await inspect(await declaring(width, height, 'heic'));
      expect(info).toMatchObject({ contentType: 'image/heic', width, height });
    }
  });

  it('refuses by the header what a decoder would hold whole in too much memory', async () => {
    for (const [as, side, maxMegapixels] of [
      ['avif', 4_000, 13],
      ['avif', 10_000, 13],
      ['heic with AV1', 4_000, 13],
      ['heic', 7_500, 52],
    ] as const) {
      const refused = inspect(await declaring(side, side, as));
      await expect(refused, as).rejects.toMatchObject({ code: 'too_many_pixels', maxMegapixels });
    }
  });

  it('refuses by what is coded, not by what a crop leaves of it', async () => {
    const bytes = await declaring(5_000, 5_000);
    const ispe = bytes.indexOf('ispe') - 4;
    const clap = Buffer.alloc(40);
    clap.writeUInt32BE(40);
    clap.write('clap', 4, 'latin1');
    for (const [i, value] of [10, 1, 10, 1, 0, 1, 0, 1].entries()) clap.writeUInt32BE(value, 8 + 4 * i);
    const cropped = Buffer.concat([bytes.subarray(0, ispe), clap, bytes.subarray(ispe)]);
    // The boxes around it grow, and each association moves on by one; the crop is the first property.
    for (const around of ['meta', 'iprp', 'ipco']) {
      const box = cropped.indexOf(around) - 4;
      cropped.writeUInt32BE(cropped.readUInt32BE(box) + clap.length, box);
    }
    const ipma = cropped.indexOf('ipma') + 4;
    const count = cropped[ipma + 10]!;
    expect(count).toBeGreaterThan(1);
    // The size first, then the crop.
    cropped[ipma + 11] = 2;
    cropped[ipma + 12] = 1;
    await expect(inspect(cropped)).rejects.toMatchObject({ code: 'too_many_pixels', maxMegapixels: 13 });
  });

  it('leaves a picture that is larger than its header says undecoded', async () => {
    const bytes = await blank(5_000, 6_000).avif({ effort: 0 }).toBuffer();
    const at = bytes.indexOf('ispe');
    bytes.writeUInt32BE(1_000, at + 8);
    bytes.writeUInt32BE(1_000, at + 12);
    const info = await inspect(bytes);
    expect(info).toMatchObject({ width: 1_000, height: 1_000 });
    await expect(decodePicture(bytes, info)).rejects.toMatchObject({ code: 'undecodable' });
  });
});
