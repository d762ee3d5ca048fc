import type { FingerprintEntry, Probe, Thumbnail } from './fingerprint.ts';
import type { Turn } from './hash.ts';
import { crop, type Plane, type Region, sampleAt, shrink } from './plane.ts';

/** How well a picture matches a stored one at the best shift and scale. */
export interface Confirmation {
  /** Correlation of the overlapping areas, −1..1. */
  correlation: number;
  /** Shares that the common area has of the stored and of the searched picture, 0..1. A plain border counts to neither. */
  overlap: number;
  share: number;
  confirmed: boolean;
}

/**
 * Within `NEAR` differing bits, PDQ's own limit, false matches are rare, so the test only rules out chance. Beyond it, the test must
 * distinguish a copy from another shot of the same scene. Chosen on unrelated photographs, second shots and altered copies; the card has
 * the numbers.
 */
const NEAR = 31;
const MIN_CORRELATION_NEAR = 0.8;
const MIN_CORRELATION_FAR = 0.975;
const MIN_OVERLAP = 0.6;

const SIDE = 96;
const ITERATIONS = 20;

/** Maps a point of the stored thumbnail to the searched picture: x' = sx·x + tx, y' = sy·y + ty, in fractions of the sides. */
interface Placement {
  sx: number;
  sy: number;
  tx: number;
  ty: number;
}

/** A match of hashes between the searched picture and a stored one. */
export interface Agreement {
  probe: Pick<Probe, 'region' | 'frame' | 'turn'>;
  entry: Pick<FingerprintEntry, 'region' | 'frame'>;
  /** Differing bits. */
  distance: number;
}

/** The number of alignments to try before two pictures count as different. */
const MAX_TRIES = 4;

/**
 * Confirms that a stored picture shows the same as the searched one. Tries its agreements from the closest on, one for each rotation and
 * pair of frames, because a part inside a border may have matched another picture's border by chance.
 */
export function confirmAny(
  plane: Plane,
  kept: Thumbnail,
  agreements: readonly Agreement[],
): Confirmation & { agreement: Agreement } {
  const tried = new Set<string>();
  let best: (Confirmation & { agreement: Agreement }) | undefined;
  for (const agreement of agreements.toSorted((a, b) => a.distance - b.distance)) {
    const key = JSON.stringify([agreement.probe.frame, agreement.entry.frame, agreement.probe.turn]);
    if (tried.size >= MAX_TRIES || tried.has(key)) continue;
    tried.add(key);
    const found = { ...confirm(plane, kept, agreement), agreement };
    if (found.confirmed) return found;
    if (!best || found.correlation > best.correlation) best = found;
  }
  if (!best) throw new RangeError('no agreement to confirm');
  return best;
}

/**
 * Aligns the searched picture with a stored one and measures their similarity. Starts from the two parts whose hashes agreed and refines
 * shift and scale by Gauss-Newton (Lucas and Kanade). High-passes both first, so that two pictures that are merely bright above and dark
 * below do not match.
 * @param plane the searched picture, whole
 * @param kept the thumbnail of the stored picture
 */
export function confirm(plane: Plane, kept: Thumbnail, { probe, entry, distance }: Agreement): Confirmation {
  const whole = { data: Float32Array.from(kept.data), width: kept.width, height: kept.height };
  const still = highPass(crop(whole, entry.frame));
  const moved = highPass(turned(shrink(crop(plane, probe.frame), SIDE), probe.turn));
  const to = relative(entry.region, entry.frame);
  const from = turnedRegion(relative(probe.region, probe.frame), probe.turn);
  const sx = (from.right - from.left) / (to.right - to.left);
  const sy = (from.bottom - from.top) / (to.bottom - to.top);
  const start = { sx, sy, tx: from.left - sx * to.left, ty: from.top - sy * to.top };
  const placed = refine(still, moved, start);
  const { correlation, overlap } = compare(still, moved, placed);
  const enough = distance <= NEAR ? MIN_CORRELATION_NEAR : MIN_CORRELATION_FAR;
  const confirmed = correlation >= enough && overlap >= MIN_OVERLAP;
  return { correlation, overlap, share: within(placed.tx, placed.sx) * within(placed.ty, placed.sy), confirmed };
}

