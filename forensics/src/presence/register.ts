import type { Plane } from '../motion/corners.ts';
import { boxBlur } from '../pixels/blur.ts';
import type { Picture } from '../pixels/picture.ts';
import { levelRows } from '../pixels/rows.ts';
import { frameLuma, shrunkTo } from './luma.ts';

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
  /** Correlation at the next best place: near `correlation` where a pattern repeats, so that the true shift is unknown. -1 without one. */
  rival: number;
}

/** A frame at four sizes, rows levelled and high-passed so that bands of light, exposure and vignetting do not count. Coarsest first. */
export type Pyramid = Plane[];

/** Longest side of the finest level. Finer levels cost more than the precision they add. */
const FINEST = 160;
const LEVELS = 4;
/** Reach of the first search, as a share of the longer side. */
const REACH = 0.25;
const ITERATIONS = 8;
/** A smaller step ends the search, as a share of the longer side: a twentieth of the least tremor that counts. */
const SETTLED = 2e-5;

export function pyramidOf(picture: Picture): Pyramid {
  const luma = frameLuma(picture);
  const levels: Pyramid = [];
  // Each level from the picture itself: levels made of levels cost `depth` three answers of four on a filmed can.
  for (let level = LEVELS - 1; level >= 0; level--) {
    const plane = shrunkTo(luma, FINEST >> level);
    levelRows(plane.data, plane.width, plane.height);
    levels.push(highPass(plane));
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

/** A rival of the best coarse shift lies at least this far from it, and scores at least this share of it. Coarse pixels, of 20 a side. */
const APART = 3;
const RIVALS = 0.6;

/**
 * Registers two frames by shift, rotation and scale: an exhaustive search for the shift at the coarsest level, then Gauss-Newton from
 * coarse to fine (Lucas and Kanade 1981) with the weights of Cauchy's function, so that nearer objects do not pull on the rest. Where a
 * pattern repeats, two shifts may fit the coarse frames: both are refined, and the finest level chooses.
 */
export function register(first: Pyramid, second: Pyramid): Step {
  const longest = Math.max(second[0].width, second[0].height);
  const [best, rival] = bestShifts(first[0], second[0], Math.round(REACH * longest));
  const refined = ({ tx, ty }: Shift): Refined => {
    let found: Refined = { warp: { a: 1, b: 0, tx: tx / longest, ty: ty / longest }, correlation: 0 };
    for (let level = 0; level < LEVELS; level++) found = refine(first[level], second[level], found.warp);
    return found;
  };
  let found = refined(best);
  let other = rival && refined(rival);
  // Both may end at the same place.
  if (other && Math.hypot(other.warp.tx - found.warp.tx, other.warp.ty - found.warp.ty) * longest < 1)
    other = undefined;
  // A small overlap fits easily, so the shorter way is taken where both fit alike.
  const fitOf = ({ warp: { tx, ty }, correlation }: Refined): number => correlation - 0.5 * Math.hypot(tx, ty);
  if (other && fitOf(other) > fitOf(found)) [found, other] = [other, found];
  const { warp, correlation } = found;
  return {
    dx: warp.tx,
    dy: warp.ty,
    turn: Math.atan2(warp.b, warp.a),
    scale: Math.hypot(warp.a, warp.b),
    correlation,
    rival: other?.correlation ?? -1,
  };
}

interface Shift {
  tx: number;
  ty: number;
  score: number;
}

/** Returns the best whole shift, and the best of those apart from it that fit better than their neighbours, if it is nearly as good. */
function bestShifts(first: Plane, second: Plane, reach: number): [Shift, Shift?] {
  const side = 2 * reach + 1;
  const shifts: Shift[] = [];
  for (let ty = -reach; ty <= reach; ty++)
    for (let tx = -reach; tx <= reach; tx++) shifts.push({ tx, ty, score: overlap(first, second, tx, ty) });
  const better = (a: Shift, b: Shift): Shift => (b.score > a.score ? b : a);
  const best = shifts.reduce(better);
  const rivals = shifts.filter(({ tx, ty, score }, i) => {
    if (score < RIVALS * best.score || Math.hypot(tx - best.tx, ty - best.ty) < APART) return false;
    const beside = [tx > -reach && i - 1, tx < reach && i + 1, ty > -reach && i - side, ty < reach && i + side];
    return beside.every(at => at === false || shifts[at]!.score <= score);
  });
  return rivals.length > 0 ? [best, rivals.reduce(better)] : [best];
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
  let ab = 0;
  let aa = 0;
  let bb = 0;
  let n = 0;
  for (let y = Math.max(0, -ty); y < Math.min(height, second.height - ty); y++) {
    const from = y * width;
    const to = (y + ty) * second.width + tx;
    for (let x = Math.max(0, -tx); x < Math.min(width, second.width - tx); x++) {
      const p = first.data[from + x];
      const q = second.data[to + x];
      ab += p * q;
      aa += p * p;
      bb += q * q;
      n++;
    }
  }
  return n === 0 ? -1 : (ab / Math.sqrt(aa * bb + 1e-9)) * (0.5 + (0.5 * n) / (width * height));
}

interface Refined {
  warp: Warp;
  correlation: number;
}

function refine(first: Plane, second: Plane, start: Warp): Refined {
  let warp = start;
  let spread = 1;
  let correlation = 0;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const { h, g, ab, aa, bb, sum, n } = sumsAt(first, second, warp, spread);
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
    if (Math.abs(step[2]) + Math.abs(step[3]) < SETTLED) break;
  }
  return { warp, correlation };
}

/**
 * The normal equations of a Gauss-Newton step, `h` by rows with only the upper triangle, and the sums of a correlation, over the pixels that
 * both frames show. Sums are local variables, because this is the hottest loop of a session, and declared one by one, which makes it twice as fast.
 */
function sumsAt(first: Plane, second: Plane, { a, b, tx, ty }: Warp, spread: number) {
  const { width, height } = first;
  const side = Math.max(width, height);
  let h00 = 0;
  let h01 = 0;
  let h02 = 0;
  let h03 = 0;
  let h11 = 0;
  let h12 = 0;
  let h13 = 0;
  let h22 = 0;
  let h23 = 0;
  let h33 = 0;
  let g0 = 0;
  let g1 = 0;
  let g2 = 0;
  let g3 = 0;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  let sum = 0;
  let n = 0;
  for (let y = 1; y < height - 1; y++) {
    const v = (y + 0.5 - height / 2) / side;
    for (let x = 1; x < width - 1; x++) {
      const u = (x + 0.5 - width / 2) / side;
      const px = (a * u - b * v + tx) * side + second.width / 2 - 0.5;
      const py = (b * u + a * v + ty) * side + second.height / 2 - 0.5;
      if (px < 0 || py < 0 || px >= second.width - 1 || py >= second.height - 1) continue;
      const ix = px | 0;
      const iy = py | 0;
      const fx = px - ix;
      const fy = py - iy;
      const at = iy * second.width + ix;
      const p = second.data[at];
      const q = second.data[at + 1];
      const r = second.data[at + second.width];
      const s = second.data[at + second.width + 1];
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
      const ratio = error / spread;
      const weight = 1 / (1 + ratio * ratio);
      const j0 = gx * u + gy * v;
      const j1 = gy * u - gx * v;
      const w0 = weight * j0;
      const w1 = weight * j1;
      const wx = weight * gx;
      const wy = weight * gy;
      h00 += w0 * j0;
      h01 += w0 * j1;
      h02 += w0 * gx;
      h03 += w0 * gy;
      h11 += w1 * j1;
      h12 += w1 * gx;
      h13 += w1 * gy;
      h22 += wx * gx;
      h23 += wx * gy;
      h33 += wy * gy;
      g0 += w0 * error;
      g1 += w1 * error;
      g2 += wx * error;
      g3 += wy * error;
    }
  }
  return {
    h: [h00, h01, h02, h03, 0, h11, h12, h13, 0, 0, h22, h23, 0, 0, 0, h33],
    g: [g0, g1, g2, g3],
    ab,
    aa,
    bb,
    sum,
    n,
  };
}

/** Solves the symmetric 4 x 4 system by Cholesky decomposition; undefined when it is singular. Reads the upper triangle of `h`. */
function solve(h: readonly number[], g: readonly number[]): number[] | undefined {
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
