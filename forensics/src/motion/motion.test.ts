import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { random } from '../pixels/random.ts';
import { drawCards, drawMoves } from '../simulate/pairs.ts';
import { type CaptureParams, plainCapture } from '../simulate/params.ts';
import { simulateDeep, simulateDirect } from '../simulate/recapture.ts';
import { drawScene } from '../simulate/scene.ts';
import { fitHomography, ransac, transferError, translationOf } from './geometry.ts';
import type { Match } from './match.ts';
import { parallaxSignal, withParallax } from './signal.ts';
import { type TwoFrameTest, testTwoFrames } from './two-frames.ts';

const size = { width: 640, height: 480 };
const scene = drawScene(1, size);
const [first, second] = drawMoves(1, size);
const plain = (capture: CaptureParams, seed: number): CaptureParams => ({
  ...plainCapture(seed, size),
  pose: capture.pose,
});

describe('testTwoFrames', () => {
  it('distinguishes a flat picture from objects at different distances', async () => {
    const [a, b] = [plain(first, 1), plain(second, 2)];
    const flat = testTwoFrames((await simulateDirect(scene, a)).picture, (await simulateDirect(scene, b)).picture);
    expect(flat.answer).toBe('flat');
    expect(flat.probability).toBeGreaterThan(0.9);
    const cards = drawCards(1, size);
    const [c, d] = [await simulateDeep(scene, cards, a), await simulateDeep(scene, cards, b)];
    const deep = testTwoFrames(c.picture, d.picture);
    expect(deep.answer).toBe('deep');
    expect(deep.probability).toBeLessThan(0.1);
  });

  it('has no answer when the camera only turned, or sees another subject', async () => {
    const a = plain(first, 1);
    const turned = {
      ...plain(first, 3),
      pose: a.pose && { ...a.pose, turn: [0.03, 0.06, 0.02] as [number, number, number] },
    };
    const [p, q] = [(await simulateDirect(scene, a)).picture, (await simulateDirect(scene, turned)).picture];
    expect(testTwoFrames(p, q).answer).toBe('not_enough_movement');
    expect(testTwoFrames(p, p).answer).toBe('not_enough_movement');
    expect(testTwoFrames(p, drawScene(5, size)).answer).toBe('not_enough_matches');
    expect(testTwoFrames({ width: 1, height: 1, data: new Uint8Array(3) }, p).answer).toBe('not_enough_matches');
  });
});