/** The length of the part of 0..1 that lies between `from` and `from + length`. */
const within = (from: number, length: number): number => Math.max(0, Math.min(1, from + length) - Math.max(0, from));

const relative = (region: Region, frame: Region): Region => ({
  left: (region.left - frame.left) / (frame.right - frame.left),
  top: (region.top - frame.top) / (frame.bottom - frame.top),
  right: (region.right - frame.left) / (frame.right - frame.left),
  bottom: (region.bottom - frame.top) / (frame.bottom - frame.top),
});

function turned({ data, width, height }: Plane, { transpose, mirror, flip }: Turn): Plane {
  const [w, h] = transpose ? [height, width] : [width, height];
  const out = new Float32Array(data.length);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const tx = mirror ? w - 1 - x : x;
      const ty = flip ? h - 1 - y : y;
      out[y * w + x] = transpose ? data[tx * width + ty]! : data[ty * width + tx]!;
    }
  return { data: out, width: w, height: h };
}

function turnedRegion(region: Region, { transpose, mirror, flip }: Turn): Region {
  let { left, top, right, bottom } = region;
  if (transpose) [left, top, right, bottom] = [top, left, bottom, right];
  if (mirror) [left, right] = [1 - right, 1 - left];
  if (flip) [top, bottom] = [1 - bottom, 1 - top];
  return { left, top, right, bottom };
}

/**
 * Subtracts from each sample the mean of the square around it (an eighth of the longer side in each direction), after a light blur. Without
 * the blur, fine texture would differ between samples a fraction of a pixel apart.
 */
function highPass(plane: Plane): Plane {
  const { data, width, height } = blurred(plane);
  const reach = Math.max(2, Math.round(Math.max(width, height) / 8));
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += data[y * width + x]!;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++) {
    const y0 = Math.max(0, y - reach);
    const y1 = Math.min(height, y + reach + 1);
    for (let x = 0; x < width; x++) {
      const x0 = Math.max(0, x - reach);
      const x1 = Math.min(width, x + reach + 1);
      const at = (yy: number, xx: number) => sums[yy * (width + 1) + xx]!;
      const mean = (at(y1, x1) - at(y0, x1) - at(y1, x0) + at(y0, x0)) / ((y1 - y0) * (x1 - x0));
      out[y * width + x] = data[y * width + x]! - mean;
    }
  }
  return { data: out, width, height };
}

/** Binomial 1-2-1 filter in both directions, with repeated edges. */
function blurred({ data, width, height }: Plane): Plane {
  const rows = new Float32Array(data.length);
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      rows[at] = (data[x > 0 ? at - 1 : at]! + 2 * data[at]! + data[x + 1 < width ? at + 1 : at]!) / 4;
    }
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      out[at] = (rows[y > 0 ? at - width : at]! + 2 * rows[at]! + rows[y + 1 < height ? at + width : at]!) / 4;
    }
  return { data: out, width, height };
}

/** Samples `plane` at fractions of its sides; NaN outside. */
function sample(plane: Plane, u: number, v: number): number {
  const x = u * plane.width - 0.5;
  const y = v * plane.height - 0.5;
  if (x < 0 || y < 0 || x > plane.width - 1 || y > plane.height - 1) return Number.NaN;
  return plane.width < 2 || plane.height < 2 ? Number.NaN : sampleAt(plane, x, y);
}

