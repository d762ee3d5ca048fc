import { type Corner, findCorners, type Plane } from '../motion/corners.ts';
import { fitHomography, type Matrix3, placeOf, ransac, transferError } from '../motion/geometry.ts';
import type { Match } from '../motion/match.ts';
import { random } from '../pixels/random.ts';
import { align, patchOf } from './tracks.ts';

/** Corners of the frame that are looked for in the photo at most. */
const CORNERS = 300;
/** A corner of the frame must lie this close to where the photo shows it, pixels at 480 a side. */
const CLOSE = 1.2;

export interface Moment {
  /** Corners of the frame that lie in the photo. */
  corners: number;
  /** Share of them that the photo shows at the very place where one viewpoint puts them. */
  in_place: number;
  /** Places in which the photo shows much that the frame lacks, or lacks much that the frame shows. */
  strange: number;
  /** Where the frame's corners lie in the photo, in its pixels. */
  shown: [x: number, y: number][];
}

/** Tolerance of the homography that lays the photo on the frame, pixels. */
const LAID = 3;

/**
 * Lays the photo on a frame and asks whether everything lies where it should. From one place and at one moment, the same camera sees near and far
 * things in the same arrangement. A photo from another place shows the near things shifted against the far ones.
 *
 * @param matches of the photo with the frame
 * @returns undefined if the photo cannot be laid on the frame
 */
export function compareMoment(photo: Plane, frame: Plane, matches: readonly Match[]): Moment | undefined {
  const back = matches.map(({ x0, y0, x1, y1 }) => ({ x0: x1, y0: y1, x1: x0, y1: y0 }));
  const toPhoto = ransac(back, fitHomography, transferError, {
    sample: 4,
    threshold: LAID,
    rounds: 200,
    rng: random(back.length + 7),
  });
  if (!toPhoto) return undefined;
  const laid = warped(photo, frame, toPhoto.model);
  const ofFrame = lookUp(frame, laid, laid);
  const ofPhoto = lookUp(laid, frame, laid);
  const { corners, inPlace } = ofFrame;
  const strange = new Set([...strangeCells(ofFrame), ...strangeCells(ofPhoto)]);
  const { width, height } = frame;
  return {
    corners: corners.length,
    in_place: inPlace.size / Math.max(1, corners.length),
    strange: strange.size,
    shown: [placeOf(toPhoto.model, 0, 0), placeOf(toPhoto.model, width, 0)].concat([
      placeOf(toPhoto.model, width, height),
      placeOf(toPhoto.model, 0, height),
    ]),
  };
}

interface LookedUp {
  corners: Corner[];
  inPlace: Set<Corner>;
}

/** Looks for the corners of one picture at the same places of another. Leaves out those that the laid photo does not show. */
function lookUp(from: Plane, to: Plane, laid: Plane): LookedUp {
  const corners = findCorners(from)
    .filter(corner => covers(laid, corner))
    .sort((a, b) => b.strength - a.strength)
    .slice(0, CORNERS);
  const matches: Match[] = [];
  const whose = new Map<Match, Corner>();
  for (const corner of corners) {
    const place = align(patchOf(from, corner), to, [corner.x, corner.y]);
    if (!place) continue;
    const match = { x0: corner.x, y0: corner.y, x1: place[0], y1: place[1] };
    matches.push(match);
    whose.set(match, corner);
  }
  const options = { sample: 4, threshold: CLOSE, rounds: 200, rng: random(corners.length + 1) };
  const plane = ransac(matches, fitHomography, transferError, options);
  return { corners, inPlace: new Set(plane?.inliers.map(match => whose.get(match)!) ?? []) };
}

/** Side of a cell, pixels at 480 a side; the fewest corners of one that say anything; the share in place below which it is strange. */
const CELL = 60;
const LEAST_IN_CELL = 4;
const STRANGE = 0.25;

function strangeCells({ corners, inPlace }: LookedUp): number[] {
  const cells = new Map<number, [all: number, right: number]>();
  for (const corner of corners) {
    const at = Math.floor(corner.y / CELL) * 100 + Math.floor(corner.x / CELL);
    const [all, right] = cells.get(at) ?? [0, 0];
    cells.set(at, [all + 1, right + (inPlace.has(corner) ? 1 : 0)]);
  }
  return [...cells].flatMap(([at, [all, right]]) => (all >= LEAST_IN_CELL && right <= STRANGE * all ? [at] : []));
}

/** Half side of the area around a corner that the photo must show. */
const AROUND = 12;

const covers = ({ width, height, data }: Plane, { x, y }: { x: number; y: number }): boolean => {
  for (const [dx, dy] of [
    [-AROUND, -AROUND],
    [AROUND, -AROUND],
    [-AROUND, AROUND],
    [AROUND, AROUND],
  ] as const) {
    const [u, v] = [x + dx, y + dy];
    if (u < 0 || v < 0 || u >= width || v >= height || data[v * width + u]! < 0) return false;
  }
  return true;
};

/** The photo as the frame would show it; -1 where it shows nothing. */
function warped({ width, height, data }: Plane, like: Plane, h: Matrix3): Plane {
  const out = new Float32Array(like.width * like.height).fill(-1);
  for (let y = 0; y < like.height; y++)
    for (let x = 0; x < like.width; x++) {
      const [u, v] = placeOf(h, x, y);
      if (!(u >= 0 && v >= 0 && u < width - 1 && v < height - 1)) continue;
      const i = u | 0;
      const j = v | 0;
      const fx = u - i;
      const fy = v - j;
      const at = j * width + i;
      out[y * like.width + x] =
        (data[at]! * (1 - fx) + data[at + 1]! * fx) * (1 - fy) +
        (data[at + width]! * (1 - fx) + data[at + width + 1]! * fx) * fy;
    }
  return { width: like.width, height: like.height, data: out };
}
