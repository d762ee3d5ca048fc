import type { Picture } from '../pixels/picture.ts';
import { round } from '../pixels/round.ts';
import { frameLuma, shrunkTo } from './luma.ts';
import type { Path } from './path.ts';
import { type CheckResult, failed, noAnswer, passed, type TraceFrame } from './trace.ts';
import { wavesOf } from './waves.ts';

const ROWS = 160;
const LEAST_STEPS = 8;
/** Steps that move the picture further than this lose too many rows to compare. */
const LARGEST_SHIFT = 0.06;
/** Cycles over the picture's height. Fewer are exposure and shading, more are not followed at this size. */
const CYCLES = { least: 2, most: 24 };
/** Height of the clearest band's mean power over the median of all, as a natural logarithm. */
const BANDED = 3;
/** Depth of the bands: share of the light. */
const LEAST_DEPTH = 0.004;

/** Fewer waves say nothing. */
export const LEAST_WAVES = 8;
/** Waves of moire follow the scene by no more than this on average. `CARD.md` says how it was set. */
const MOIRE_FOLLOWS = 0.5;

/** Looks for a display's light. Bands that run over the frames decide. Moire only adds a sentence for the person who reviews. */
export function checkLight(frames: readonly TraceFrame[], path: Path): CheckResult {
  const bands = checkBands(frames, path);
  const { blocks, waves, followed } = wavesOf(frames, path);
  const moire = waves >= LEAST_WAVES && followed <= MOIRE_FOLLOWS * waves;
  const words = moire
    ? `${bands.words} Fine waves do not move with what the film shows, as on a display.`
    : bands.words;
  const waves_followed = waves > 0 ? round(followed / waves) : null;
  return { ...bands, words, evidence: { ...bands.evidence, blocks, waves, waves_followed, moire } };
}

/**
 * Asks whether bands of light run over the frames while the scene moves otherwise. A rolling shutter shows the dimming of a display's
 * backlight and of lamps on mains as horizontal bands. Each step's frames are laid on each other, and the brightness ratio of their rows
 * is transformed: bands have the same number of cycles in every step, the scene's own change has not. Lamps make the same bands, so the
 * answer is never more than a doubt.
 */
function checkBands(frames: readonly TraceFrame[], { steps }: Path): CheckResult {
  const smalls = frames.map(({ picture }) => rowsOf(picture));
  const power = new Float64Array(CYCLES.most + 1);
  let used = 0;
  for (const [i, step] of steps.entries()) {
    if (step.correlation < 0.7 || Math.abs(step.dx) > LARGEST_SHIFT || Math.abs(step.dy) > LARGEST_SHIFT) continue;
    const ratio = rowRatio(smalls[i]!, smalls[i + 1]!, step);
    if (!ratio) continue;
    used++;
    for (let k = CYCLES.least; k <= CYCLES.most; k++) power[k] += powerAt(ratio, k, smalls[i]!.height);
  }
  if (used < LEAST_STEPS) return noAnswer('The frames differ too much to look for flicker.', { steps: used });
  const spectrum = Array.from(power.subarray(CYCLES.least), value => value / used);
  // Power of natural change falls with the frequency: each band is compared with its neighbourhood.
  let best = { height: 0, cycles: 0, depth: 0 };
  for (const [i, value] of spectrum.entries()) {
    const near = spectrum.filter((_, j) => Math.abs(j - i) > 1 && Math.abs(j - i) <= 6).sort((a, b) => a - b);
    const height = Math.log(value / Math.max(1e-12, near[near.length >> 1]!));
    if (height > best.height) best = { height, cycles: i + CYCLES.least, depth: Math.sqrt(2 * value) };
  }
  const evidence = { steps: used, height: round(best.height), cycles: best.cycles, depth: round(best.depth) };
  const banded = best.height >= BANDED && best.depth >= LEAST_DEPTH;
  return banded
    ? failed('Bands of light run over the frames, as before a display or under a flickering lamp.', 0.6, evidence)
    : passed('No bands of light run over the frames.', 0.2, evidence);
}

interface Rows {
  width: number;
  height: number;
  luma: Float32Array;
}

function rowsOf(picture: Picture): Rows {
  const { width, height, data } = shrunkTo(frameLuma(picture), ROWS);
  return { width, height, luma: data };
}

/** Returns the logarithm of the rows' brightness in the first frame over the second at the same places of the scene, without its trend. */
function rowRatio(first: Rows, second: Rows, step: Path['steps'][number]): Float64Array | undefined {
  const { width, height } = first;
  const side = Math.max(width, height);
  const [dx, dy] = [Math.round(step.dx * side), step.dy * side];
  const from = Math.max(0, Math.ceil(-dy));
  const to = Math.min(height, Math.floor(second.height - 1 - dy));
  if (to - from < height / 2) return undefined;
  const ratio = new Float64Array(to - from);
  for (let y = from; y < to; y++) {
    const v = Math.floor(y + dy);
    const f = y + dy - v;
    let [a, b] = [0, 0];
    for (let x = Math.max(0, -dx); x < Math.min(width, second.width - dx); x++) {
      const at = v * second.width + x + dx;
      a += first.luma[y * width + x];
      b += second.luma[at] * (1 - f) + second.luma[Math.min(at + second.width, second.luma.length - 1)] * f;
    }
    ratio[y - from] = Math.log((a + 1) / (b + 1));
  }
  const n = ratio.length;
  const mean = ratio.reduce((sum, value) => sum + value, 0) / n;
  const middle = (n - 1) / 2;
  let [cross, squares] = [0, 0];
  for (let i = 0; i < n; i++) {
    cross += (i - middle) * (ratio[i] - mean);
    squares += (i - middle) ** 2;
  }
  return ratio.map((value, i) => value - mean - (cross / squares) * (i - middle));
}

/** Power at `cycles` over the picture's height, of the rows under a Hann window, in squared amplitude. */
function powerAt(rows: Float64Array, cycles: number, height: number): number {
  let [re, im, weight] = [0, 0, 0];
  for (let i = 0; i < rows.length; i++) {
    const w = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / rows.length);
    const angle = (2 * Math.PI * cycles * i) / height;
    re += w * rows[i] * Math.cos(angle);
    im += w * rows[i] * Math.sin(angle);
    weight += w;
  }
  return (re * re + im * im) / (weight * weight);
}