function compare(
  still: Plane,
  moved: Plane,
  { sx, sy, tx, ty }: Placement,
): { correlation: number; overlap: number; gain: number } {
  let n = 0;
  let sa = 0;
  let sb = 0;
  let saa = 0;
  let sbb = 0;
  let sab = 0;
  for (let y = 0; y < still.height; y++) {
    const v = sy * ((y + 0.5) / still.height) + ty;
    for (let x = 0; x < still.width; x++) {
      const b = sample(moved, sx * ((x + 0.5) / still.width) + tx, v);
      if (Number.isNaN(b)) continue;
      const a = still.data[y * still.width + x]!;
      n += 1;
      sa += a;
      sb += b;
      saa += a * a;
      sbb += b * b;
      sab += a * b;
    }
  }
  if (n < 64) return { correlation: 0, overlap: 0, gain: 1 };
  const va = saa / n - (sa / n) ** 2;
  const vb = sbb / n - (sb / n) ** 2;
  const cov = sab / n - (sa / n) * (sb / n);
  const spread = Math.sqrt(va * vb);
  return {
    correlation: spread > 1e-6 ? cov / spread : 0,
    overlap: n / (still.width * still.height),
    gain: vb > 1e-6 ? cov / vb : 1,
  };
}

function refine(still: Plane, moved: Plane, start: Placement): Placement {
  let best = start;
  let score = compare(still, moved, start);
  let current = start;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = solve(normalEquations(still, moved, current, score.gain));
    if (!step) break;
    const [dsx, dtx, dsy, dty] = step as [number, number, number, number];
    const next = { sx: current.sx + dsx, tx: current.tx + dtx, sy: current.sy + dsy, ty: current.ty + dty };
    if (!(next.sx > 0.3 && next.sx < 3 && next.sy > 0.3 && next.sy < 3)) break;
    const reached = compare(still, moved, next);
    if (reached.correlation <= score.correlation - 0.05) break;
    if (reached.correlation > score.correlation) best = next;
    if (Math.abs(dtx) + Math.abs(dty) + Math.abs(dsx) + Math.abs(dsy) < 2e-4) break;
    current = next;
    score = reached;
  }
  return best;
}

/** Returns JᵀJ and Jᵀr of the four parameters as a 4×5 table. */
function normalEquations(still: Plane, moved: Plane, { sx, sy, tx, ty }: Placement, gain: number): number[][] {
  const table = Array.from({ length: 4 }, () => new Array<number>(5).fill(0));
  const du = 1 / moved.width;
  const dv = 1 / moved.height;
  const row = [0, 0, 0, 0];
  for (let y = 0; y < still.height; y++) {
    const py = (y + 0.5) / still.height;
    const v = sy * py + ty;
    for (let x = 0; x < still.width; x++) {
      const px = (x + 0.5) / still.width;
      const u = sx * px + tx;
      const gx = (sample(moved, u + du, v) - sample(moved, u - du, v)) / (2 * du);
      const gy = (sample(moved, u, v + dv) - sample(moved, u, v - dv)) / (2 * dv);
      const residual = still.data[y * still.width + x]! - gain * sample(moved, u, v);
      if (Number.isNaN(gx) || Number.isNaN(gy) || Number.isNaN(residual)) continue;
      row[0] = gain * gx * px;
      row[1] = gain * gx;
      row[2] = gain * gy * py;
      row[3] = gain * gy;
      for (let i = 0; i < 4; i++) {
        for (let j = 0; j < 4; j++) table[i]![j]! += row[i]! * row[j]!;
        table[i]![4]! += row[i]! * residual;
      }
    }
  }
  return table;
}

/** Gaussian elimination with pivoting; undefined for a singular system. */
export function solve(table: number[][]): number[] | undefined {
  const n = table.length;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let k = i + 1; k < n; k++) if (Math.abs(table[k]![i]!) > Math.abs(table[pivot]![i]!)) pivot = k;
    if (!(Math.abs(table[pivot]![i]!) > 1e-9)) return undefined;
    [table[i], table[pivot]] = [table[pivot]!, table[i]!];
    for (let k = i + 1; k < n; k++) {
      const factor = table[k]![i]! / table[i]![i]!;
      for (let j = i; j <= n; j++) table[k]![j]! -= factor * table[i]![j]!;
    }
  }
  const out = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let value = table[i]![n]!;
    for (let j = i + 1; j < n; j++) value -= table[i]![j]! * out[j]!;
    out[i] = value / table[i]![i]!;
  }
  return out;
}
