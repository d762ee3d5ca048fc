import { logistic } from '../odds.ts';
import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { type Picture, shrink } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { areaResize } from '../pixels/resize.ts';
import { round } from '../pixels/round.ts';
import type { Plane } from './corners.ts';
import {
  fitFundamental,
  fitHomography,
  type Matrix3,
  ransac,
  sampsonError,
  transferError,
  translationOf,
} from './geometry.ts';
import { type Match, matchFrames } from './match.ts';
import { compareWaves } from './waves.ts';

/** Longest side at which frames are compared. */
const SIDE = 960;
/** Longest side at which waves are compared. */
const WAVES_SIDE = 1600;
/** Blocks whose waves differ. Two more than any real pair has. */
export const LEAST_DIFFER = 3;
/** Focal lengths of phones, in units of the picture's longer side (about 20 to 40 mm equivalent). */
const FOCALS = [0.6, 0.68, 0.76, 0.84, 0.94, 1.05, 1.2];
/** With fewer matches there is no answer. */
const LEAST_MATCHES = 40;
/** With fewer matches that a rigid scene explains, the agreement could be chance. */
const LEAST_RIGID = 40;
/** Enough matches to register the frames, but not to distinguish a plane from depth. */
const LEAST_REGISTERED = 10;
/** A picture counts as flat only when matches cover this share of its cells, so that one wall or cupboard in it is not enough. */
const LEAST_COVERAGE = 0.5;
/** Below this ratio of distance moved to distance of the plane, a mere rotation of the camera would explain the matches. */
const LEAST_TRANSLATION = 0.03;
const TIGHT = 1.2;
const LOOSE = 2;

export type TwoFrameAnswer = 'flat' | 'deep' | 'not_enough_movement' | 'not_enough_matches';

export interface TwoFrameTest {
  answer: TwoFrameAnswer;
  /** Calibrated probability that the subject is a plane; absent without an answer. */
  probability?: number;
  evidence: {
    matches: number;
    /** Matches that one homography explains, and matches that one epipolar geometry explains. */
    on_plane: number;
    on_epipolar_lines: number;
    /** Third quartile of the homography's residuals over matches that any rigid scene explains, in pixels at 960 a side. */
    residual_px: number;
    /** The same for the distances to the epipolar lines. */
    epipolar_px: number;
    /** Ratio of the camera's movement to the distance of the plane, estimated from the homography. */
    translation: number;
    /** Blocks that were laid on the other frame, those whose waves differ, and whether these are enough for moire; see `waves.ts`. */
    blocks: number;
    waves_differ: number;
    moire: boolean;
    /** Share of the picture's 8 x 8 cells with a match. */
    coverage: number;
  };
}

/**
 * Tests whether the subject is flat, from two photographs, the second after a small sideways move. A plane (display,
 * print, wall) moves by one homography. A deep subject does not, if the camera moves and does not only turn. When a
 * homography explains everything but hardly differs from a turn, there is no answer: `not_enough_movement`. Hartley and
 * Zisserman, Multiple View Geometry (2004), chapter 13; the comparison of both models follows Torr (1998).
 */
export function testTwoFrames(first: Picture, second: Picture): TwoFrameTest {
  let compared = compareAt(first, second, SIDE);
  if (compared.test.answer === 'not_enough_matches') {
    // Strong moire and defocus destroy small corners but leave larger ones.
    const coarse = compareAt(first, second, SIDE / 2);
    if (coarse.test.answer !== 'not_enough_matches' || !compared.plane) compared = coarse;
  }
  const { plane } = compared;
  const test: TwoFrameTest =
    compared.test.answer === 'flat' && compared.test.evidence.coverage < LEAST_COVERAGE
      ? { answer: 'not_enough_matches', evidence: compared.test.evidence }
      : compared.test;
  if (!plane) return test;
  const [a, b] = [fineLuma(first), fineLuma(second)];
  const { blocks, differ } = compareWaves(a, b, atSize(plane, a, first, b, second));
  return { ...test, evidence: { ...test.evidence, blocks, waves_differ: differ, moire: differ >= LEAST_DIFFER } };
}

interface Compared {
  test: TwoFrameTest;
  /** The homography of most matches, in pixels of the original frames. */
  plane?: Matrix3;
}

/** Runs the test with both frames at most `side` pixels a side. All distances are in pixels at `SIDE`. */
function compareAt(first: Picture, second: Picture, side: number): Compared {
  const a = toPlane(reduced(first, side));
  const b = toPlane(reduced(second, side));
  const { test, plane } = judgeMatches(matchFrames(a, b), a, SIDE / side);
  return { test, plane: plane && atSize(plane, first, a, second, b) };
}

/**
 * Tells from matches between two frames of one size whether the subject is flat. `unit`: pixels at 960 a side for each pixel of the frames.
 * `sure`: see `ransac`.
 * Returns the homography of most matches beside the test, in pixels of the frames.
 */
