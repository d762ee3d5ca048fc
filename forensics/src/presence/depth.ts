import type { Plane } from '../motion/corners.ts';
import { judgeMatches, type TwoFrameTest } from '../motion/two-frames.ts';
import { logistic } from '../odds.ts';
import { round } from '../pixels/round.ts';
import { depthByBrightness } from './brightness.ts';
import type { Path } from './path.ts';
import { type CheckResult, doubt, failed, noAnswer, passed, type TraceFrame } from './trace.ts';
import { follow, matchesOf, planeOf } from './tracks.ts';

/**
 * A plane that a phone films leaves residuals of up to this share of the shift, because the sensor is read row by row while the hand
 * moves. Set on a chessboard (0.01 to 0.065) against deep scenes (0.06 to 0.5).
 */
const ROLLING = 0.07;
/** Pixels at 960 a side that the two-frame test tolerates, and the finest scale at which it is used on a trace. */
const TOLERATED = 1.2;
const FINEST = 1.25;
/** Frames, as shares of the trace, from which points are followed. */
const ANCHORS = [0.5, 0.1, 0.9];
/** Probability with which a geometry was found when the search for it ends early. */
const SURE = 0.999;
/** Shift between the frames of a pair, as a share of the longer side: less shows no depth. */
const LEAST_BASELINE = 0.02;
/** Baselines that are tried from each anchor, and points that each needs. */
const BASELINES = [0.05, 0.09, 0.14];
const LEAST_POINTS = 40;
/** Answers after which testing ends, and the fewest that decide: one pair may be mistaken. */
const ANSWERS = 3;
const FEWEST = 2;
const FLAT = 0.5;
/**
 * So many clearly deep pairs outweigh flat ones: a scene looks flat where its near things left the picture, but a plane never looks deep twice. None
 * of 111 pairs of rendered prints is clearly deep, and none of 21 of the chessboard.
 */
const DEEP_PAIRS = 2;
const DEEP_POINTS = 60;
const DEEP_RIGID = 0.85;
/**
 * From this share on, brightness explains the depth. Real films of `fit` and `choose` reached 0.77 (one; the others 0.44), rendered genuine sessions
 * 0.8 (one of 30; the others 0.62), photos warped by their brightness 0.84 to 0.96.
 */
const BY_BRIGHTNESS = 0.86;
/** From this probability on the subject counts as flat. The same value as for two frames: `motion/signal.ts`. */
const CONFIDENT = 0.95;

/**
 * Asks whether the trace shows one plane or several. Points are followed through the whole trace, and the test on two frames judges where
 * they stand at several baselines. A plane is one at every baseline, so the widest pairs that can be judged decide.
 */
export function checkDepth(frames: readonly TraceFrame[], path: Path): CheckResult {
  const planes = frames.map(({ picture }) => planeOf(picture));
  const { answers, tested, turned, most, deep } = testPairs(planes, path);
  const evidence = { pairs: tested, answered: answers.length, only_turned: turned, points: most };
  if (tested === 0)
    return noAnswer('The camera did not move enough to tell a flat picture from a real scene.', evidence);
  if (answers.length < FEWEST)
    return turned > 0
      ? noAnswer('The camera only turned, so a flat picture cannot be told from a real scene.', evidence)
      : noAnswer('The scene has too little detail to tell a flat picture from a real one.', evidence);
  const probability = flatnessOf(answers);
  const measured = { ...evidence, deep_pairs: deep, flatness: round(probability) };
  if (probability < FLAT || deep >= DEEP_PAIRS) {
    const share = depthByBrightness(planes, path);
    const found = { ...measured, ...(share !== undefined && { by_brightness: round(share) }) };
    return share !== undefined && share >= BY_BRIGHTNESS
      ? doubt(
          'Bright things move as if they were near, as in a photo that a program bends by its brightness.',
          0.7,
          found,
        )
      : passed('Near and far things move differently: a real scene.', probability, found);
  }
  // Lens and shutter make a mere turn of the camera look like a plane that moved a little.
  if (2 * turned >= answers.length)
    return noAnswer('The camera mostly turned, so a flat picture cannot be told from a real scene.', measured);
  if (probability < CONFIDENT) return doubt('The scene may be flat.', probability, measured);
  return failed('Everything in view lies on one plane, as on a display, a print or a wall.', probability, measured);
}

/** The probabilities of a plane by pair, and how many pairs were tested, only turned, and are clearly deep. `most`: points of a pair at most. */
interface Pairs {
  answers: number[];
  tested: number;
  turned: number;
  most: number;
  deep: number;
}

/** Tests pairs from one anchor after another, until the answers are clear. */
function testPairs(planes: readonly Plane[], { points, steps }: Path): Pairs {
  const pairs: Pairs = { answers: [], tested: 0, turned: 0, most: 0, deep: 0 };
  const { answers } = pairs;
  for (const share of ANCHORS) {
    if (pairs.deep >= DEEP_PAIRS || (answers.length >= ANSWERS && isClear(flatnessOf(answers)))) break;
    const anchor = Math.round(share * (planes.length - 1));
    const shifts = points.map(({ x, y }) => Math.hypot(x - points[anchor]!.x, y - points[anchor]!.y));
    if (Math.max(...shifts) < LEAST_BASELINE) continue;
    const tracks = follow(planes, steps, anchor);
    const counts = planes.map((_, frame) => matchesOf(tracks, frame).length);
    for (const frame of framesAt(shifts, counts)) {
      const matches = matchesOf(tracks, frame);
      const unit = Math.min(FINEST, TOLERATED / (ROLLING * shifts[frame]! * Math.max(tracks.width, tracks.height)));
      const { test } = judgeMatches(matches, tracks, unit, SURE);
      pairs.tested++;
      pairs.most = Math.max(pairs.most, matches.length);
      if (test.answer === 'not_enough_movement') pairs.turned++;
      if (test.probability !== undefined) answers.push(test.probability);
      if (isDeep(test)) pairs.deep++;
    }
  }
  return pairs;
}

/** Bounded, so that no single pair decides against the others. */
const BOUND = 3.5;
const logitOf = (p: number): number => Math.max(-BOUND, Math.min(BOUND, Math.log((p + 1e-9) / (1 - p + 1e-9))));

/** A pair is clearly deep if many points lie off the plane and move as one rigid scene, not as points that were lost. */
function isDeep({ probability = 1, evidence }: TwoFrameTest): boolean {
  const { matches, on_epipolar_lines } = evidence;
  return probability <= 1 - CONFIDENT && matches >= DEEP_POINTS && on_epipolar_lines >= DEEP_RIGID * matches;
}

/** The mean of the logits, as a probability. */
function flatnessOf(answers: readonly number[]): number {
  const logit = answers.reduce((sum, p) => sum + logitOf(p), 0) / answers.length;
  return logistic(logit);
}

const isClear = (flatness: number): boolean => flatness <= 1 - CONFIDENT || flatness >= CONFIDENT;

/** Returns one frame for each baseline: the nearest in which enough points are left, each frame once. */
function framesAt(shifts: readonly number[], counts: readonly number[]): number[] {
  const usable = shifts.flatMap((shift, i) => (shift >= LEAST_BASELINE && counts[i]! >= LEAST_POINTS ? [i] : []));
  const chosen = new Set<number>();
  for (const baseline of BASELINES) {
    const cost = (i: number): number => Math.abs(Math.log(shifts[i]! / baseline));
    const best = usable.reduce<number | undefined>((a, i) => (a === undefined || cost(i) < cost(a) ? i : a), undefined);
    if (best !== undefined) chosen.add(best);
  }
  return [...chosen];
}
