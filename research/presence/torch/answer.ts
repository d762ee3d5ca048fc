import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { round } from '@firsthand/forensics/pixels/round.ts';
import { quantile } from '@firsthand/forensics/pixels/statistics.ts';
import { pyramidOf, register, type Step } from '@firsthand/forensics/presence/register.ts';
import { LINEAR } from '@firsthand/forensics/simulate/camera.ts';
import { BLOCK, type Blocks, type BroadSpot, broadSpot, pointSpot, type Spot } from './spot.ts';

const LEAST_CORRELATION = 0.7;
/** Blocks darker than this share of the bright ones say little: JPEG and the tone curve rule there. */
const DARKEST = 0.04;
/** Fewer blocks outside the spot, as a share of all, say nothing. */
const LEAST_BLOCKS = 0.25;
/** A phone's focal length, as a share of the longer side. */
const FOCAL = 0.82;

/** Set on seeds from 100 to 149, so that at most 1% of the near things there "emit", and as many displays as possible do. */
export const BOUNDS = {
  /** A spot stands out of the frame's noise by this many deviations. */
  clear: 12,
  /** A broad spot is explained better by light that adds than by light that follows the picture, in squared deviations. */
  additive: 5,
  /** Light that the spot foretells for a surface of middle reflectance, as a share of what was there. */
  foretold: 0.02,
  /** The picture answered with less than this share of what was foretold, and less than this in all. */
  missing: 0.2,
  answered: 0.03,
  /** Light that falls off as the torch's cone does, as a share of what was there. */
  cone: 0.06,
};

export interface TorchEvidence {
  correlation: number;
  /** Light of the frame with the torch over that without, in the median. The camera's exposure is in it. */
  gain?: number;
  /** Light at the middle that falls off as the torch's cone does, and its standard error; differences between blocks besides. Shares. */
  cone?: number;
  cone_error?: number;
  spread?: number;
  /** A broad spot: how clear it is, its width in pixels, what it foretells for a surface of middle reflectance, and whether it adds. */
  broad_clear?: number;
  broad_width?: number;
  broad_foretold?: number;
  additive?: number;
  /** A point of light: how clear it is, and what it foretells at least. */
  point_clear?: number;
  point_foretold?: number;
}

export interface TorchAnswer {
  answer: 'emits' | 'lit' | 'no_answer';
  evidence: TorchEvidence;
}

/**
 * Asks whether a thing reflects the torch or shines by itself, from a frame without and one with the torch.
 *
 * A mirroring surface shows the torch as a spot. The light in the spot tells how strong the torch is there: a face of glass mirrors 4%, so a
 * spot's light, in luminance times solid angle, is a hundredth of the illuminance. A surface under it that reflects has to answer in
 * proportion to its own picture. A display does not.
 */
export function torchAnswer(off: Picture, on: Picture): TorchAnswer {
  const step = register(pyramidOf(off), pyramidOf(on));
  const evidence: TorchEvidence = { correlation: round(step.correlation) };
  if (step.correlation < LEAST_CORRELATION) return { answer: 'no_answer', evidence };
  const blocks = blocksOf(off, on, step, BLOCK);
  const used = usedOf(blocks);
  if (used.length < LEAST_BLOCKS * blocks.off.length) return { answer: 'no_answer', evidence };
  const { off: dark, on: lit } = blocks;
  const level = quantile(
    used.map(i => dark[i]!).sort((p, q) => p - q),
    0.5,
  );
  const gain = quantile(
    used.map(i => lit[i]! / dark[i]!).sort((p, q) => p - q),
    0.5,
  );
  const tone = used.map(i => toneOf(dark[i]! / level));
  const values = used.map(i => Math.log(lit[i]! / dark[i]!));
  const gained = new Map(leastSquares(tone, values).left.map((left, k) => [used[k]!, Math.exp(left) - 1]));
  const broad = broadSpot(blocks, gained, level);
  const point = pointSpot(blocks, gain, level);
  const focal = FOCAL * Math.max(off.width, off.height);
  const response = responseOf(blocks, used, tone, values, focal, { broad, point });
  // 0.2: a middle reflectance; 100: the illuminance for a spot's light.
  const foretold = ({ flux }: Spot): number => (0.2 * 100 * flux) / (Math.PI * (focal / BLOCK) ** 2);
  Object.assign(evidence, {
    gain: round(gain),
    cone: round(response.cone),
    cone_error: round(response.error),
    spread: round(response.spread),
    broad_clear: round(broad.clear),
    broad_width: broad.width * BLOCK,
    broad_foretold: round(foretold(broad)),
    additive: round(broad.additive),
    point_clear: round(point.clear),
    point_foretold: round(foretold(point)),
  });
  return { answer: decide(evidence), evidence };
}

