import type { Random } from '../random.ts';
import type { Match } from './match.ts';

/** A 3 x 3 matrix, row by row. */
export type Matrix3 = readonly number[];

/**
 * Smallest right singular vector of a set of rows: the eigenvector of least eigenvalue of A^T A, by inverse iteration on the
 * Cholesky-free LDL form (n at most nine).
 */
function nullVector(rows: number[][]): number[] | undefined {
  const n = rows[0]?.length ?? 0;
  const m = Array.from({ length: n }, () => new Float64Array(n));
  let trace = 0;
  for (const row of rows) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) m[i][j] += row[i] * row[j];
  }
  for (let i = 0; i < n; i++) trace += m[i][i];
  for (let i = 0; i < n; i++) m[i][i] += 1e-13 * trace;
  const inverse = invert(m);
  if (!inverse) return undefined;
  let v = Array.from({ length: n }, (_, i) => 1 / (i + 2));
  for (let step = 0; step < 8; step++) {
    const w = inverse.map(row => row.reduce((sum, value, j) => sum + value * v[j], 0));
    const norm = Math.hypot(...w);
    if (!(norm > 0)) return undefined;
    v = w.map(value => value / norm);
  }
  return v;
}

function invert(matrix: Float64Array[]): number[][] | undefined {
  const n = matrix.length;
  const a = matrix.map((row, i) => [...row, ...Array.from({ length: n }, (_, j) => (i === j ? 1 : 0))]);
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r][c]) > Math.abs(a[pivot][c])) pivot = r;
    if (Math.abs(a[pivot][c]) < 1e-300) return undefined;
    [a[c], a[pivot]] = [a[pivot], a[c]];
    const scale = 1 / a[c][c];
    for (let j = c; j < 2 * n; j++) a[c][j] *= scale;
    for (let r = 0; r < n; r++) {
      const factor = a[r][c];
      if (r === c || factor === 0) continue;
      for (let j = c; j < 2 * n; j++) a[r][j] -= factor * a[c][j];
    }
  }
  return a.map(row => row.slice(n));
}

/** Centre and scale that bring points to a mean of 0 and a mean distance of sqrt 2 (Hartley 1997). */
function normalizer(points: [number, number][]): { x: number; y: number; scale: number } {
  let [x, y] = [0, 0];
  for (const point of points) {
    x += point[0];
    y += point[1];
  }
  x /= points.length;
  y /= points.length;
  let spread = 0;
  for (const point of points) spread += Math.hypot(point[0] - x, point[1] - y);
  return { x, y, scale: (Math.SQRT2 * points.length) / Math.max(1e-9, spread) };
}

function multiply(a: Matrix3, b: Matrix3): number[] {
  const out = new Array<number>(9).fill(0);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) for (let k = 0; k < 3; k++) out[r * 3 + c] += a[r * 3 + k] * b[k * 3 + c];
  }
  return out;
}

/** Direct linear transform from four or more matches; maps the first frame to the second. */
export function fitHomography(matches: Match[]): Matrix3 | undefined {
  const p = normalizer(matches.map(match => [match.x0, match.y0]));
  const q = normalizer(matches.map(match => [match.x1, match.y1]));
  const rows: number[][] = [];
  for (const match of matches) {
    const x = (match.x0 - p.x) * p.scale;
    const y = (match.y0 - p.y) * p.scale;
    const u = (match.x1 - q.x) * q.scale;
    const v = (match.y1 - q.y) * q.scale;
    rows.push([-x, -y, -1, 0, 0, 0, u * x, u * y, u], [0, 0, 0, -x, -y, -1, v * x, v * y, v]);
  }
  const h = nullVector(rows);
  if (!h) return undefined;
  const from = [p.scale, 0, -p.scale * p.x, 0, p.scale, -p.scale * p.y, 0, 0, 1];
  const back = [1 / q.scale, 0, q.x, 0, 1 / q.scale, q.y, 0, 0, 1];
  const full = multiply(back, multiply(h, from));
  return Math.abs(full[8]) > 1e-12 ? full.map(value => value / full[8]) : undefined;
}

/** Where the homography puts the match's first point, against where it was found: pixels of the second frame. */
export function transferError(h: Matrix3, match: Match): number {
  const w = h[6] * match.x0 + h[7] * match.y0 + h[8];
  return Math.hypot(
    (h[0] * match.x0 + h[1] * match.y0 + h[2]) / w - match.x1,
    (h[3] * match.x0 + h[4] * match.y0 + h[5]) / w - match.y1,
  );
}

/** Normalised eight-point algorithm, without the rank constraint (the error below does not need it). */
export function fitFundamental(matches: Match[]): Matrix3 | undefined {
  const p = normalizer(matches.map(match => [match.x0, match.y0]));
  const q = normalizer(matches.map(match => [match.x1, match.y1]));
  const rows = matches.map(match => {
    const x = (match.x0 - p.x) * p.scale;
    const y = (match.y0 - p.y) * p.scale;
    const u = (match.x1 - q.x) * q.scale;
    const v = (match.y1 - q.y) * q.scale;
    return [u * x, u * y, u, v * x, v * y, v, x, y, 1];
  });
  const f = nullVector(rows);
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

/** Random sample consensus (Fischler and Bolles 1981), then refitted to its inliers three times. */
export function ransac(
  matches: Match[],
  fit: (sample: Match[]) => Matrix3 | undefined,
  error: (model: Matrix3, match: Match) => number,
  options: { sample: number; threshold: number; rounds: number; rng: Random },
): Robust | undefined {
  const { sample, threshold, rounds, rng } = options;
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
    if (count > (best?.inliers.length ?? sample - 1)) best = { model, inliers: within(model) };
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
 * How far a homography is from that of a camera that only turned: ratio of the largest to the smallest singular value of
 * K^-1 H K, less one. About the distance moved against the distance of the plane. `focal` and the centre in pixels.
 */
export function translationOf(h: Matrix3, focal: number, cx: number, cy: number): number {
  const k = [focal, 0, cx, 0, focal, cy, 0, 0, 1];
  const inverse = [1 / focal, 0, -cx / focal, 0, 1 / focal, -cy / focal, 0, 0, 1];
  const [high, , low] = singularValues(multiply(inverse, multiply(h, k)));
  return low > 1e-9 ? high / low - 1 : Number.POSITIVE_INFINITY;
}
