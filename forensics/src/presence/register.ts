import type { Plane } from '../motion/corners.ts';
import type { Picture } from '../picture.ts';
import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { areaResize } from '../pixels/resize.ts';
import { levelRows } from '../pixels/rows.ts';

/** How the content of the picture moves from one frame to the next. */
export interface Step {
  /** Shift of the content at the picture's centre, as a share of the longer side. */
  dx: number;
  dy: number;
  /** Rotation in radians, clockwise as seen, and change of scale. */
  turn: number;
  scale: number;
  /** Correlation of the aligned frames, -1..1. */
  correlation: number;
}

/** A frame at four sizes, rows levelled and high-passed so that bands of light, exposure and vignetting do not count. Coarsest first. */
export type Pyramid = Plane[];

/** Longest side of the finest level. Finer levels cost more than the precision they add. */
const FINEST = 160;
const LEVELS = 4;
/** Reach of the first search, as a share of the longer side. */
const REACH = 0.25;
const ITERATIONS = 8;

export function pyramidOf(picture: Picture): Pyramid {
  const levels: Pyramid = [];
  for (let level = LEVELS - 1; level >= 0; level--) {
    const { data, width, height } = areaResize(picture, FINEST >> level);
    const luma = lumaOf(data, width * height);
    levelRows(luma, width, height);
    levels.push(highPass({ width, height, data: luma }));
  }
  return levels;
}

function highPass({ width, height, data }: Plane): Plane {
  const smooth = new Float32Array(data);
  boxBlur(smooth, width, height, Math.max(2, Math.round(Math.max(width, height) / 12)));
  let squares = 0;
  for (let i = 0; i < data.length; i++) {
    data[i] -= smooth[i];
    squares += data[i] * data[i];
  }
  const scale = 1 / Math.max(1, Math.sqrt(squares / data.length));
  for (let i = 0; i < data.length; i++) data[i] *= scale;
  return { width, height, data };
}

/**
 * Registers two frames by shift, rotation and scale: an exhaustive search for the shift at the coarsest level, then Gauss-Newton from
 * coarse to fine (Lucas and Kanade 1981) with the weights of Cauchy's function, so that nearer objects do not pull on the rest.
 */
export function register(first: Pyramid, second: Pyramid): Step {
  const coarse = second[0];
  const longest = Math.max(coarse.width, coarse.height);
  const reach = Math.round(REACH * longest);
  let best = { tx: 0, ty: 0, score: Number.NEGATIVE_INFINITY };
  for (let ty = -reach; ty <= reach; ty++) {
    for (let tx = -reach; tx <= reach; tx++) {
      const score = overlap(first[0], coarse, tx, ty);
      if (score > best.score) best = { tx, ty, score };
    }
  }
  let warp: Warp = { a: 1, b: 0, tx: best.tx / longest, ty: best.ty / longest };
  let correlation = best.score;
  for (let level = 0; level < LEVELS; level++) ({ warp, correlation } = refine(first[level], second[level], warp));
  return {
    dx: warp.tx,
    dy: warp.ty,
    turn: Math.atan2(warp.b, warp.a),
    scale: Math.hypot(warp.a, warp.b),
    correlation,
  };
}

/** x' = a x - b y + tx, y' = b x + a y + ty, from the centre and in units of the longer side. */
interface Warp {
  a: number;
  b: number;
  tx: number;
  ty: number;
}

/** Correlation at a whole shift, lowered where little overlaps. */
function overlap(first: Plane, second: Plane, tx: number, ty: number): number {
  const { width, height } = first;
  let [ab, aa, bb, n] = [0, 0, 0, 0];
  for (let y = Math.max(0, -ty); y < Math.min(height, second.height - ty); y++) {
    const from = y * width;
    const to = (y + ty) * second.width + tx;
    for (let x = Math.max(0, -tx); x < Math.min(width, second.width - tx); x++) {
      const [p, q] = [first.data[from + x], second.data[to + x]];
      ab += p * q;
      aa += p * p;
      bb += q * q;
      n++;
    }
  }
  return n === 0 ? -1 : (ab / Math.sqrt(aa * bb + 1e-9)) * (0.5 + (0.5 * n) / (width * height));
}

