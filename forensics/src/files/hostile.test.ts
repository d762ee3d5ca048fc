import sharp, { type Sharp } from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { random } from '../pixels/random.ts';
import { createAnalysisPool } from '../running/pool.ts';
import { drawScene } from '../simulate/scene.ts';
import { ImageFault } from './inspect.ts';

const scene = drawScene(4, { width: 360, height: 280 });
const photo = (): Sharp => sharp(scene.data, { raw: { width: 360, height: 280, channels: 3 } });

/** A TIFF block whose second directory points back to the first. */
function loopedExif(): Buffer {
  const tiff = Buffer.alloc(40);
  tiff.write('II*\0', 0, 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  // GPS and Exif directories both at offset 8, and so is the next one.
  for (const [i, tag] of [0x8769, 0x8825].entries()) {
    tiff.writeUInt16LE(tag, 10 + i * 12);
    tiff.writeUInt16LE(4, 12 + i * 12);
    tiff.writeUInt32LE(1, 14 + i * 12);
    tiff.writeUInt32LE(8, 18 + i * 12);
  }
  tiff.writeUInt32LE(8, 34);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
}

/** Inserts application segments after a JPEG's SOI. */
function withSegments(jpeg: Buffer, marker: number, ...bodies: Buffer[]): Buffer {
  const segments = bodies.map(body => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(body.length + 2, 2);
    return Buffer.concat([head, body]);
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

const jpeg = await photo()
  .withExif({ IFD0: { Make: 'Maker' }, IFD3: { GPSLatitude: '1/1 2/1 3/1' } })
  .jpeg()
  .toBuffer();
const frames = Buffer.concat([scene.data, scene.data]);
const strange: Record<string, Buffer> = {
  'a single pixel': await photo().resize(1, 1).png().toBuffer(),
  'one row': await photo().resize(360, 1, { fit: 'fill' }).jpeg().toBuffer(),
  '16 bits a sample': await photo().toColourspace('rgb16').png().toBuffer(),
  CMYK: await photo().toColourspace('cmyk').jpeg().toBuffer(),
  grey: await photo().greyscale().jpeg().toBuffer(),
  transparent: await photo().ensureAlpha(0.3).png().toBuffer(),
  palette: await photo().png({ palette: true }).toBuffer(),
  progressive: await photo().jpeg({ progressive: true }).toBuffer(),
  animated: await sharp(frames, { raw: { width: 360, height: 560, channels: 3, pageHeight: 280 } })
    .webp()
    .toBuffer(),
  AVIF: await photo().avif({ effort: 0 }).toBuffer(),
  'a megabyte of metadata': withSegments(jpeg, 0xe1, ...Array.from({ length: 16 }, () => Buffer.alloc(65_000, 0x41))),
  'directories in a loop': withSegments(await photo().jpeg().toBuffer(), 0xe1, loopedExif()),
};

const pool = createAnalysisPool({ threads: 2, timeoutMs: 120_000, memoryMb: 256 });
afterAll(() => pool.close());

const signals: ('screen' | 'ai' | 'reverse' | 'depth')[] = ['screen', 'ai', 'reverse', 'depth'];

/** Analyses and returns the name of the fault, or `answered`. Anything but an answer or a named fault fails the test. */
async function outcome(bytes: Buffer): Promise<string> {
  try {
    const analysis = await pool.analyze({ bytes, signals, motionFrame: bytes });
    expect(analysis.screen?.confidence).toBeGreaterThanOrEqual(0);
    expect(Number.isFinite(analysis.depth?.confidence)).toBe(true);
    return 'answered';
  } catch (cause) {
    if (!(cause instanceof ImageFault)) throw cause;
    return cause.code;
  }
}

describe('analyzePicture on hostile pictures', () => {
  it.each(Object.entries(strange))('answers %s', async (_, bytes) => {
    expect(await outcome(bytes)).toBe('answered');
  });

  it('names the fault of a file truncated before its last pixel', async () => {
    for (const bytes of [jpeg, strange.progressive, strange['16 bits a sample'], strange.AVIF, strange.animated]) {
      const step = Math.max(512, Math.floor(bytes.length / 12));
      // A PNG ends with 12 bytes that hold no pixel.
      for (let length = step; length < bytes.length - 12; length += step) {
        expect(await outcome(bytes.subarray(0, length))).toBe('truncated');
      }
    }
  });

  it('survives bytes changed at random', async () => {
    const rng = random(77);
    const seeds = [
      jpeg,
      strange.progressive,
      strange['16 bits a sample'],
      strange.palette,
      strange.AVIF,
      strange.animated,
    ];
    const outcomes = new Map<string, number>();
    for (let run = 0; run < 72; run++) {
      const bytes = Buffer.from(seeds[run % seeds.length]);
      const reach = rng.uniform() < 0.5 ? 700 : bytes.length;
      for (let edit = 0; edit < 6; edit++) bytes[Math.floor(rng.uniform(0, reach))] = Math.floor(rng.uniform(0, 256));
      const result = await outcome(bytes);
      outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
    }
    // The mutations have an effect, and not all of them are fatal.
    expect(outcomes.size).toBeGreaterThan(1);
    expect(await outcome(jpeg)).toBe('answered');
  }, 600_000);
});
