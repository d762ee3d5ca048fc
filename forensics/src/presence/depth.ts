import { testTwoFrames } from '../motion/two-frames.ts';
import { round } from '../pixels/round.ts';
import type { Path } from './path.ts';
import { type CheckResult, noAnswer, type TraceFrame } from './trace.ts';

/** Shift between the frames of a pair, as a share of the longer side: less shows no depth, more loses matches. */
const BASELINE = { best: 0.045, least: 0.025, most: 0.2 };
/** Pairs to test at most, and answers after which testing ends. */
const PAIRS = 4;
const ANSWERS = 2;
const FLAT = 0.5;
/** From this probability on the subject counts as flat. The same value as for two frames: `motion/signal.ts`. */
const CONFIDENT = 0.95;

/** Asks whether the trace shows one plane or several: the test on two frames, on the best pairs of the trace. */
export function checkDepth(frames: readonly TraceFrame[], { points }: Path): CheckResult {
  const answers: number[] = [];
  let [tested, moire, turned] = [0, 0, 0];
  for (const [i, j] of bestPairs(points)) {
    const { answer, probability, evidence } = testTwoFrames(frames[i]!.picture, frames[j]!.picture);
    tested++;
    moire = Math.max(moire, evidence.moire_strength);
    if (answer === 'not_enough_movement') turned++;
    if (probability !== undefined) answers.push(probability);
    if (answers.length === ANSWERS) break;
  }
  const evidence = { pairs: tested, answered: answers.length, only_turned: turned, moire_strength: moire };
  if (tested === 0)
    return noAnswer('The camera did not move enough to tell a flat picture from a real scene.', evidence);
  if (answers.length === 0)
    return turned > 0
      ? noAnswer('The camera only turned, so a flat picture cannot be told from a real scene.', evidence)
      : noAnswer('The scene has too little detail to tell a flat picture from a real one.', evidence);
  const logit = answers.reduce((sum, p) => sum + logitOf(p), 0) / answers.length;
  const probability = 1 / (1 + Math.exp(-logit));
  const measured = { ...evidence, flatness: round(probability) };
  if (probability < FLAT)
    return {
      evaluated: true,
      passed: true,
      probability,
      words: 'Near and far things move differently: a real scene.',
      evidence: measured,
    };
  if (probability < CONFIDENT) return { ...noAnswer('The scene may be flat.', measured), probability };
  return {
    evaluated: true,
    passed: false,
    probability,
    words: 'Everything in view lies on one plane, as on a display, a print or a wall.',
    evidence: measured,
  };
}

const logitOf = (p: number): number => Math.log(Math.max(1e-4, p) / Math.max(1e-4, 1 - p));

/** Returns the pairs whose shift is closest to the best baseline. Each further pair starts elsewhere. */
function bestPairs(points: Path['points']): [number, number][] {
  const pairs: { i: number; j: number; cost: number }[] = [];
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      const shift = Math.hypot(points[j]!.x - points[i]!.x, points[j]!.y - points[i]!.y);
      if (shift >= BASELINE.least && shift <= BASELINE.most)
        pairs.push({ i, j, cost: Math.abs(Math.log(shift / BASELINE.best)) });
    }
  }
  pairs.sort((a, b) => a.cost - b.cost || a.i - b.i);
  const chosen: typeof pairs = [];
  const apart = Math.max(2, points.length / 8);
  for (const pair of pairs) {
    if (chosen.length === PAIRS) break;
    if (chosen.every(other => Math.abs(other.i - pair.i) + Math.abs(other.j - pair.j) >= apart)) chosen.push(pair);
  }
  return chosen.map(({ i, j }) => [i, j]);
}
