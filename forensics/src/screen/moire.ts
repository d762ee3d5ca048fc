import { N } from '../pixels/fft.ts';
import { mean, quantile } from '../pixels/statistics.ts';
import type { Peak, TileGrid } from './tiles.ts';

/**
 * Finds waves that run through the whole picture. The rows and columns of a display, seen in perspective, have a peak
 * in every tile, however weak. Its frequency changes from tile to tile as an affine function of place. Scaled and
 * compressed files also have peaks, at exactly one frequency along the axes everywhere; those are left out.
 */
export interface Wave {
  /** Sum over its tiles of the peak's height above `FLOOR`. */
  strength: number;
  /** Share (0..1) of the tiles that contain it. */
  share: number;
  /** Mean height of its peaks, each ln(power / mean power around). */
  height: number;
}

/** Height that the highest peaks of a tile reach by chance. */
const FLOOR = 2.6;
/** The largest distance of a peak from its wave's expected place, in cells. */
const RADIUS = 1.6;
/** Number of peaks used as starting points, highest first, and number of waves kept. */
const SEEDS = 40;
const WAVES = 3;
/** Minimum number of tiles in a wave. */
const LEAST_TILES = 3;
/** The first round skips tiles further than this from the first tile, as a share of the picture's longer side. */
const NEAR = 0.36;
/** Largest spread of a wave with constant frequency, and its largest distance from an axis or a diagonal, in cells. */
const STILL = 0.35;
/** Below this frequency, in cells, object edges cause peaks. */
const LOWEST = 12;

interface Point {
  tile: number;
  fx: number;
  fy: number;
  height: number;
}

interface Found {
  strength: number;
  /** Indices of its peaks and of their tiles. `signs`: -1 where the peak's mirror image continues the wave. */
  peaks: number[];
  signs: number[];
}

/** Returns the strongest waves of one grid in luma or in R - B, strongest first. */
export function findMoire(grid: TileGrid, channel: 'luma' | 'opponent'): Wave[] {
  const tiles = grid.tiles.filter(tile => tile[channel].length > 0);
  if (tiles.length < LEAST_TILES) return [];
  const places = normalised(tiles);
  const points = tiles.flatMap((tile, index) =>
    tile[channel].map((peak: Peak): Point => ({ tile: index, fx: peak.fx * N, fy: peak.fy * N, height: peak.height })),
  );
  const seeds = points
    .map((_, index) => index)
    .sort((a, b) => points[b]!.height - points[a]!.height)
    .slice(0, SEEDS);
  const found = seeds
    .map(seed => follow(points, places, seed))
    .filter(wave => wave !== undefined)
    .sort((a, b) => b.strength - a.strength);
  const used = new Set<number>();
  const waves: Wave[] = [];
  for (const { strength, peaks, signs } of found) {
    if (peaks.filter(index => used.has(index)).length > 0.3 * peaks.length) continue;
    for (const index of peaks) used.add(index);
    const fx = quantile(ascending(peaks.map((index, k) => signs[k]! * points[index]!.fx)), 0.5);
    const fy = quantile(ascending(peaks.map((index, k) => signs[k]! * points[index]!.fy)), 0.5);
    const distances = peaks.map((index, k) =>
      Math.hypot(signs[k]! * points[index]!.fx - fx, signs[k]! * points[index]!.fy - fy),
    );
    const [low, high] = [Math.min(Math.abs(fx), Math.abs(fy)), Math.max(Math.abs(fx), Math.abs(fy))];
    const still = quantile(ascending(distances), 0.8) < STILL && (low < STILL || high - low < STILL);
    if (!still && Math.hypot(fx, fy) > LOWEST) {
      const height = peaks.reduce((sum, index) => sum + points[index]!.height, 0) / peaks.length;
      waves.push({ strength, share: peaks.length / tiles.length, height });
    }
    if (waves.length >= WAVES) break;
  }
  return waves;
}

/** Returns the tiles' centres minus their mean, as shares of the longer side that they cover. */
function normalised(tiles: { x: number; y: number }[]): { x: number; y: number }[] {
  const xs = tiles.map(({ x }) => x);
  const ys = tiles.map(({ y }) => y);
  const side = N + Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const [cx, cy] = [mean(xs), mean(ys)];
  return tiles.map(({ x, y }) => ({ x: (x - cx) / side, y: (y - cy) / side }));
}

