import { type Corner, findCorners, type Plane } from '../motion/corners.ts';
import type { Match } from '../motion/match.ts';
import { boxBlur } from '../pixels/blur.ts';
import type { Picture } from '../pixels/picture.ts';
import { levelRows } from '../pixels/rows.ts';
import { frameLuma, shrunkTo } from './luma.ts';
import type { Path } from './path.ts';

/** Longest side at which points are followed. */
const LONGEST = 480;
/** Points that are followed at most. */
const POINTS = 260;
/** Strength of a corner at least. A single frame would show noise at this strength; over many frames noise is soon lost. */
const WEAKEST = 8;
/** Half side of the patch around a point. */
const PATCH = 6;
const SIDE = 2 * PATCH + 1;
const ITERATIONS = 8;
/** Correlation of a patch with the one it began as, below which the point is lost. */
const SAME = 0.86;
/** A point that lands further than this from where the frame's movement takes it was confused with another, pixels a frame. */
const STRAY = 9;

/** A lead is measured on steps of so many pixels, bounded, and used from so many pixels on. */
const LEAST_STEP = 3;
const MOST_LEAD = 3;
const LED = 1.5;

/** Places of the points in each frame, interleaved x and y; NaN where a point is lost. */
export interface Tracks {
  width: number;
  height: number;
  anchor: number;
  places: Float32Array[];
}

/** Prepares a frame for following: rows levelled, at most {@link LONGEST} pixels a side. */
export function planeOf(picture: Picture): Plane {
  const plane = shrunkTo(frameLuma(picture), LONGEST);
  const { width, height, data } = plane;
  levelRows(data, width, height);
  boxBlur(data, width, height, 1);
  return plane;
}

/**
 * Follows corners of the anchor frame through the frames before and after it (Shi and Tomasi 1994). Every patch is compared with the
 * anchor's own, so that errors do not add up; its place in the frame before, moved as the whole picture moved, is where the search begins.
 */
export function follow(planes: readonly Plane[], steps: Path['steps'], anchor: number): Tracks {
  const first = planes[anchor]!;
  const { width, height } = first;
  const corners = findCorners(first, WEAKEST)
    .sort((a, b) => b.strength - a.strength)
    .slice(0, POINTS);
  const patches = corners.map(corner => patchOf(first, corner));
  const places = planes.map(() => new Float32Array(2 * corners.length).fill(Number.NaN));
  for (const [i, { x, y }] of corners.entries()) places[anchor]!.set([x, y], 2 * i);
  for (const direction of [1, -1]) {
    // How much further than the whole picture each point went, as a share of the picture's step: near things move faster.
    const lead = new Float32Array(corners.length);
    for (let at = anchor + direction; at >= 0 && at < planes.length; at += direction) {
      const from = places[at - direction]!;
      const step = steps[direction > 0 ? at - 1 : at]!;
      const move = moverOf(step, direction > 0, width, height);
      const way = direction * Math.max(width, height);
      for (let i = 0; i < corners.length; i++) {
        if (Number.isNaN(from[2 * i]!)) continue;
        const [x, y] = move(from[2 * i]!, from[2 * i + 1]!);
        const [ahead, behind] = [lead[i]! * step.dx * way, lead[i]! * step.dy * way];
        const led = Math.hypot(ahead, behind) > LED;
        const found =
          (led ? align(patches[i]!, planes[at]!, [x + ahead, y + behind]) : undefined) ??
          align(patches[i]!, planes[at]!, [x, y]);
        if (!found) continue;
        places[at]!.set(found, 2 * i);
        const size = way * way * (step.dx ** 2 + step.dy ** 2);
        if (size < LEAST_STEP ** 2) continue;
        const share = ((found[0] - x) * step.dx * way + (found[1] - y) * step.dy * way) / size;
        lead[i] = Math.max(-1, Math.min(MOST_LEAD, share));
      }
    }
  }
  return { width, height, anchor, places };
}

/** The matches between the anchor and another frame. */
export function matchesOf({ places, anchor }: Tracks, frame: number): Match[] {
  const matches: Match[] = [];
  const [from, to] = [places[anchor]!, places[frame]!];
  for (let i = 0; i < from.length; i += 2)
    if (!Number.isNaN(to[i]!)) matches.push({ x0: from[i]!, y0: from[i + 1]!, x1: to[i]!, y1: to[i + 1]! });
  return matches;
}

