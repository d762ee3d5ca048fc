import type { Random } from '../pixels/random.ts';
import type { Match } from './match.ts';

/** A 3 x 3 matrix, row by row. */
export type Matrix3 = readonly number[];

/**
 * Returns the right singular vector with the smallest singular value for rows of `n` numbers (n at most 9): the eigenvector of A^T A with
 * the smallest eigenvalue, by inverse iteration.
 */
function nullVector(rows: Float64Array, n: number): Float64Array | undefined {
  // A^T A beside the identity, which elimination turns into the inverse.
  const width = 2 * n;
  const m = new Float64Array(n * width);
  for (let row = 0; row < rows.length; row += n) {
    for (let i = 0; i < n; i++) {
      const value = rows[row + i];
      for (let j = i; j < n; j++) m[i * width + j] += value * rows[row + j];
    }
  }
  let trace = 0;
  for (let i = 0; i < n; i++) trace += m[i * width + i];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) m[i * width + j] = m[j * width + i];
    m[i * width + i] += 1e-13 * trace;
    m[i * width + n + i] = 1;
  }
  if (!eliminate(m, n)) return undefined;
  let v = Float64Array.from({ length: n }, (_, i) => 1 / (i + 2));
  for (let step = 0; step < 8; step++) {
    const w = new Float64Array(n);
    let squares = 0;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += m[i * width + n + j] * v[j];
      w[i] = sum;
      squares += sum * sum;
    }
    const norm = Math.sqrt(squares);
    if (!(norm > 0)) return undefined;
    for (let i = 0; i < n; i++) w[i] /= norm;
    v = w;
  }
  return v;
}

/** Gauss-Jordan elimination on n rows of 2n numbers, in place. False when the left half has no inverse. */
function eliminate(m: Float64Array, n: number): boolean {
  const width = 2 * n;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(m[r * width + c]) > Math.abs(m[pivot * width + c])) pivot = r;
    const top = m[pivot * width + c];
    if (!(Math.abs(top) >= 1e-300)) return false;
    const scale = 1 / top;
    for (let j = c; j < width; j++) {
      const value = m[pivot * width + j] * scale;
      m[pivot * width + j] = m[c * width + j];
      m[c * width + j] = value;
    }
    for (let r = 0; r < n; r++) {
      const factor = m[r * width + c];
      if (r === c || factor === 0) continue;
      for (let j = c; j < width; j++) m[r * width + j] -= factor * m[c * width + j];
    }
  }
  return true;
}

/** Returns centre and scale that give the points a mean of 0 and a mean distance of sqrt 2 (Hartley 1997). */
function normalizer(points: [number, number][]): { x: number; y: number; scale: number } {
  let [x, y] = [0, 0];
  for (const point of points) {
    x += point[0];
    y += point[1];
  }
  x /= points.length;
  y /= points.length;
  let spread = 0;
  for (const point of points) spread += Math.sqrt((point[0] - x) ** 2 + (point[1] - y) ** 2);
  return { x, y, scale: (Math.SQRT2 * points.length) / Math.max(1e-9, spread) };
}

function multiply(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  const out = new Array<number>(9).fill(0);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) for (let k = 0; k < 3; k++) out[r * 3 + c] += a[r * 3 + k] * b[k * 3 + c];
  }
  return out;
}

/** Fits a homography to four or more matches by the direct linear transform. It maps the first frame to the second. */
export function fitHomography(matches: Match[]): Matrix3 | undefined {
  const p = normalizer(matches.map(match => [match.x0, match.y0]));
  const q = normalizer(matches.map(match => [match.x1, match.y1]));
  const rows = new Float64Array(matches.length * 18);
  for (const [index, match] of matches.entries()) {
    const x = (match.x0 - p.x) * p.scale;
    const y = (match.y0 - p.y) * p.scale;
    const u = (match.x1 - q.x) * q.scale;
    const v = (match.y1 - q.y) * q.scale;
    rows.set([-x, -y, -1, 0, 0, 0, u * x, u * y, u, 0, 0, 0, -x, -y, -1, v * x, v * y, v], index * 18);
  }
  const h = nullVector(rows, 9);
  if (!h) return undefined;
  const from = [p.scale, 0, -p.scale * p.x, 0, p.scale, -p.scale * p.y, 0, 0, 1];
  const back = [1 / q.scale, 0, q.x, 0, 1 / q.scale, q.y, 0, 0, 1];
  const full = multiply(back, multiply(h, from));
  return Math.abs(full[8]) > 1e-12 ? full.map(value => value / full[8]) : undefined;
}

