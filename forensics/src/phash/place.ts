import { bentCorrelation } from './bend.ts';
import { solve } from './confirm.ts';
import type { Thumbnail } from './fingerprint.ts';
import { type Keypoint, mirrored } from './keypoints.ts';
import { type Homography, mapped, type Overlaid, overlaid } from './overlay.ts';
import { type Plane, shrink } from './plane.ts';

/** How a searched picture lies on a stored one, found by corners that agree. */
interface Place {
  /** Corners that agree on the place. */
  corners: number;
  /** Correlation of the common area, −1..1; where a confirmed copy was bent, after the bend is undone. */
  correlation: number;
  /** Shares that the common area has of the stored and of the searched picture. */
  overlap: number;
  share: number;
  confirmed: boolean;
}

/** Differing bits of two corners, of 56, at which they may show the same. Unrelated corners differ by 28 on average. */
const MAX_BITS = 11;
const MIN_CORNERS = 8;
/** Farthest that a corner may lie from where the place puts it, in fractions of the longer side. */
const FIRST_REACH = 0.02;
const REACH = 0.012;
const MAX_PAIRS = 400;
/** Copies reach 0.99 in 100 of 104 crops; two photos of one scene, taken from one spot, mostly stay below. */
const MIN_CORRELATION = 0.99;
/** The same after a bend is undone. Two photos taken by hand from one spot reach 0.9955. */
const MIN_BENT_CORRELATION = 0.9965;
/** Pictures that correlate less are not compared bent: copies under waves reach 0.62 and more. */
const MIN_UNBENT_CORRELATION = 0.6;
const MIN_OVERLAP = 0.2;
const MIN_SHARE = 0.6;

interface Match {
  from: Keypoint;
  to: Keypoint;
  bits: number;
}

/** Finds the place of a searched picture on a stored one, as it is and mirrored; undefined when too few corners agree. */
export function place(
  searched: { plane: Plane; corners: readonly Keypoint[] },
  stored: { thumbnail: Thumbnail; corners: readonly Keypoint[] },
): Place | undefined {
  const { plane } = searched;
  const width = plane.width / Math.max(plane.width, plane.height);
  const found = [false, true].flatMap(mirror => {
    const corners = mirror ? searched.corners.map(corner => mirrored(corner, width)) : searched.corners;
    const fit = placeOf(matches(stored.corners, corners));
    return fit ? [{ mirror, ...fit }] : [];
  });
  const best = found.sort((a, b) => b.corners - a.corners)[0];
  if (!best) return undefined;
  const compared = compareAt(best.mirror ? flopped(plane) : plane, stored.thumbnail, best.homography);
  const { overlap, share, bent } = compared;
  const confirmed =
    (compared.correlation >= MIN_CORRELATION || bent >= MIN_BENT_CORRELATION) &&
    overlap >= MIN_OVERLAP &&
    Math.max(overlap, share) >= MIN_SHARE;
  const correlation = confirmed ? Math.max(compared.correlation, bent) : compared.correlation;
  return { corners: best.corners, correlation, overlap, share, confirmed };
}

function flopped({ data, width, height }: Plane): Plane {
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) out[y * width + x] = data[y * width + width - 1 - x]!;
  return { data: out, width, height };
}

