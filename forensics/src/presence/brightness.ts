import type { Plane } from '../motion/corners.ts';
import type { Match } from '../motion/match.ts';
import { solve } from '../phash/confirm.ts';
import { boxBlur } from '../pixels/blur.ts';
import type { Path } from './path.ts';
import { follow, matchesOf } from './tracks.ts';

/** Blurs that are tried, half side in pixels at 480 a side. */
const RADII = [6, 11, 17, 24, 34];
/** Shifts of the picture, as shares of the longer side, at which the movement is looked at; the least, and the points that it needs. */
const BASELINES = [0.06, 0.1, 0.15];
const LEAST_BASELINE = 0.03;
const LEAST_POINTS = 50;
/** Share of the points that decide, because some are lost to edges, and fits until they settle. */
const KEPT = 0.8;
const ROUNDS = 4;
const GREY = 64;

/**
 * Says how much of the depth the brightness of the first frame explains, 0 to 1: the share of the movement's variance that a linear function of
 * the blurred brightness adds to what a plane and a turning camera explain. In a real scene near things are not the bright ones. A program that
 * takes brightness for depth reaches 0.84 and more.
 *
 * @returns undefined where too few points can be followed from the first frame
 */
export function depthByBrightness(planes: readonly Plane[], { steps, points }: Path): number | undefined {
  const tracks = follow(planes, steps, 0);
  const usable = points.flatMap(({ x, y }, frame) => {
    const shift = Math.hypot(x - points[0]!.x, y - points[0]!.y);
    const matches = shift < LEAST_BASELINE ? [] : matchesOf(tracks, frame);
    return matches.length >= LEAST_POINTS ? [{ shift, matches }] : [];
  });
  if (usable.length === 0) return undefined;
  const nearest = (baseline: number) =>
    usable.reduce((best, pair) =>
      Math.abs(Math.log(pair.shift / baseline)) < Math.abs(Math.log(best.shift / baseline)) ? pair : best,
    );
  const pairs = [...new Set(BASELINES.map(nearest))];
  const shares = RADII.map(radius => {
    const { width, height, data } = planes[0]!;
    const blurred = Float32Array.from(data);
    boxBlur(blurred, width, height, radius);
    boxBlur(blurred, width, height, radius);
    const bright = { width, height, data: blurred };
    return pairs.reduce((sum, { matches }) => sum + explained(matches, bright), 0) / pairs.length;
  });
  return Math.max(...shares);
}

/** A point's columns: what a plane and a turning camera move it by, to the second order, and the brightness; then its shift. */
interface Row {
  columns: number[];
  shift: [x: number, y: number];
}

function explained(matches: readonly Match[], { width, height, data }: Plane): number {
  const rows = matches.map(({ x0, y0, x1, y1 }): Row => {
    const [x, y] = [(2 * x0) / width - 1, (2 * y0 - height) / width];
    const brightness = data[Math.round(y0) * width + Math.round(x0)]! / GREY;
    return { columns: [1, x, y, x * x, x * y, y * y, brightness], shift: [x1 - x0, y1 - y0] };
  });
  let kept = rows;
  for (let round = 0; round < ROUNDS; round++) {
    const errors = errorsOf(kept, rows, 7);
    if (!errors) return 0;
    const order = rows.map((row, i) => ({ row, error: errors[i]! })).sort((a, b) => a.error - b.error);
    kept = order.slice(0, Math.floor(KEPT * rows.length)).map(({ row }) => row);
  }
  const sumOf = (columns: number): number => errorsOf(kept, kept, columns)?.reduce((a, b) => a + b, 0) ?? 0;
  return 1 - sumOf(7) / Math.max(1e-9, sumOf(6));
}

/** Fits the first columns to the shifts of some rows by least squares. Returns the squared errors of others. */
function errorsOf(fitted: readonly Row[], rows: readonly Row[], count: number): number[] | undefined {
  const [forX, forY] = ([0, 1] as const).map(axis => {
    const table = Array.from({ length: count }, () => new Array<number>(count + 1).fill(0));
    for (const { columns, shift } of fitted)
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < count; j++) table[i]![j]! += columns[i]! * columns[j]!;
        table[i]![count]! += columns[i]! * shift[axis];
      }
    return solve(table);
  });
  if (!forX || !forY) return undefined;
  const at = (weights: number[], { columns }: Row): number =>
    weights.reduce((sum, weight, i) => sum + weight * columns[i]!, 0);
  return rows.map(row => (at(forX, row) - row.shift[0]) ** 2 + (at(forY, row) - row.shift[1]) ** 2);
}