/** Where a homography takes a point. */
export function placeOf(h: Matrix3, x: number, y: number): [x: number, y: number] {
  const w = h[6] * x + h[7] * y + h[8];
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

/**
 * Returns the distance between the homography's image of the match's first point and its actual place, in pixels of the
 * second frame.
 */
export function transferError(h: Matrix3, match: Match): number {
  const w = h[6] * match.x0 + h[7] * match.y0 + h[8];
  const dx = (h[0] * match.x0 + h[1] * match.y0 + h[2]) / w - match.x1;
  const dy = (h[3] * match.x0 + h[4] * match.y0 + h[5]) / w - match.y1;
  return Math.sqrt(dx * dx + dy * dy);
}

/** Normalised eight-point algorithm, without the rank constraint (the error below does not need it). */
export function fitFundamental(matches: Match[]): Matrix3 | undefined {
  const p = normalizer(matches.map(match => [match.x0, match.y0]));
  const q = normalizer(matches.map(match => [match.x1, match.y1]));
  const rows = new Float64Array(matches.length * 9);
  for (const [index, match] of matches.entries()) {
    const x = (match.x0 - p.x) * p.scale;
    const y = (match.y0 - p.y) * p.scale;
    const u = (match.x1 - q.x) * q.scale;
    const v = (match.y1 - q.y) * q.scale;
    rows.set([u * x, u * y, u, v * x, v * y, v, x, y, 1], index * 9);
  }
  const f = nullVector(rows, 9);
  if (!f) return undefined;
  const from = [p.scale, 0, -p.scale * p.x, 0, p.scale, -p.scale * p.y, 0, 0, 1];
  const to = [q.scale, 0, 0, 0, q.scale, 0, -q.scale * q.x, -q.scale * q.y, 1];
  return multiply(to, multiply(f, from));
}

/** Sampson distance to the epipolar geometry, pixels. */
export function sampsonError(f: Matrix3, match: Match): number {
  const { x0, y0, x1, y1 } = match;
  const a = f[0] * x0 + f[1] * y0 + f[2];
  const b = f[3] * x0 + f[4] * y0 + f[5];
  const c = f[6] * x0 + f[7] * y0 + f[8];
  const d = f[0] * x1 + f[3] * y1 + f[6];
  const e = f[1] * x1 + f[4] * y1 + f[7];
  return Math.abs(x1 * a + y1 * b + c) / Math.sqrt(a * a + b * b + d * d + e * e + 1e-18);
}

interface Robust {
  model: Matrix3;
  inliers: Match[];
}

/**
 * Random sample consensus (Fischler and Bolles 1981), followed by three refits to the inliers. `sure`: ends early once a sample of only inliers was
 * drawn with this probability.
 */
export function ransac(
  matches: Match[],
  fit: (sample: Match[]) => Matrix3 | undefined,
  error: (model: Matrix3, match: Match) => number,
  options: { sample: number; threshold: number; rounds: number; rng: Random; sure?: number },
): Robust | undefined {
  const { sample, threshold, rng, sure } = options;
  let { rounds } = options;
  if (matches.length < sample) return undefined;
  const within = (model: Matrix3): Match[] => matches.filter(match => error(model, match) < threshold);
  let best: Robust | undefined;
  for (let round = 0; round < rounds; round++) {
    const chosen = new Set<Match>();
    while (chosen.size < sample) chosen.add(rng.pick(matches));
    const model = fit([...chosen]);
    if (!model) continue;
    let count = 0;
    for (const match of matches) if (error(model, match) < threshold) count++;
    if (count <= (best?.inliers.length ?? sample - 1)) continue;
    best = { model, inliers: within(model) };
    if (sure !== undefined)
      rounds = Math.min(rounds, Math.log(1 - sure) / Math.log(1 - (count / matches.length) ** sample + 1e-12));
  }
  for (let step = 0; best && step < 3; step++) {
    const model = fit(best.inliers);
    if (!model) break;
    const inliers = within(model);
    if (inliers.length < best.inliers.length) break;
    best = { model, inliers };
  }
  return best;
}

/** Singular values of a 3 x 3 matrix, largest first (eigenvalues of A^T A, closed form of Smith 1961). */
export function singularValues(matrix: Matrix3): [number, number, number] {
  const transposed = [0, 3, 6, 1, 4, 7, 2, 5, 8].map(i => matrix[i]);
  const s = multiply(transposed, matrix);
  const q = (s[0] + s[4] + s[8]) / 3;
  const off = s[1] ** 2 + s[2] ** 2 + s[5] ** 2;
  const p = Math.sqrt(((s[0] - q) ** 2 + (s[4] - q) ** 2 + (s[8] - q) ** 2 + 2 * off) / 6);
  if (p < 1e-12) return [Math.sqrt(q), Math.sqrt(q), Math.sqrt(q)];
  const b = s.map((value, i) => (value - (i % 4 === 0 ? q : 0)) / p);
  const determinant =
    b[0] * (b[4] * b[8] - b[5] * b[7]) - b[1] * (b[3] * b[8] - b[5] * b[6]) + b[2] * (b[3] * b[7] - b[4] * b[6]);
  const phi = Math.acos(Math.max(-1, Math.min(1, determinant / 2))) / 3;
  const high = q + 2 * p * Math.cos(phi);
  const low = q + 2 * p * Math.cos(phi + (2 * Math.PI) / 3);
  const root = (value: number): number => Math.sqrt(Math.max(0, value));
  return [root(high), root(3 * q - high - low), root(low)];
}

/**
 * Measures how far a homography is from that of a camera that only turned: the ratio of the largest to the smallest
 * singular value of K^-1 H K, minus one. This is about the distance moved divided by the distance of the plane. `focal`
 * and the centre are in pixels.
 */
export function translationOf(h: Matrix3, focal: number, cx: number, cy: number): number {
  const k = [focal, 0, cx, 0, focal, cy, 0, 0, 1];
  const inverse = [1 / focal, 0, -cx / focal, 0, 1 / focal, -cy / focal, 0, 0, 1];
  const [high, , low] = singularValues(multiply(inverse, multiply(h, k)));
  return low > 1e-9 ? high / low - 1 : Number.POSITIVE_INFINITY;
}
