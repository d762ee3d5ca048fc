import { logistic } from '../odds.ts';
import { type DepthSignal, FLAT_BY_FRAMES, type FlatReason, flatBand } from '../signals.ts';
import type { TwoFrameTest } from './two-frames.ts';

/** The log likelihood ratio of a flat subject for a display. About a fifth of honest subjects are flat (walls, documents). */
const FLAT_RATIO = Math.log(0.95 / 0.2);

/** The log likelihood ratio of moire for a display. `CARD.md` has the shares behind it. */
const MOIRE_RATIO = 2;

/** Converts the two-frame test to a `DepthSignal`. A flat subject by itself trips nothing. */
export function parallaxSignal(test: TwoFrameTest, reason: FlatReason): DepthSignal {
  const evidence = { answer: test.answer, ...test.evidence };
  if (test.probability === undefined) {
    return { source: 'motion_parallax', confidence: 0, band: 'clear', evaluated: false, evidence };
  }
  const flat = test.answer === 'flat';
  const confidence = flat ? test.probability : 1 - test.probability;
  const band = flat ? flatBand(test.probability, FLAT_BY_FRAMES, reason) : 'clear';
  return { source: 'motion_parallax', confidence, band, evaluated: true, evidence };
}

/**
 * Raises the probability of a display by the two-frame test: by a flat subject, and by wrongly moving moire if the frames could be
 * registered. A deep subject lowers nothing, because the sender makes the second frame.
 */
export function withParallax(probability: number, test: TwoFrameTest | undefined): number {
  if (!test) return probability;
  let weight = test.evidence.moire ? MOIRE_RATIO : 0;
  if (test.answer === 'flat' && test.probability !== undefined)
    weight += Math.max(0, 2 * test.probability - 1) * FLAT_RATIO;
  if (weight === 0) return probability;
  const p = Math.min(1 - 1e-6, Math.max(1e-6, probability));
  return Math.max(probability, logistic(Math.log(p / (1 - p)) + weight));
}
