import { boxBlur } from '../pixels/blur.ts';
import { type Corner, findCorners, type Plane } from './corners.ts';

/** The same point in two frames, pixels. */
export interface Match {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const GRID = 8;
const LENGTH = GRID * GRID;
/** Spacing of a descriptor's samples in pixels; it covers a patch of 40 x 40. */
const SPACING = 5;
/** Lowe's ratio of best to second distance. */
const RATIO = 0.8;
const PATCH = 9;

/**
 * Matches corners of two upright frames of the same subject. Compares blurred 8 x 8 patches normalised for brightness
 * and contrast (as MOPS, Brown 2005, without rotation: a small move hardly turns the camera). Keeps the pairs that are
 * nearest both ways, then refines the place in the second frame to a fraction of a pixel (Lucas and Kanade 1981 with
 * gain and offset).
 */
export function matchFrames(first: Plane, second: Plane): Match[] {
  const from = describe(first, findCorners(first));
  const to = describe(second, findCorners(second));
  const matches: Match[] = [];
  for (const [i, j] of mutuallyNearest(from.vectors, to.vectors)) {
    const a = from.corners[i];
    const b = to.corners[j];
    const refined = refine(first, second, a, b);
    if (refined) matches.push({ x0: a.x, y0: a.y, ...refined });
  }
  return matches;
}

function describe(plane: Plane, corners: Corner[]): { corners: Corner[]; vectors: Float32Array } {
  const smooth = new Float32Array(plane.data);
  boxBlur(smooth, plane.width, plane.height, 2);
  boxBlur(smooth, plane.width, plane.height, 1);
  const vectors = new Float32Array(corners.length * LENGTH);
  corners.forEach((corner, index) => {
    const vector = vectors.subarray(index * LENGTH, (index + 1) * LENGTH);
    let sum = 0;
    for (let j = 0, k = 0; j < GRID; j++) {
      for (let i = 0; i < GRID; i++, k++) {
        const x = Math.round(corner.x + (i - (GRID - 1) / 2) * SPACING);
        const y = Math.round(corner.y + (j - (GRID - 1) / 2) * SPACING);
        vector[k] = smooth[clamp(y, plane.height) * plane.width + clamp(x, plane.width)];
        sum += vector[k];
      }
    }
    let squares = 0;
    for (let k = 0; k < LENGTH; k++) {
      vector[k] -= sum / LENGTH;
      squares += vector[k] * vector[k];
    }
    const scale = 1 / Math.max(1e-3, Math.sqrt(squares));
    for (let k = 0; k < LENGTH; k++) vector[k] *= scale;
  });
  return { corners, vectors };
}

function clamp(value: number, size: number): number {
  return value < 0 ? 0 : value >= size ? size - 1 : value;
}

/**
 * Returns pairs [i, j] of vectors that are mutually nearest by correlation, if the second nearest is clearly further away on both sides.
 */
function mutuallyNearest(from: Float32Array, to: Float32Array): [number, number][] {
  const n = from.length / LENGTH;
  const m = to.length / LENGTH;
  const forward = new Ranks(n);
  const backward = new Ranks(m);
  for (let i = 0; i < n; i++) {
    const own = from.subarray(i * LENGTH, (i + 1) * LENGTH);
    let j = 0;
    // Computes four sums at a time, because consecutive additions to one sum depend on each other and stall.
    for (; j + 4 <= m; j += 4) {
      let [p, q, r, s] = [0, 0, 0, 0];
      for (let k = 0, b = j * LENGTH; k < LENGTH; k++, b++) {
        const value = own[k];
        p += value * to[b];
        q += value * to[b + LENGTH];
        r += value * to[b + 2 * LENGTH];
        s += value * to[b + 3 * LENGTH];
      }
      forward.add(i, j, p);
      forward.add(i, j + 1, q);
      forward.add(i, j + 2, r);
      forward.add(i, j + 3, s);
      backward.add(j, i, p);
      backward.add(j + 1, i, q);
      backward.add(j + 2, i, r);
      backward.add(j + 3, i, s);
    }
    for (; j < m; j++) {
      let dot = 0;
      for (let k = 0, b = j * LENGTH; k < LENGTH; k++, b++) dot += own[k] * to[b];
      forward.add(i, j, dot);
      backward.add(j, i, dot);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < n; i++) {
    const j = forward.clear(i);
    if (j >= 0 && backward.clear(j) === i) pairs.push([i, j]);
  }
  return pairs;
}

/** The best and second-best partner of each vector. */
class Ranks {
  readonly #best: Float32Array;
  readonly #next: Float32Array;
  readonly #place: Int32Array;

  constructor(length: number) {
    this.#best = new Float32Array(length).fill(-2);
    this.#next = new Float32Array(length).fill(-2);
    this.#place = new Int32Array(length).fill(-1);
  }

  add(index: number, partner: number, dot: number): void {
    if (dot > this.#best[index]) {
      this.#next[index] = this.#best[index];
      this.#best[index] = dot;
      this.#place[index] = partner;
    } else if (dot > this.#next[index]) {
      this.#next[index] = dot;
    }
  }

  /** Returns the partner, or -1 when the second best is about as good. Distance of unit vectors: 2 - 2 dot. */
  clear(index: number): number {
    const best = this.#best[index];
    return best > 0.7 && 1 - best < RATIO * RATIO * (1 - this.#next[index]) ? this.#place[index] : -1;
  }
}

/** Side of a patch. */
const SIDE = 2 * PATCH + 1;

/** The patch around a corner, its gradients, their products summed, and its mean and squared deviation from it. */
function patchAt({ width, data }: Plane, { x, y }: Corner) {
  const patch = new Float32Array(SIDE * SIDE);
  const gx = new Float32Array(SIDE * SIDE);
  const gy = new Float32Array(SIDE * SIDE);
  let mean = 0;
  let [hxx, hxy, hyy] = [0, 0, 0];
  for (let j = 0, k = 0; j < SIDE; j++) {
    for (let i = 0; i < SIDE; i++, k++) {
      const at = (y + j - PATCH) * width + x + i - PATCH;
      patch[k] = data[at];
      gx[k] = (data[at + 1] - data[at - 1]) / 2;
      gy[k] = (data[at + width] - data[at - width]) / 2;
      mean += patch[k];
      hxx += gx[k] * gx[k];
      hxy += gx[k] * gy[k];
      hyy += gy[k] * gy[k];
    }
  }
  mean /= patch.length;
  let variance = 0;
  for (const value of patch) variance += (value - mean) ** 2;
  return { patch, gx, gy, hxx, hxy, hyy, mean, variance };
}

/** Reads the patch around a place between pixels into `seen`. Returns its mean. */
function readPatch({ width, data }: Plane, x: number, y: number, seen: Float32Array): number {
  const fx = x - Math.floor(x);
  const fy = y - Math.floor(y);
  let sum = 0;
  for (let j = 0, k = 0; j < SIDE; j++) {
    for (let i = 0; i < SIDE; i++, k++) {
      const at = (Math.floor(y) + j - PATCH) * width + Math.floor(x) + i - PATCH;
      const top = data[at] * (1 - fx) + data[at + 1] * fx;
      const low = data[at + width] * (1 - fx) + data[at + width + 1] * fx;
      seen[k] = top * (1 - fy) + low * fy;
      sum += seen[k];
    }
  }
  return sum / seen.length;
}

/** Aligns the patch around `a` with the second frame near `b`; undefined when it does not converge or the patches differ. */
function refine(first: Plane, second: Plane, a: Corner, b: Corner): { x1: number; y1: number } | undefined {
  const { patch, gx, gy, hxx, hxy, hyy, mean, variance } = patchAt(first, a);
  const determinant = hxx * hyy - hxy * hxy;
  if (determinant < 1e-3) return undefined;
  let x = b.x;
  let y = b.y;
  const seen = new Float32Array(patch.length);
  let correlation = 0;
  for (let step = 0; step < 12; step++) {
    if (x < PATCH + 1 || y < PATCH + 1 || x >= second.width - PATCH - 2 || y >= second.height - PATCH - 2)
      return undefined;
    const average = readPatch(second, x, y, seen);
    let cross = 0;
    let squares = 0;
    for (let k = 0; k < seen.length; k++) {
      seen[k] -= average;
      cross += seen[k] * (patch[k] - mean);
      squares += seen[k] * seen[k];
    }
    correlation = cross / Math.sqrt(squares * variance + 1e-6);
    const gain = cross / (squares + 1e-6);
    let [ex, ey] = [0, 0];
    for (let k = 0; k < seen.length; k++) {
      const error = patch[k] - mean - gain * seen[k];
      ex += gx[k] * error;
      ey += gy[k] * error;
    }
    const dx = (hyy * ex - hxy * ey) / determinant;
    const dy = (hxx * ey - hxy * ex) / determinant;
    x += Math.max(-1.5, Math.min(1.5, dx));
    y += Math.max(-1.5, Math.min(1.5, dy));
    if (Math.hypot(dx, dy) < 0.01) break;
  }
  if (correlation < 0.85 || Math.hypot(x - b.x, y - b.y) > 5) return undefined;
  return { x1: x, y1: y };
}