describe('geometry', () => {
  it('finds the homography of exact matches', () => {
    const small = fc.double({ min: -0.1, max: 0.1, noNaN: true });
    fc.assert(
      fc.property(small, small, small, fc.double({ min: -80, max: 80, noNaN: true }), (a, b, c, d) => {
        const h = [1 + a, b, d, c, 1 - b, 20, a * 1e-3, c * 1e-3, 1];
        const matches = Array.from({ length: 12 }, (_, i) => {
          const [x0, y0] = [((i * 37) % 100) * 6, ((i * 53) % 100) * 4];
          const w = h[6] * x0 + h[7] * y0 + 1;
          return { x0, y0, x1: (h[0] * x0 + h[1] * y0 + h[2]) / w, y1: (h[3] * x0 + h[4] * y0 + h[5]) / w };
        });
        const found = fitHomography(matches);
        for (const match of matches) expect(found && transferError(found, match)).toBeLessThan(1e-3);
      }),
    );
  });

  it('ends a search early without losing matches that one plane explains', () => {
    const shift = fc.integer({ min: -60, max: 60 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0.6, max: 0.95, noNaN: true }),
        shift,
        (seed, share, by) => {
          const rng = random(seed);
          const matches = Array.from({ length: 100 }, (_, i) => {
            const [x0, y0] = [rng.uniform(0, 480), rng.uniform(0, 360)];
            return i < 100 * share
              ? { x0, y0, x1: 1.02 * x0 + by, y1: 0.98 * y0 - by }
              : { x0, y0, x1: rng.uniform(0, 480), y1: rng.uniform(0, 360) };
          });
          let fits = 0;
          const fit = (sample: Match[]) => {
            fits++;
            return fitHomography(sample);
          };
          const options = { sample: 4, threshold: 1, rounds: 400, rng };
          const found = ransac(matches, fit, transferError, { ...options, sure: 0.9999 })!;
          expect(found.inliers.length).toBeGreaterThanOrEqual(Math.floor(100 * share));
          expect(fits).toBeLessThan(200);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('finds no translation in a rotation', () => {
    const [focal, cx, cy, angle] = [750, 480, 360, 0.1];
    // K R K^-1 for a rotation about the vertical axis.
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const k = [focal, 0, cx, 0, focal, cy, 0, 0, 1];
    const inverse = [1 / focal, 0, -cx / focal, 0, 1 / focal, -cy / focal, 0, 0, 1];
    const times = (a: number[], b: number[]) =>
      a.map((_, i) => [0, 1, 2].reduce((sum, j) => sum + a[Math.floor(i / 3) * 3 + j] * b[j * 3 + (i % 3)], 0));
    expect(translationOf(times(k, times([c, 0, s, 0, 1, 0, -s, 0, c], inverse)), focal, cx, cy)).toBeLessThan(1e-6);
  });
});

describe('parallaxSignal and withParallax', () => {
  const test = (answer: TwoFrameTest['answer'], probability?: number): TwoFrameTest => ({
    answer,
    probability,
    evidence: {
      matches: 100,
      on_plane: 90,
      on_epipolar_lines: 95,
      residual_px: 0.3,
      epipolar_px: 0.2,
      translation: 0.1,
      blocks: 120,
      waves_differ: 0,
      moire: false,
      coverage: 0.5,
    },
  });

  it('never trip on only a flat subject', () => {
    expect(parallaxSignal(test('flat', 0.99), { screen: 'clear', threeDimensional: false }).band).toBe('clear');
    expect(parallaxSignal(test('flat', 0.99), { screen: 'doubtful', threeDimensional: false }).band).toBe('confident');
    expect(parallaxSignal(test('flat', 0.7), { screen: 'clear', threeDimensional: true }).band).toBe('doubtful');
    expect(parallaxSignal(test('deep', 0.01), { screen: 'confident', threeDimensional: true }).band).toBe('clear');
    expect(parallaxSignal(test('not_enough_movement'), { screen: 'confident', threeDimensional: true })).toMatchObject({
      evaluated: false,
      confidence: 0,
      band: 'clear',
    });
  });

  it('never lower the probability of a display, whatever the second frame shows', () => {
    const any = fc.record({
      answer: fc.constantFrom(
        'flat' as const,
        'deep' as const,
        'not_enough_movement' as const,
        'not_enough_matches' as const,
      ),
      probability: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      moire: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), any, (p, { answer, probability, moire }) => {
        const { evidence } = test(answer);
        const frames = { answer, probability, evidence: { ...evidence, moire } };
        expect(withParallax(p, frames)).toBeGreaterThanOrEqual(p);
        expect(withParallax(p, frames)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('raise the probability of a display for a flat subject, and not without an answer', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), p => {
        expect(withParallax(p, test('flat', 0.98))).toBeGreaterThan(p);
        expect(withParallax(p, test('deep', 0.02))).toBe(p);
        expect(withParallax(p, test('not_enough_matches'))).toBe(p);
        expect(withParallax(p, undefined)).toBe(p);
      }),
    );
  });

  it('count wrongly moving moire as evidence of a display, with and without parallax', () => {
    const none = test('not_enough_movement');
    const moire = { ...none, evidence: { ...none.evidence, moire: true } };
    const flat = { ...test('flat', 0.98), evidence: moire.evidence };
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), p => {
        expect(withParallax(p, moire)).toBeGreaterThan(p);
        expect(withParallax(p, flat)).toBeGreaterThan(withParallax(p, test('flat', 0.98)));
        expect(withParallax(p, none)).toBe(p);
      }),
    );
  });
});
