/** Files that stop before their end mark, or go on after it: accepted exactly where every pixel is there. */
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { dataFiles } from '../../test/data.ts';
import { decodePicture } from './decode.ts';
import { ImageFault, inspect } from './inspect.ts';
import { isEveryPixelThere } from './scan-complete.ts';

/** Noise, so that no two cuts look alike. */
const noise = (width = 61, height = 45): Sharp =>
  sharp({
    create: { width, height, channels: 3, background: '#777', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });

const MADE: Readonly<Record<string, () => Promise<Buffer>>> = {
  JPEG: () => noise().jpeg().toBuffer(),
  'JPEG 4:4:4': () => noise().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
  'grey JPEG': () => noise().greyscale().jpeg().toBuffer(),
  'progressive JPEG': () => noise().jpeg({ progressive: true }).toBuffer(),
  'mozjpeg JPEG': () => noise().jpeg({ mozjpeg: true }).toBuffer(),
  PNG: () => noise().png().toBuffer(),
  'interlaced PNG': () => noise().png({ progressive: true }).toBuffer(),
  'palette PNG': () => noise().png({ palette: true, colours: 4 }).toBuffer(),
  WebP: () => noise().webp().toBuffer(),
  'lossless WebP': () => noise().webp({ lossless: true }).toBuffer(),
  'WebP with alpha': () => noise().ensureAlpha(0.5).webp().toBuffer(),
  AVIF: () => noise().avif().toBuffer(),
};

/** The pixels of a picture, or the code of its fault. */
async function pixelsOf(bytes: Uint8Array): Promise<Uint8Array | string> {
  try {
    return (await decodePicture(bytes, await inspect(bytes))).data;
  } catch (cause) {
    if (cause instanceof ImageFault) return cause.code;
    throw cause;
  }
}

describe.each(Object.entries(MADE))('inspect %s', (kind, make) => {
  it('takes a cut file exactly where the whole picture is in it', async () => {
    const whole = await make();
    const pixels = await pixelsOf(whole);
    const lengths = [
      ...Array.from({ length: Math.min(60, whole.length - 16) }, (_, i) => whole.length - 1 - i),
      ...Array.from({ length: 25 }, (_, i) => 16 + Math.floor(((whole.length - 80) * i) / 25)),
    ];
    let taken = 0;
    for (const length of lengths) {
      const found = await pixelsOf(Uint8Array.from(whole.subarray(0, length)));
      if (typeof found === 'string') expect(found, `cut to ${length} of ${whole.length}`).toBe('truncated');
      else {
        taken += 1;
        expect(Buffer.compare(found, pixels as Uint8Array), `cut to ${length} of ${whole.length}`).toBe(0);
      }
    }
    // The end mark of JPEG has 2 bytes; IEND has 12, after the checksums of the data.
    if (kind.includes('JPEG')) expect(taken).toBeGreaterThanOrEqual(2);
    if (kind.includes('PNG')) expect(taken).toBeGreaterThanOrEqual(12);
  });

  it('takes a file with padding, or any other bytes, after its end', async () => {
    const whole = await make();
    const pixels = await pixelsOf(whole);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.nat(3000).map(n => Buffer.alloc(n)),
          fc.uint8Array({ maxLength: 200 }),
        ),
        async rest => {
          const found = await pixelsOf(Buffer.concat([whole, rest]));
          expect(typeof found === 'string' ? found : Buffer.compare(found, pixels as Uint8Array)).toBe(0);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('inspect', () => {
  it.each(['JPEG', 'progressive JPEG', 'PNG'])('takes a %s whose end mark is overwritten by padding', async kind => {
    const whole = await MADE[kind]!();
    const cut = whole.subarray(0, whole.length - (kind === 'PNG' ? 12 : 2));
    const found = await pixelsOf(Buffer.concat([cut, Buffer.alloc(4_096)]));
    expect(Buffer.compare(found as Uint8Array, (await pixelsOf(whole)) as Uint8Array)).toBe(0);
  });

  it.each(['WebP', 'lossless WebP', 'WebP with alpha'])('takes a %s whose header has a wrong size', async kind => {
    const whole = await MADE[kind]!();
    const pixels = (await pixelsOf(whole)) as Uint8Array;
    for (const size of [0, 8, 100, whole.length - 10, whole.length - 7, whole.length + 500, 0xffffffff]) {
      const wrong = Buffer.from(whole);
      wrong.writeUInt32LE(size, 4);
      const found = await pixelsOf(wrong);
      expect(typeof found === 'string' ? found : Buffer.compare(found, pixels), `size ${size}`).toBe(0);
    }
  });

  it('refuses a progressive JPEG without the scans that refine it', async () => {
    const whole = await MADE['progressive JPEG']!();
    const lastScan = whole.lastIndexOf(Buffer.from([0xff, 0xda]));
    expect(await pixelsOf(whole.subarray(0, lastScan))).toBe('truncated');
  });

  it('refuses a JPEG that misses the scan of one colour', async () => {
    // Two of three components: what an encoder that writes one after another has left after a cut between scans.
    const jpeg = await noise().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    const grey = await noise().greyscale().jpeg().toBuffer();
    const greyScan = grey.indexOf(Buffer.from([0xff, 0xda]));
    expect(frame).toBeGreaterThan(0);
    const first = Buffer.concat([jpeg.subarray(0, scan), grey.subarray(greyScan, -2)]);
    first[scan + 5] = jpeg[frame + 10]!;
    expect(await pixelsOf(first)).toBe('truncated');
  });

  it('refuses a JPEG that loses a restart interval on the way to its cut', async () => {
    const jpeg = await noise(320, 240).jpeg().toBuffer();
    expect(await pixelsOf(jpeg.subarray(0, Math.floor(jpeg.length * 0.66)))).toBe('truncated');
  });
});

const REAL = dataFiles('camera', 'phash', 'screen')
  .filter(({ path }) => /\.jpe?g$/i.test(path) && !path.includes('broken'))
  .filter((_, i) => i % 12 === 0)
  .slice(0, 40);

it.skipIf(REAL.length === 0)('isEveryPixelThere finds every pixel of real photos', async () => {
  for (const { path, read } of REAL) {
    const bytes = read();
    if (bytes[0] === 0xff) expect(await isEveryPixelThere(bytes), path).toBe(true);
  }
});