function refine(first: Plane, second: Plane, start: Warp): { warp: Warp; correlation: number } {
  const { width, height } = first;
  const side = Math.max(width, height);
  let warp = start;
  let spread = 1;
  let correlation = 0;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const h = new Float64Array(16);
    const g = new Float64Array(4);
    let [ab, aa, bb, sum, n] = [0, 0, 0, 0, 0];
    for (let y = 1; y < height - 1; y++) {
      const v = (y + 0.5 - height / 2) / side;
      for (let x = 1; x < width - 1; x++) {
        const u = (x + 0.5 - width / 2) / side;
        const px = (warp.a * u - warp.b * v + warp.tx) * side + second.width / 2 - 0.5;
        const py = (warp.b * u + warp.a * v + warp.ty) * side + second.height / 2 - 0.5;
        if (px < 0 || py < 0 || px >= second.width - 1 || py >= second.height - 1) continue;
        const ix = px | 0;
        const iy = py | 0;
        const [fx, fy] = [px - ix, py - iy];
        const at = iy * second.width + ix;
        const [p, q, r, s] = [
          second.data[at],
          second.data[at + 1],
          second.data[at + second.width],
          second.data[at + second.width + 1],
        ];
        const seen = (p * (1 - fx) + q * fx) * (1 - fy) + (r * (1 - fx) + s * fx) * fy;
        const own = first.data[y * width + x];
        const gx = side * ((q - p) * (1 - fy) + (s - r) * fy);
        const gy = side * ((r - p) * (1 - fx) + (s - q) * fx);
        const error = own - seen;
        ab += own * seen;
        aa += own * own;
        bb += seen * seen;
        sum += Math.abs(error);
        n++;
        const weight = 1 / (1 + (error / spread) ** 2);
        const j0 = gx * u + gy * v;
        const j1 = gy * u - gx * v;
        h[0] += weight * j0 * j0;
        h[1] += weight * j0 * j1;
        h[2] += weight * j0 * gx;
        h[3] += weight * j0 * gy;
        h[5] += weight * j1 * j1;
        h[6] += weight * j1 * gx;
        h[7] += weight * j1 * gy;
        h[10] += weight * gx * gx;
        h[11] += weight * gx * gy;
        h[15] += weight * gy * gy;
        g[0] += weight * j0 * error;
        g[1] += weight * j1 * error;
        g[2] += weight * gx * error;
        g[3] += weight * gy * error;
      }
    }
    correlation = ab / Math.sqrt(aa * bb + 1e-9);
    if (n < 64) return { warp: start, correlation: 0 };
    spread = Math.max(0.05, (1.5 * sum) / n);
    const step = solve(h, g);
    if (!step) break;
    const limited = (value: number): number => Math.max(-0.05, Math.min(0.05, value));
    warp = {
      a: warp.a + limited(step[0]),
      b: warp.b + limited(step[1]),
      tx: warp.tx + limited(step[2]),
      ty: warp.ty + limited(step[3]),
    };
    if (Math.abs(step[2]) + Math.abs(step[3]) < 2e-5) break;
  }
  return { warp, correlation };
}

/** Solves the symmetric 4 x 4 system by Cholesky decomposition; undefined when it is singular. */
function solve(h: Float64Array, g: Float64Array): number[] | undefined {
  const l = new Float64Array(16);
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = h[j * 4 + i] + (i === j ? 1e-6 : 0);
      for (let k = 0; k < j; k++) sum -= l[i * 4 + k] * l[j * 4 + k];
      if (i === j && !(sum > 0)) return undefined;
      l[i * 4 + j] = i === j ? Math.sqrt(sum) : sum / l[j * 4 + j];
    }
  }
  const out = [0, 0, 0, 0];
  for (let i = 0; i < 4; i++) {
    let sum = g[i];
    for (let k = 0; k < i; k++) sum -= l[i * 4 + k] * out[k];
    out[i] = sum / l[i * 4 + i];
  }
  for (let i = 3; i >= 0; i--) {
    let sum = out[i];
    for (let k = i + 1; k < 4; k++) sum -= l[k * 4 + i] * out[k];
    out[i] = sum / l[i * 4 + i];
  }
  return out;
}
