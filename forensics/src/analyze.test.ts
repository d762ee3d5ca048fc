import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { dataFiles } from '../test/data.ts';
import { analyzePicture, worstDepth } from './analyze.ts';
import { shrinkOnLoad } from './files/decode.ts';
import { plainCapture, plainDisplay } from './simulate/params.ts';
import { simulateDirect, simulateRecapture } from './simulate/recapture.ts';
import { drawScene } from './simulate/scene.ts';

describe('analyzePicture', () => {
  it.each([1, 2])('distinguishes a photographed display from the scene itself (seed %i)', async seed => {
    const scene = drawScene(seed);
    const capture = plainCapture(seed, { width: 1024, height: 768 });
    const display = await simulateRecapture(scene, plainDisplay(capture));
    const direct = await simulateDirect(scene, capture);

    const found = await analyzePicture({ bytes: display.jpeg, signals: ['screen', 'ai'] });
    expect(found.screen).toMatchObject({ evaluated: true, screen_detected: true, band: 'confident' });
    expect(found.screen?.confidence).toBeGreaterThan(0.95);
    const heatmap = await sharp(found.screen?.heatmapPng).metadata();
    expect(heatmap).toMatchObject({ format: 'png', width: 320, height: 240 });

    const clear = await analyzePicture({ bytes: direct.jpeg, signals: ['screen', 'ai'] });
    expect(clear.screen).toMatchObject({ evaluated: true, screen_detected: false, band: 'clear' });
    expect(clear.ai).toMatchObject({ label: 'unknown', band: 'clear' });
  });

  it('gives unevaluated signals for a single pixel', async () => {
    const bytes = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#777' } })
      .png()
      .toBuffer();
    const { info, screen, depth } = await analyzePicture({ bytes, signals: ['screen', 'depth'] });
    expect(info).toMatchObject({ width: 1, height: 1 });
    const unanswered = { evaluated: false, screen_detected: false, confidence: 0, band: 'clear' };
    expect(screen).toEqual({ ...unanswered, reason: 'too_small' });
    expect(depth).toMatchObject({ source: 'unavailable', evaluated: false, band: 'clear', reason: 'no_session' });
  });

  it('makes a preview without metadata', async () => {
    const bytes = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#777' } })
      .withExif({ IFD0: { Make: 'Maker' }, IFD3: { GPSLatitude: '1/1 2/1 3/1' } })
      .jpeg()
      .toBuffer();
    const { preview, metadata } = await analyzePicture({ bytes, signals: [] });
    expect(metadata.make).toBe('Maker');
    const read = await sharp(preview).metadata();
    expect(read).toMatchObject({ format: 'jpeg', width: 1600, height: 800 });
    expect(read.exif).toBeUndefined();
  });

  it.each(dataFiles('heic').slice(0, 3))('shows all pixels of $path as JPEG', async file => {
    const { info, display } = await analyzePicture({ bytes: file.read(), signals: [] });
    const { format, width, height } = await sharp(display).metadata();
    const factor = shrinkOnLoad(info);
    expect([format, width, height]).toEqual(['jpeg', Math.ceil(info.width / factor), Math.ceil(info.height / factor)]);
  });

  it('makes no second JPEG of what a browser shows', async () => {
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#777' } })
      .png()
      .toBuffer();
    expect(await analyzePicture({ bytes, signals: [] })).not.toHaveProperty('display');
  });
});

describe('worstDepth', () => {
  const signal = fc.record({
    source: fc.constantFrom('camera_session', 'motion_parallax', 'depth_map'),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    band: fc.constantFrom('clear' as const, 'doubtful' as const, 'confident' as const),
    evaluated: fc.boolean(),
  });
  const rank = (band = 'clear') => ['clear', 'doubtful', 'confident'].indexOf(band);

  it('never gets better by one more piece of evidence from the sender', () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 3 }), signal, fc.nat(3), (found, more, place) => {
        const before = worstDepth(found);
        const after = worstDepth(found.toSpliced(place, 0, more));
        expect(rank(after?.band)).toBeGreaterThanOrEqual(rank(before?.band));
        expect(rank(after?.band)).toBe(Math.max(...[...found, more].map(({ band }) => rank(band))));
      }),
    );
  });

  it('takes the earlier of two that say the same, if it was evaluated', () => {
    const [session, map] = [
      { source: 'camera_session', confidence: 0.9, band: 'clear' as const, evaluated: true },
      { source: 'depth_map', confidence: 0.8, band: 'clear' as const, evaluated: true },
    ];
    expect(worstDepth([undefined, session, map])).toBe(session);
    expect(worstDepth([{ ...session, evaluated: false }, map])).toBe(map);
    expect(worstDepth([])).toBeUndefined();
  });
});