function bitsOf(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The nearest searched corner of each stored one, best first. */
function matches(stored: readonly Keypoint[], searched: readonly Keypoint[]): Match[] {
  const found: Match[] = [];
  for (const from of stored) {
    let best: Match | undefined;
    for (const to of searched) {
      const bits = bitsOf(from.low ^ to.low) + bitsOf(from.high ^ to.high);
      if (bits <= (best ? best.bits - 1 : MAX_BITS)) best = { from, to, bits };
    }
    if (best) found.push(best);
  }
  return found.sort((a, b) => a.bits - b.bits);
}

function placeOf(all: Match[]): { corners: number; homography: Homography } | undefined {
  if (all.length < MIN_CORNERS) return undefined;
  let best: { inliers: Match[]; at: Homography } = { inliers: [], at: [1, 0, 0, 0, 1, 0, 0, 0] };
  let pairs = 0;
  for (let j = 1; j < all.length && pairs < MAX_PAIRS; j++)
    for (let i = 0; i < j && pairs < MAX_PAIRS; i++) {
      const at = similarity(all[i]!, all[j]!);
      if (!at) continue;
      pairs += 1;
      const inliers = near(all, at, FIRST_REACH);
      if (inliers.length > best.inliers.length) best = { inliers, at };
    }
  for (const [terms, reach] of [
    [6, FIRST_REACH],
    [8, FIRST_REACH],
    [8, REACH],
    [8, REACH],
  ] as const) {
    if (best.inliers.length < MIN_CORNERS) return undefined;
    const at = fit(best.inliers, terms);
    if (!at) return undefined;
    best = { inliers: near(all, at, reach), at };
  }
  if (best.inliers.length < MIN_CORNERS) return undefined;
  return { corners: best.inliers.length, homography: best.at };
}

const near = (all: readonly Match[], at: Homography, reach: number): Match[] =>
  all.filter(({ from, to }) => {
    const [x, y] = mapped(at, from.x, from.y);
    return Math.hypot(x - to.x, y - to.y) <= reach;
  });

/** The similarity that two matches give, unless it contradicts their own turns and sizes. */
function similarity(one: Match, two: Match): Homography | undefined {
  const [fx, fy] = [two.from.x - one.from.x, two.from.y - one.from.y];
  const [tx, ty] = [two.to.x - one.to.x, two.to.y - one.to.y];
  const length = fx * fx + fy * fy;
  if (length < 0.0025) return undefined;
  const cos = (fx * tx + fy * ty) / length;
  const sin = (fx * ty - fy * tx) / length;
  const scale = Math.hypot(cos, sin);
  const turn = Math.atan2(sin, cos);
  for (const { from, to } of [one, two]) {
    const ratio = to.size / from.size / scale;
    if (ratio < 0.65 || ratio > 1.55) return undefined;
    if (Math.cos(to.angle - from.angle - turn) < 0.85) return undefined;
  }
  return [
    cos,
    -sin,
    one.to.x - cos * one.from.x + sin * one.from.y,
    sin,
    cos,
    one.to.y - sin * one.from.x - cos * one.from.y,
    0,
    0,
  ];
}

/** Least squares of the affine (6 terms) or projective (8) map that takes `from` to `to`. */
function fit(list: readonly Match[], terms: 6 | 8): Homography | undefined {
  const table = Array.from({ length: terms }, () => new Array<number>(terms + 1).fill(0));
  const add = (row: number[], value: number): void => {
    for (let i = 0; i < terms; i++) {
      for (let j = 0; j < terms; j++) table[i]![j]! += row[i]! * row[j]!;
      table[i]![terms]! += row[i]! * value;
    }
  };
  for (const { from, to } of list) {
    add([from.x, from.y, 1, 0, 0, 0, -to.x * from.x, -to.x * from.y], to.x);
    add([0, 0, 0, from.x, from.y, 1, -to.y * from.x, -to.y * from.y], to.y);
  }
  const found = solve(table);
  return found && ([...found, 0, 0].slice(0, 8) as unknown as Homography);
}

/** How alike the searched picture is where the map puts it, and the map that makes it most alike. */
function compareAt(plane: Plane, thumbnail: Thumbnail, start: Homography) {
  const { width, height } = thumbnail;
  const longest = Math.max(width, height);
  const scale = scaleOf(start, width / longest / 2, height / longest / 2);
  // As fine as the thumbnail, where the two lie on each other.
  const moved = shrink(plane, Math.min(256, Math.max(16, Math.round(longest / scale))));
  const still = { data: Float32Array.from(thumbnail.data), width, height };
  let at = start;
  let best = overlaid(still, moved, at);
  for (let step = 0; step < STEPS && best.count >= MIN_SAMPLES; step++) {
    const next = improved(at, still, best);
    if (!next) break;
    const reached = overlaid(still, moved, next);
    if (!(reached.correlation > best.correlation) || reached.count < MIN_SAMPLES) break;
    const gained = reached.correlation - best.correlation;
    at = next;
    best = reached;
    if (gained < 1e-4) break;
  }
  const side = Math.max(moved.width, moved.height);
  const share = (best.count * (scale * side) ** 2) / longest ** 2 / (moved.width * moved.height);
  const { correlation } = best;
  const bent =
    correlation < MIN_CORRELATION && correlation >= MIN_UNBENT_CORRELATION
      ? bentCorrelation(still, moved, at, best)
      : correlation;
  return { correlation, bent, overlap: best.count / (width * height), share: Math.min(1, share) };
}
const STEPS = 12;
const MIN_SAMPLES = 256;

/** Sides of the searched picture to one of the stored, at a point. */
function scaleOf(at: Homography, x: number, y: number): number {
  const d = 0.01;
  const [left, right, up, down] = [
    mapped(at, x - d, y),
    mapped(at, x + d, y),
    mapped(at, x, y - d),
    mapped(at, x, y + d),
  ];
  const area = (right[0] - left[0]) * (down[1] - up[1]) - (right[1] - left[1]) * (down[0] - up[0]);
  return Math.sqrt(Math.abs(area)) / (2 * d);
}

/** One step of Gauss-Newton for the eight terms of the map. */
function improved(at: Homography, { width, height }: Plane, o: Overlaid): Homography | undefined {
  const longest = Math.max(width, height);
  const table = Array.from({ length: 8 }, () => new Array<number>(9).fill(0));
  const row = new Array<number>(8).fill(0);
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      if (!(o.mask[i] && o.mask[i - 1] && o.mask[i + 1] && o.mask[i - width] && o.mask[i + width])) continue;
      const gx = ((o.warped[i + 1]! - o.warped[i - 1]!) / 2) * longest * o.gain;
      const gy = ((o.warped[i + width]! - o.warped[i - width]!) / 2) * longest * o.gain;
      const [px, py] = [(x + 0.5) / longest, (y + 0.5) / longest];
      const along = -(gx * px + gy * py);
      row.splice(0, 8, gx * px, gx * py, gx, gy * px, gy * py, gy, along * px, along * py);
      const residual = o.still[i]! - o.gain * o.warped[i]!;
      for (let j = 0; j < 8; j++) {
        for (let k = 0; k < 8; k++) table[j]![k]! += row[j]! * row[k]!;
        table[j]![8]! += row[j]! * residual;
      }
    }
  const d = solve(table);
  if (!d) return undefined;
  const [a, b, c, e, f, g, h, i] = d as unknown as Homography;
  return times(at, [1 + a, b, c, e, 1 + f, g, h, i]);
}

/** The map that applies `second`, then `first`. */
function times(first: Homography, second: Homography): Homography {
  const [p, q] = [
    [...first, 1],
    [...second, 1],
  ];
  const product = Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [Math.floor(i / 3), i % 3];
    return p[row * 3]! * q[column]! + p[row * 3 + 1]! * q[3 + column]! + p[row * 3 + 2]! * q[6 + column]!;
  });
  return product.slice(0, 8).map(value => value / product[8]!) as unknown as Homography;
}