export function judgeMatches(
  matches: Match[],
  { width, height }: { width: number; height: number },
  unit: number,
  sure?: number,
): { test: TwoFrameTest; plane?: Matrix3 } {
  const rng = random(matches.length * 7 + 1);
  const evidence: TwoFrameTest['evidence'] = {
    blocks: 0,
    waves_differ: 0,
    moire: false,
    matches: matches.length,
    on_plane: 0,
    on_epipolar_lines: 0,
    residual_px: 0,
    epipolar_px: 0,
    translation: 0,
    coverage: coverageOf(matches, width, height),
  };
  if (matches.length < LEAST_REGISTERED) return { test: { answer: 'not_enough_matches', evidence } };
  const plane = ransac(matches, fitHomography, transferError, { sample: 4, threshold: LOOSE, rounds: 400, rng, sure });
  const epipolar = ransac(matches, fitFundamental, sampsonError, {
    sample: 8,
    threshold: TIGHT,
    rounds: 800,
    rng,
    sure,
  });
  const registered = plane && plane.inliers.length >= LEAST_REGISTERED ? plane.model : undefined;
  const answer = (answer: TwoFrameAnswer, probability?: number): { test: TwoFrameTest; plane?: Matrix3 } => ({
    test: { answer, ...(probability !== undefined && { probability }), evidence },
    plane: registered,
  });
  if (!plane || !epipolar || matches.length < LEAST_MATCHES) return answer('not_enough_matches');
  const model = straighten(plane.inliers, width, height) ?? { h: plane.model, k: 0 };
  const fromPlane = (match: Match): number => unit * transferError(model.h, undistort(match, model.k, width, height));
  const fromLine = (match: Match): number => unit * sampsonError(epipolar.model, match);
  // Every match that some rigid scene explains, including all matches on the plane.
  const rigid = matches.filter(match => fromLine(match) < TIGHT || fromPlane(match) < TIGHT);
  const residuals = rigid.map(fromPlane).sort((p, q) => p - q);
  const lines = rigid.map(fromLine).sort((p, q) => p - q);
  evidence.on_plane = residuals.filter(r => r < TIGHT).length;
  evidence.on_epipolar_lines = epipolar.inliers.length;
  evidence.residual_px = round(residuals[Math.floor(residuals.length * 0.75)] ?? 0);
  evidence.epipolar_px = round(lines[Math.floor(lines.length * 0.75)] ?? 0);
  // The minimum over all focal lengths, because a rotation looks like a small move with the wrong one.
  const moved = FOCALS.map(focal => translationOf(model.h, focal * Math.max(width, height), width / 2, height / 2));
  evidence.translation = round(Math.min(...moved));
  if (rigid.length < LEAST_RIGID || rigid.length < 0.25 * matches.length) return answer('not_enough_matches');
  const probability = flatness(evidence.on_plane / rigid.length, evidence.residual_px);
  if (probability < 0.5) return answer('deep', probability);
  if (evidence.translation < LEAST_TRANSLATION) return answer('not_enough_movement');
  return answer('flat', probability);
}

/**
 * Logistic function of the share of matches on the plane and the logarithm of the residual. `CARD.md` says how the coefficients were set.
 */
function flatness(share: number, residual: number): number {
  const score = 18 * share - 4 * Math.log(Math.max(0.1, residual)) - 14.6;
  return logistic(score);
}

/**
 * Lens distortion bends a flat picture differently at its two places in the frame. Fits one radial coefficient for both frames with the
 * homography, and keeps it if it lowers the residual.
 */
function straighten(matches: Match[], width: number, height: number): { h: Matrix3; k: number } | undefined {
  let best: { h: Matrix3; k: number; cost: number } | undefined;
  for (const k of [0, -0.06, -0.04, -0.02, -0.01, 0.01, 0.02, 0.04, 0.06]) {
    const straight = matches.map(match => undistort(match, k, width, height));
    const h = fitHomography(straight);
    if (!h) continue;
    const errors = straight.map(match => transferError(h, match)).sort((p, q) => p - q);
    const cost = errors[Math.floor(errors.length * 0.75)] * (k === 0 ? 1 : 1.03);
    if (!best || cost < best.cost) best = { h, k, cost };
  }
  return best;
}

function undistort(match: Match, k: number, width: number, height: number): Match {
  if (k === 0) return match;
  const scale = 4 / (width * width + height * height);
  const move = (x: number, y: number): [number, number] => {
    const dx = x - width / 2;
    const dy = y - height / 2;
    const factor = 1 + k * scale * (dx * dx + dy * dy);
    return [width / 2 + dx * factor, height / 2 + dy * factor];
  };
  const [x0, y0] = move(match.x0, match.y0);
  const [x1, y1] = move(match.x1, match.y1);
  return { x0, y0, x1, y1 };
}

/** Shrinks by a whole factor first, which is fast, then by the remaining factor. */
function reduced(picture: Picture, side: number): Picture {
  const factor = Math.max(1, Math.floor(Math.max(picture.width, picture.height) / side));
  return areaResize(shrink(picture, factor), side);
}

type Size = Pick<Plane, 'width' | 'height'>;

/** Converts a homography from pixels of `a` to pixels of `b` to one between the same pictures at other sizes. */
function atSize(h: Matrix3, first: Size, a: Size, second: Size, b: Size): Matrix3 {
  const [ax, ay] = [a.width / first.width, a.height / first.height];
  const [bx, by] = [second.width / b.width, second.height / b.height];
  return [
    h[0] * ax * bx,
    h[1] * ay * bx,
    h[2] * bx,
    h[3] * ax * by,
    h[4] * ay * by,
    h[5] * by,
    h[6] * ax,
    h[7] * ay,
    h[8],
  ];
}

/** Luma at the size at which waves are compared. */
function fineLuma(picture: Picture): Plane {
  const { width, height, data } = shrink(picture, Math.ceil(Math.max(picture.width, picture.height) / WAVES_SIDE));
  return { width, height, data: lumaOf(data, width * height) };
}

function toPlane(picture: Picture): Plane {
  const { width, height, data } = picture;
  const plane = lumaOf(data, width * height);
  // Blurs away a display's lattice and moire, which stay behind when the camera moves. The content of the display is
  // coarser.
  boxBlur(plane, width, height, 1);
  boxBlur(plane, width, height, 1);
  return { width, height, data: plane };
}

function coverageOf(matches: Match[], width: number, height: number): number {
  const cells = new Set(matches.map(({ x0, y0 }) => Math.floor((x0 / width) * 8) * 8 + Math.floor((y0 / height) * 8)));
  return round(cells.size / 64);
}
