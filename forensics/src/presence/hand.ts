import { round } from '../pixels/round.ts';
import type { Path } from './path.ts';
import { type CheckResult, type MotionSample, noAnswer } from './trace.ts';

const LEAST_SAMPLES = 40;
const LEAST_STEPS = 11;
/** The sensor's time may differ from the video's by this much, in steps of 10 ms. */
const DELAY = 250;
const DELAY_STEP = 10;
/** Correlations between which there is no answer. The free delay lets unrelated signals reach about 0.5. */
const AGREES = 0.7;
const DIFFERS = 0.4;
/** Rotation that a picture or a sensor must show for a comparison, radians between two frames (root mean square). */
const LEAST_TURN = 0.0008;

/**
 * Asks whether the motion sensor turned as the picture did. The rotation about the line of sight is compared directly. The shift of the
 * picture mixes rotation and sideways movement, so only its quick part is compared: a hand's tremor turns the phone more than it carries it.
 */
export function checkHand(path: Path, samples: readonly MotionSample[]): CheckResult {
  if (samples.length < LEAST_SAMPLES) return noAnswer('The phone gave no motion sensor.');
  const { steps, points } = path;
  const usable = steps.filter(({ correlation }) => correlation > 0.6).length;
  if (steps.length < LEAST_STEPS || usable < 0.8 * steps.length)
    return noAnswer('The movement of the camera could not be followed from frame to frame.');
  const seen = [steps.map(s => s.turn), quick(steps.map(s => s.dx)), quick(steps.map(s => s.dy))];
  const angleAt = anglesOf(samples);
  let best = { r: -1, delay: 0 };
  let felt = 0;
  for (let delay = -DELAY; delay <= DELAY; delay += DELAY_STEP) {
    const angles = points.map(({ at }) => angleAt(at + delay));
    const turns = angles.slice(1).map((angle, i) => angle.map((value, index) => value - angles[i][index]));
    const axis = (index: number): number[] => turns.map(turn => turn[index]!);
    // A camera that turns to the left (about y up) or upwards (about x) sees the picture go right or down; clockwise, it turns back.
    const expected = [axis(2), quick(axis(1)), quick(axis(0))];
    felt = Math.max(felt, Math.sqrt(meanSquare(turns.flat())));
    const r = correlation(seen.flatMap(normal), expected.flatMap(normal));
    if (r > best.r) best = { r, delay };
  }
  const shown = Math.sqrt(meanSquare(seen.flat()));
  const evidence = {
    correlation: round(best.r),
    delay_ms: best.delay,
    felt: round(felt * 1e3),
    seen: round(shown * 1e3),
    samples: samples.length,
  };
  if (felt < LEAST_TURN && shown < LEAST_TURN) return noAnswer('The phone hardly turned.', evidence);
  if (best.r >= AGREES)
    return {
      evaluated: true,
      passed: true,
      probability: 0.05,
      words: 'The motion sensor turned as the picture did.',
      evidence,
    };
  if (best.r > DIFFERS) return noAnswer('The motion sensor and the picture agree only in part.', evidence);
  return {
    evaluated: true,
    passed: false,
    probability: 0.93,
    words: 'The picture moved differently from the phone that is said to have filmed it.',
    contradiction: true,
    evidence,
  };
}

/** Returns the angles about the three axes at a time: the rates' integral, linear between samples and beyond their ends. */
function anglesOf(samples: readonly MotionSample[]): (at: number) => number[] {
  const angles: number[][] = [[0, 0, 0]];
  for (let i = 1; i < samples.length; i++) {
    const seconds = (samples[i].at - samples[i - 1].at) / 1000;
    angles.push(
      angles[i - 1].map((angle, axis) => angle + ((samples[i].rate[axis] + samples[i - 1].rate[axis]) / 2) * seconds),
    );
  }
  return at => {
    let next = samples.findIndex(sample => sample.at > at);
    if (next < 0) next = samples.length - 1;
    next = Math.max(1, next);
    const [from, to] = [samples[next - 1], samples[next]];
    const share = (at - from.at) / Math.max(1e-6, to.at - from.at);
    // Beyond the ends the last rate may continue for a moment, but not for long.
    const bounded = Math.max(-3, Math.min(4, share));
    return angles[next - 1].map((angle, axis) => angle + bounded * (angles[next][axis] - angle));
  };
}

/** Removes the slow part: the mean over five steps. */
function quick(values: number[]): number[] {
  return values.map((value, i) => {
    const near = values.slice(Math.max(0, i - 2), i + 3);
    return value - near.reduce((a, b) => a + b, 0) / near.length;
  });
}

const meanSquare = (values: number[]): number => values.reduce((sum, v) => sum + v * v, 0) / Math.max(1, values.length);

function normal(values: number[]): number[] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const spread = Math.sqrt(meanSquare(values.map(v => v - mean)));
  return values.map(v => (v - mean) / Math.max(1e-6, spread));
}

function correlation(a: number[], b: number[]): number {
  const ab = a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  return ab / Math.sqrt(meanSquare(a) * meanSquare(b) * a.length * b.length + 1e-12);
}
