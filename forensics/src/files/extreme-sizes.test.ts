import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { analyzePicture } from '../analyze.ts';

type Format = 'jpeg' | 'png' | 'webp';

function picture(width: number, height: number, format: Format, plain: boolean): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 50 };
  return sharp({
    create: { width, height, channels: 3, background: '#777', ...(plain ? {} : { noise }) },
    limitInputPixels: false,
  })
    .toFormat(format)
    .toBuffer();
}

async function expectAnalysed(bytes: Buffer, width: number, height: number, motionFrame?: Buffer): Promise<void> {
  const size = `${width} × ${height}`;
  const analysis = await analyzePicture({
    bytes,
    signals: ['screen', 'ai', 'reverse', 'depth'],
    ...(motionFrame && { motionFrame }),
  });
  expect(analysis.info, size).toMatchObject({ width, height });
  expect(analysis.ai?.label, size).toBeDefined();
  for (const { confidence = 0 } of [analysis.screen ?? {}, analysis.depth ?? {}]) {
    expect(Number.isFinite(confidence), size).toBe(true);
  }
  const preview = await sharp(analysis.preview).metadata();
  expect(Math.min(preview.width, preview.height), size).toBeGreaterThan(0);
  const { data, width: columns, height: rows } = analysis.fingerprint.thumbnail;
  expect(data.length, size).toBe(columns * rows);
  expect(data.length, size).toBeGreaterThan(0);
}

describe('analyzePicture answers for pictures of any size', () => {
  it.each([
    [1, 1],
    [1, 2],
    [2, 1],
    [3, 5],
    [1, 4_000],
    [4_000, 1],
    [2, 4_097],
    [4_096, 3],
    [7, 2_048],
    [16_383, 1],
    [1, 16_383],
    [16_383, 15],
    [9, 16_000],
    [8, 8],
    [31, 33],
    [65, 640],
  ])('%i × %i', async (width, height) => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const bytes = await picture(width, height, format, false);
      await expectAnalysed(bytes, width, height, format === 'jpeg' ? bytes : undefined);
    }
  });

  it('65,000 × 1 and 1 × 65,000', async () => {
    await expectAnalysed(await picture(65_000, 1, 'png', false), 65_000, 1);
    await expectAnalysed(await picture(1, 65_000, 'jpeg', false), 1, 65_000);
  });

  it('whose sides are drawn at random, the short one most of all', async () => {
    const short = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 70 }));
    const long = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 9_000 }));
    await fc.assert(
      fc.asyncProperty(
        short,
        long,
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom<Format>('jpeg', 'png', 'webp'),
        async (a, b, upright, plain, format) => {
          const [width, height] = upright ? [a, b] : [b, a];
          await expectAnalysed(await picture(width, height, format, plain), width, height);
        },
      ),
      { numRuns: 15 },
    );
  });
});
