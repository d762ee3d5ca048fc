import { random } from '../pixels/random.ts';
/**
 * A grid of inverse depths (1 / distance along the optical axis), row by row from the top left. Unit and sign are arbitrary: for a plane,
 * inverse depth is affine in the picture's coordinates. NaN where the map has no value.
 */
export interface DepthMap {
  data: Float32Array;
  width: number;
  height: number;
}

export interface Planarity {
  /** Null when the map gives no answer: too small, constant, or too many holes. */
  planar: boolean | null;
  /** Probability that `planar` is right, 0..1; 0 with null. It increases with the margin but is not calibrated; see the card. */
  confidence: number;
  /** Spread of the residuals of the best plane: (95th − 5th percentile) / median inverse depth. */
  relief: number;
  /** Share of points within the tolerance of the best plane. */
  inliers: number;
}

const MIN_SIDE = 64;
const POINTS = 5_000;
const ROUNDS = 200;
const MIN_INLIERS = 0.95;
const MAX_RELIEF = 0.03;
/** Share of the grid that must have values. */
const MIN_FILLED = 0.7;

const NO_ANSWER: Planarity = { planar: null, confidence: 0, relief: Number.NaN, inliers: Number.NaN };

/**
 * Fits d = a·x + b·y + c by RANSAC on about 5,000 points, then by least squares on its inliers. The map is planar when
 * at least 95% of the points are on the plane and the residuals spread less than 3% of the median.
 */
export function assessDepthMap(map: DepthMap): Planarity {
  if (map.width < MIN_SIDE || map.height < MIN_SIDE) return NO_ANSWER;
  const { points, filled } = collect(map);
  if (filled < MIN_FILLED) return NO_ANSWER;
  const values = points.map(point => point.d).sort((a, b) => a - b);
  const at = (share: number) => values[Math.min(values.length - 1, Math.floor(share * values.length))]!;
  const median = Math.abs(at(0.5));
  if (!(median > 0) || at(0) === at(1)) return NO_ANSWER;
  const tolerance = (MAX_RELIEF / 2) * median;
  const rough = ransac(points, tolerance);
  const plane = leastSquares(points.filter(point => Math.abs(residual(rough, point)) <= tolerance)) ?? rough;
  const left = points.map(point => residual(plane, point)).sort((a, b) => a - b);
  const relief = (left[Math.floor(0.95 * left.length)]! - left[Math.floor(0.05 * left.length)]!) / median;
  const inliers = left.filter(value => Math.abs(value) <= tolerance).length / left.length;
  const planar = inliers >= MIN_INLIERS && relief < MAX_RELIEF;
  return { planar, confidence: confidenceOf(planar, relief), relief, inliers };
}

/** 0.5 at the threshold, nearly 1 at a tenth or ten times of it. */
function confidenceOf(planar: boolean, relief: number): number {
  const margin = Math.log10(Math.max(relief, 1e-6) / MAX_RELIEF) * (planar ? -1 : 1);
  return Math.min(0.99, Math.max(0.5, 0.5 + 0.49 * margin));
}

interface Point {
  x: number;
  y: number;
  d: number;
}

type Plane = [a: number, b: number, c: number];

const residual = ([a, b, c]: Plane, { x, y, d }: Point): number => d - (a * x + b * y + c);

function collect({ data, width, height }: DepthMap): { points: Point[]; filled: number } {
  const step = Math.max(1, Math.sqrt((width * height) / POINTS));
  const points: Point[] = [];
  let visited = 0;
  for (let y = step / 2; y < height; y += step)
    for (let x = step / 2; x < width; x += step) {
      visited += 1;
      const d = data[Math.floor(y) * width + Math.floor(x)]!;
      if (Number.isFinite(d)) points.push({ x: x / width - 0.5, y: y / height - 0.5, d });
    }
  return { points, filled: points.length / visited };
}

function ransac(points: Point[], tolerance: number): Plane {
  // The same map always gives the same result.
  const { uniform } = random(points.length);
  let best: Plane = [0, 0, 0];
  let most = -1;
  for (let round = 0; round < ROUNDS; round++) {
    const plane = through(pick(), pick(), pick());
    if (!plane) continue;
    let count = 0;
    for (const point of points) if (Math.abs(residual(plane, point)) <= tolerance) count += 1;
    if (count > most) [best, most] = [plane, count];
  }
  return best;

  function pick(): Point {
    return points[Math.floor(uniform() * points.length)]!;
  }
}

function through(p: Point, q: Point, r: Point): Plane | undefined {
  const determinant = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
  if (Math.abs(determinant) < 1e-3) return undefined;
  const a = ((q.d - p.d) * (r.y - p.y) - (r.d - p.d) * (q.y - p.y)) / determinant;
  const b = ((q.x - p.x) * (r.d - p.d) - (r.x - p.x) * (q.d - p.d)) / determinant;
  return [a, b, p.d - a * p.x - b * p.y];
}

function leastSquares(points: Point[]): Plane | undefined {
  const n = points.length;
  if (n < 3) return undefined;
  const mean = (read: (point: Point) => number) => points.reduce((sum, point) => sum + read(point), 0) / n;
  const [mx, my, md] = [mean(p => p.x), mean(p => p.y), mean(p => p.d)];
  let [xx, xy, yy, xd, yd] = [0, 0, 0, 0, 0];
  for (const { x, y, d } of points) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
    xd += (x - mx) * (d - md);
    yd += (y - my) * (d - md);
  }
  const determinant = xx * yy - xy * xy;
  if (!(Math.abs(determinant) > 1e-12)) return undefined;
  const a = (xd * yy - yd * xy) / determinant;
  const b = (yd * xx - xd * xy) / determinant;
  return [a, b, md - a * mx - b * my];
}