type Mover = (x: number, y: number) => [number, number];

/** The movement of the whole picture by a step, or back. */
function moverOf({ dx, dy, turn, scale }: Path['steps'][number], forth: boolean, width: number, height: number): Mover {
  const side = Math.max(width, height);
  const [a, b] = [scale * Math.cos(turn), scale * Math.sin(turn)];
  const [cx, cy] = [width / 2, height / 2];
  if (forth)
    return (x, y) => [a * (x - cx) - b * (y - cy) + cx + dx * side, b * (x - cx) + a * (y - cy) + cy + dy * side];
  const norm = a * a + b * b;
  return (x, y) => {
    const [u, v] = [x - cx - dx * side, y - cy - dy * side];
    return [(a * u + b * v) / norm + cx, (a * v - b * u) / norm + cy];
  };
}

interface Patch {
  values: Float32Array;
  gx: Float32Array;
  gy: Float32Array;
  hxx: number;
  hxy: number;
  hyy: number;
  variance: number;
}

export function patchOf({ data, width }: Plane, { x, y }: Corner): Patch {
  const count = SIDE * SIDE;
  const [values, gx, gy] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  let [hxx, hxy, hyy, mean] = [0, 0, 0, 0];
  for (let j = 0, k = 0; j < SIDE; j++)
    for (let i = 0; i < SIDE; i++, k++) {
      const at = (y + j - PATCH) * width + x + i - PATCH;
      values[k] = data[at]!;
      gx[k] = (data[at + 1]! - data[at - 1]!) / 2;
      gy[k] = (data[at + width]! - data[at - width]!) / 2;
      mean += values[k];
      hxx += gx[k] * gx[k];
      hxy += gx[k] * gy[k];
      hyy += gy[k] * gy[k];
    }
  mean /= count;
  let variance = 0;
  for (let k = 0; k < count; k++) {
    values[k] -= mean;
    variance += values[k] * values[k];
  }
  return { values, gx, gy, hxx, hxy, hyy, variance };
}

const seen = new Float32Array(SIDE * SIDE);

/** Finds a patch near `start` to a fraction of a pixel, whatever its brightness and contrast (Lucas and Kanade 1981). */
export function align(
  patch: Patch,
  { data, width, height }: Plane,
  start: [number, number],
): [number, number] | undefined {
  const { values, gx, gy, hxx, hxy, hyy, variance } = patch;
  const determinant = hxx * hyy - hxy * hxy;
  if (determinant < 1e-3) return undefined;
  let [x, y] = start;
  let correlation = 0;
  for (let step = 0; step < ITERATIONS; step++) {
    const [left, top] = [Math.floor(x) - PATCH, Math.floor(y) - PATCH];
    if (left < 1 || top < 1 || left + SIDE + 1 >= width || top + SIDE + 1 >= height) return undefined;
    const [fx, fy] = [x - Math.floor(x), y - Math.floor(y)];
    const [w00, w10, w01, w11] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy];
    let mean = 0;
    for (let j = 0, k = 0; j < SIDE; j++) {
      let at = (top + j) * width + left;
      for (let i = 0; i < SIDE; i++, k++, at++) {
        const value = w00 * data[at]! + w10 * data[at + 1]! + w01 * data[at + width]! + w11 * data[at + width + 1]!;
        seen[k] = value;
        mean += value;
      }
    }
    mean /= seen.length;
    let [cross, squares] = [0, 0];
    for (let k = 0; k < seen.length; k++) {
      const value = seen[k]! - mean;
      seen[k] = value;
      cross += value * values[k]!;
      squares += value * value;
    }
    correlation = cross / Math.sqrt(squares * variance + 1e-6);
    const gain = cross / (squares + 1e-6);
    let [ex, ey] = [0, 0];
    for (let k = 0; k < seen.length; k++) {
      const error = values[k]! - gain * seen[k]!;
      ex += gx[k]! * error;
      ey += gy[k]! * error;
    }
    const [dx, dy] = [(hyy * ex - hxy * ey) / determinant, (hxx * ey - hxy * ex) / determinant];
    x += Math.max(-2, Math.min(2, dx));
    y += Math.max(-2, Math.min(2, dy));
    if (Math.abs(dx) + Math.abs(dy) < 0.02) break;
  }
  if (!(correlation >= SAME) || Math.hypot(x - start[0], y - start[1]) > STRAY) return undefined;
  return [x, y];
}
