import { round } from '../pixels/round.ts';
import { momentsOf, rootMeanSquare } from '../pixels/statistics.ts';
import { deviceWithSensor, unexplained } from './motion-devices.ts';
import type { Path } from './path.ts';
import { type CheckResult, contradicted, type MotionSample, noAnswer, passed, type Session } from './trace.ts';

const LEAST_SAMPLES = 40;
const LEAST_STEPS = 11;
/** The sensor's time may differ from the video's by this much, in steps of 10 ms. */
const DELAY = 200;
const DELAY_STEP = 10;
/**
 * The free delay lets unrelated signals reach a correlation of about 0.4. A low one accuses nobody: rendered hands beside near things, whose path the
 * picture shows poorly, reached 0.07 with their own sensor.
 */
const AGREES = 0.7;
/** Roll that the sensor must feel for a comparison, and turn about any axis that no hand stays below: radians a frame, root mean square. */
const LEAST_ROLL = 0.003;
const AT_REST = 0.0008;
/** The picture went this far, as a share of its longer side. */
const MOVED = 0.1;

/**
 * Asks whether the motion sensor turned as the picture did. It compares only the rotation about the line of sight: the shift of the picture
 * mixes turning and sideways movement, and a hand that moves aside turns back to keep the subject in view.
 */
export function checkHand(
  path: Path,
  { motion: samples, motionAbsence }: Pick<Session['trace'], 'motion' | 'motionAbsence'>,
  photo?: Session['metadata'],
): CheckResult {
  if (samples.length < LEAST_SAMPLES) {
    const device = deviceWithSensor(photo);
    const missing = unexplained(motionAbsence, device);
    const evidence = { samples: samples.length, absence: motionAbsence ?? null, ...(device && { device }) };
    return { ...noAnswer('The phone gave no motion sensor.', evidence), ...(missing && { missing }) };
  }
  const { steps, points } = path;
  const usable = steps.filter(({ correlation }) => correlation > 0.6).length;
  if (steps.length < LEAST_STEPS || usable < 0.8 * steps.length)
    return noAnswer('The movement of the camera could not be followed from frame to frame.');
  const seen = steps.map(({ turn }) => turn);
  const angleAt = anglesOf(samples);
  let best = { r: -1, delay: 0, roll: 0, turn: 0 };
  for (let delay = -DELAY; delay <= DELAY; delay += DELAY_STEP) {
    const angles = points.map(({ at }) => angleAt(at + delay));
    const turns = angles.slice(1).map((angle, i) => angle.map((value, axis) => value - angles[i][axis]));
    // A camera that turns anticlockwise (about z out of the display) sees the picture turn clockwise.
    const rolls = turns.map(turn => turn[2]);
    const r = correlation(seen, rolls);
    if (r > best.r) best = { r, delay, roll: rootMeanSquare(rolls), turn: rootMeanSquare(turns.flat()) };
  }
  const way = points.reduce((far, { x, y }) => Math.max(far, Math.hypot(x - points[0].x, y - points[0].y)), 0);
  const evidence = {
    correlation: round(best.r),
    delay_ms: best.delay,
    felt_roll_mrad: round(best.roll * 1e3),
    felt_turn_mrad: round(best.turn * 1e3),
    seen_roll_mrad: round(rootMeanSquare(seen) * 1e3),
    samples: samples.length,
  };
  if (best.turn < AT_REST && way > MOVED)
    return contradicted('The picture moved, but the phone lay still.', 0.93, evidence);
  if (best.roll < LEAST_ROLL) return noAnswer('The phone hardly rolled, so its sensor cannot be compared.', evidence);
  if (best.r >= AGREES) return passed('The motion sensor turned as the picture did.', 0.05, evidence);
  return noAnswer('The motion sensor and the picture agree only in part.', evidence);
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

function correlation(a: number[], b: number[]): number {
  const { ab, aa, bb } = momentsOf(a, b);
  return ab / Math.sqrt(aa * bb + 1e-18);
}