/** Follows a wave from one peak, first to near tiles, then with the fitted planes to all tiles. */
function follow(points: Point[], places: { x: number; y: number }[], seed: number): Found | undefined {
  const start = points[seed]!;
  const origin = places[start.tile]!;
  // Expected frequency at (dx, dy) from the seed's tile: fx = a[0] + a[1] dx + a[2] dy; fy likewise with b.
  let a = [start.fx, 0, 0];
  let b = [start.fy, 0, 0];
  let best = new Map<number, { index: number; sign: number }>();
  for (let round = 0; round < 5; round++) {
    best = new Map([[start.tile, { index: seed, sign: 1 }]]);
    for (let index = 0; index < points.length; index++) {
      const { tile, fx, fy, height } = points[index]!;
      if (tile === start.tile) continue;
      const dx = places[tile]!.x - origin.x;
      const dy = places[tile]!.y - origin.y;
      const away = Math.hypot(dx, dy);
      if (round === 0 && away > NEAR) continue;
      const reach = round === 0 ? 1 + 14 * away : round === 1 ? RADIUS + 4 * away : RADIUS;
      const ex = a[0]! + a[1]! * dx + a[2]! * dy;
      const ey = b[0]! + b[1]! * dx + b[2]! * dy;
      const known = best.get(tile);
      if (known && points[known.index]!.height >= height) continue;
      if (Math.hypot(fx - ex, fy - ey) <= reach) best.set(tile, { index, sign: 1 });
      else if (Math.hypot(fx + ex, fy + ey) <= reach) best.set(tile, { index, sign: -1 });
    }
    if (best.size < LEAST_TILES) return undefined;
    [a, b] = fitPlanes(points, places, origin, best);
  }
  const chosen = [...best.values()];
  return {
    strength: chosen.reduce((sum, { index }) => sum + Math.max(0, points[index]!.height - FLOOR), 0),
    peaks: chosen.map(({ index }) => index),
    signs: chosen.map(({ sign }) => sign),
  };
}

/** Least squares, weighted by peak height, with slightly damped slopes. */
function fitPlanes(
  points: Point[],
  places: { x: number; y: number }[],
  origin: { x: number; y: number },
  best: Map<number, { index: number; sign: number }>,
): [number[], number[]] {
  const normal = [0, 0, 0, 0, 0, 0];
  const right = [0, 0, 0, 0, 0, 0];
  let total = 0;
  for (const [tile, { index, sign }] of best) {
    const { fx, fy, height } = points[index]!;
    const weight = Math.max(0.2, height - 1.5);
    const row = [1, places[tile]!.x - origin.x, places[tile]!.y - origin.y];
    total += weight;
    for (let i = 0, k = 0; i < 3; i++) {
      for (let j = i; j < 3; j++, k++) normal[k]! += weight * row[i]! * row[j]!;
      right[i]! += weight * row[i]! * sign * fx;
      right[i + 3]! += weight * row[i]! * sign * fy;
    }
  }
  const ridge = 4e-4 * total;
  const matrix = [normal[0]! + 1e-3, normal[1]!, normal[2]!, normal[3]! + ridge, normal[4]!, normal[5]! + ridge];
  return [solve(matrix, right.slice(0, 3)), solve(matrix, right.slice(3))];
}

/** Solves a symmetric 3 x 3 system, given by its upper triangle row by row, with Cramer's rule. The ridge prevents singularity. */
function solve([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: number[], [p = 0, q = 0, r = 0]: number[]): number[] {
  const i = d * f - e * e;
  const j = c * e - b * f;
  const k = b * e - c * d;
  const determinant = a * i + b * j + c * k;
  return [
    (i * p + j * q + k * r) / determinant,
    (j * p + (a * f - c * c) * q + (b * c - a * e) * r) / determinant,
    (k * p + (b * c - a * e) * q + (a * d - b * b) * r) / determinant,
  ];
}

function ascending(values: number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