export function decide(e: TorchEvidence): TorchAnswer['answer'] {
  const { cone = 0, cone_error = 1, spread = 1 } = e;
  const answered = Math.max(Math.abs(cone) + cone_error, spread);
  const broad = (e.broad_clear ?? 0) >= BOUNDS.clear && (e.additive ?? 0) >= BOUNDS.additive ? e.broad_foretold! : 0;
  const point = (e.point_clear ?? 0) >= BOUNDS.clear ? e.point_foretold! : 0;
  const foretold = Math.max(broad, point);
  const missing = answered <= Math.min(BOUNDS.answered, BOUNDS.missing * foretold);
  if (foretold >= BOUNDS.foretold && missing) return 'emits';
  return cone - 2 * cone_error >= BOUNDS.cone ? 'lit' : 'no_answer';
}

/** Means of blocks of the first frame and of the same places of the second. */
export function blocksOf(off: Picture, on: Picture, step: Step, block: number): Blocks {
  const { width, height } = off;
  const columns = Math.floor(width / block);
  const rows = Math.floor(height / block);
  const n = columns * rows;
  const sums = { off: new Float64Array(n), on: new Float64Array(n) };
  const state = new Uint8Array(n).fill(2);
  const [first, second] = [lightOf(off), lightOf(on)];
  const side = Math.max(width, height);
  const [a, b] = [step.scale * Math.cos(step.turn), step.scale * Math.sin(step.turn)];
  for (let y = 0; y < rows * block; y++) {
    const v = (y + 0.5 - height / 2) / side;
    for (let x = 0; x < columns * block; x++) {
      const u = (x + 0.5 - width / 2) / side;
      const px = (a * u - b * v + step.dx) * side + on.width / 2 - 0.5;
      const py = (b * u + a * v + step.dy) * side + on.height / 2 - 0.5;
      const to = Math.floor(y / block) * columns + Math.floor(x / block);
      const [ix, iy] = [Math.floor(px), Math.floor(py)];
      if (ix < 0 || iy < 0 || ix >= on.width - 1 || iy >= on.height - 1) {
        state[to] = 0;
        continue;
      }
      const [fx, fy] = [px - ix, py - iy];
      const at = iy * on.width + ix;
      const near = second.light;
      sums.off[to] += first.light[y * width + x]!;
      sums.on[to] +=
        (near[at]! * (1 - fx) + near[at + 1]! * fx) * (1 - fy) +
        (near[at + on.width]! * (1 - fx) + near[at + on.width + 1]! * fx) * fy;
      if (state[to] === 2 && (first.full[y * width + x] || second.full[at])) state[to] = 1;
    }
  }
  for (let i = 0; i < n; i++) {
    sums.off[i]! /= block * block;
    sums.on[i]! /= block * block;
  }
  return { columns, rows, ...sums, state };
}

/** Linear luminance, and which pixels are at the sensor's limit. */
function lightOf({ width, height, data }: Picture): { light: Float32Array; full: Uint8Array } {
  const light = new Float32Array(width * height);
  const full = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < light.length; i++, at += 3) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!];
    light[i] = 0.2126 * LINEAR[r]! + 0.7152 * LINEAR[g]! + 0.0722 * LINEAR[b]!;
    full[i] = r >= 250 || g >= 250 || b >= 250 ? 1 : 0;
  }
  return { light, full };
}

/** Blocks that can answer: whole, and not too dark. */
function usedOf({ off, on, state }: Blocks): number[] {
  const bright = quantile(
    Array.from(off).sort((p, q) => p - q),
    0.9,
  );
  return Array.from(off.keys()).filter(i => state[i] === 2 && off[i]! > DARKEST * bright && on[i]! > 0);
}

