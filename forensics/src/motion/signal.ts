import type { Band, DepthSignal } from '../signals.ts';
import type { TwoFrameTest } from './two-frames.ts';

/** Flat at this probability or above, with a reason to be suspicious, is enough to fail a picture. */
const CONFIDENT = 0.95;
const DOUBTFUL = 0.6;

/**
 * What a genuine subject and a display make of the test, as log likelihood ratios for a display. About a fifth of honest
 * subjects are flat (walls, documents); a display seldom looks deep, unless much of the room is in the picture with it.
 */
const FLAT_RATIO = Math.log(0.95 / 0.2);
const DEEP_RATIO = -1.5;

/** The two-frame test in the terms of `DepthSignal`; a flat subject alone trips nothing. */
export function parallaxSignal(test: TwoFrameTest, reason: { screen: Band; threeDimensional: boolean }): DepthSignal {
  const evidence = { answer: test.answer, ...test.evidence };
  if (test.probability === undefined) {
    return { source: 'motion_parallax', confidence: 0, band: 'clear', evaluated: false, evidence };
  }
  const flat = test.answer === 'flat';
  const confidence = flat ? test.probability : 1 - test.probability;
  const suspicious = flat && test.probability >= DOUBTFUL && (reason.threeDimensional || reason.screen !== 'clear');
  const band = suspicious ? (test.probability >= CONFIDENT ? 'confident' : 'doubtful') : 'clear';
  return { source: 'motion_parallax', confidence, band, evaluated: true, evidence };
}

/** The probability of a display after the two-frame test; unchanged where that has no answer. */
export function withParallax(probability: number, test: TwoFrameTest | undefined): number {
  if (test?.probability === undefined) return probability;
  const weight =
    test.answer === 'flat' ? (2 * test.probability - 1) * FLAT_RATIO : (1 - 2 * test.probability) * DEEP_RATIO;
  const p = Math.min(1 - 1e-6, Math.max(1e-6, probability));
  return 1 / (1 + Math.exp(-(Math.log(p / (1 - p)) + weight)));
}