/** Exposure and tone curve: a parabola over the logarithm of the light. */
function toneOf(light: number): number[] {
  const x = Math.log(light);
  return [1, x, x * x];
}

/**
 * Fits the logarithm of the blocks' ratio by exposure, tone curve, a broad spot, and the torch's cone: the fourth power of the cosine, as on
 * a plane that faces an even emitter. Blocks at a point of light are left out.
 */
function responseOf(
  { columns, rows }: Blocks,
  used: readonly number[],
  tone: readonly number[][],
  values: readonly number[],
  focal: number,
  { broad, point }: { broad: BroadSpot; point: Spot },
): { cone: number; error: number; spread: number } {
  const kept = [...used.keys()].filter(k => {
    const [u, v] = [(used[k]! % columns) - point.column, Math.floor(used[k]! / columns) - point.row];
    return point.clear < BOUNDS.clear || Math.hypot(u, v) > 5;
  });
  const terms = kept.map(k => {
    const block = used[k]!;
    const [u, v] = [
      ((block % columns) + 0.5 - columns / 2) * BLOCK,
      (Math.floor(block / columns) + 0.5 - rows / 2) * BLOCK,
    ];
    const cone = (1 + (u * u + v * v) / (focal * focal)) ** -2;
    return broad.clear >= BOUNDS.clear ? [...tone[k]!, broad.shape(block), cone] : [...tone[k]!, cone];
  });
  const { found, left, error } = leastSquares(
    terms,
    kept.map(k => values[k]!),
  );
  const map = new Map(kept.map((k, i) => [used[k]!, left[i]!]));
  const smooth = kept.map(k => {
    const near = [-1, 0, 1].flatMap(j => [-1, 0, 1].map(i => map.get(used[k]! + j * columns + i)));
    const known = near.filter(e => e !== undefined);
    return known.reduce((sum, e) => sum + e, 0) / known.length;
  });
  smooth.sort((p, q) => p - q);
  return { cone: found.at(-1)!, error, spread: (quantile(smooth, 0.75) - quantile(smooth, 0.25)) / 1.35 };
}

/** Least squares with the weights of Cauchy's function. `error`: standard error of the last term. */
function leastSquares(terms: readonly number[][], values: readonly number[]) {
  const n = terms[0]!.length;
  let found: number[] = [];
  let left: number[] = [...values];
  let weights = values.map(() => 1);
  let inverse = 0;
  for (let round = 0; round < 6; round++) {
    const h = Array.from({ length: n }, () => new Array<number>(n + 1).fill(0));
    for (const [k, term] of terms.entries())
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) h[i]![j]! += weights[k]! * term[i]! * term[j]!;
        h[i]![n]! += weights[k]! * term[i]! * values[k]!;
      }
    ({ found, inverse } = solve(h));
    left = values.map((value, k) => value - terms[k]!.reduce((sum, t, i) => sum + t * found[i]!, 0));
    const sizes = left.map(Math.abs).sort((p, q) => p - q);
    const spread = Math.max(1e-4, 2 * quantile(sizes, 0.5));
    weights = left.map(value => 1 / (1 + (value / spread) ** 2));
  }
  const squares =
    left.reduce((sum, value, k) => sum + weights[k]! * value * value, 0) / weights.reduce((p, q) => p + q);
  // Neighbours err alike, in groups of about nine.
  return { found, left, error: 3 * Math.sqrt(squares * Math.max(0, inverse)) };
}

/** Gauss-Jordan elimination. `inverse`: the last element of the inverse's diagonal. */
function solve(h: number[][]): { found: number[]; inverse: number } {
  const n = h.length;
  for (let p = 0; p < n; p++) {
    h[p]![p]! += 1e-9;
    if (p === n - 1) break;
    for (let i = 0; i < n; i++) {
      if (i === p) continue;
      const factor = h[i]![p]! / h[p]![p]!;
      for (let j = p; j <= n; j++) h[i]![j]! -= factor * h[p]![j]!;
    }
  }
  const last = h[n - 1]![n - 1]!;
  const x = h[n - 1]![n]! / last;
  const found = h.map((row, i) => (i === n - 1 ? x : (row[n]! - row[n - 1]! * x) / row[i]!));
  return { found, inverse: 1 / last };
}
