import type { Picture } from '../picture.ts';
import { random } from '../random.ts';
import { areaResize } from '../screen/whole.ts';
import { boxBlur, type Plane } from './corners.ts';
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

/** Longest side at which frames are compared. */
const SIDE = 960;
/** Focal lengths phones have, in longer sides of the picture (about 20 to 40 mm equivalent). */
const FOCALS = [0.6, 0.68, 0.76, 0.84, 0.94, 1.05, 1.2];
/** A homography fitted by chance explains this share of matches at most; fewer matches than this say nothing. */
const LEAST_MATCHES = 28;
/** Below it (distance moved against distance of the plane) a turn of the camera alone would explain as much. */
const LEAST_TRANSLATION = 0.03;
const TIGHT = 1.2;
const LOOSE = 2;

export type TwoFrameAnswer = 'flat' | 'deep' | 'not_enough_movement' | 'not_enough_matches';

export interface TwoFrameTest {
  answer: TwoFrameAnswer;
  /** Calibrated probability that the subject is one plane; absent without an answer. */
  probability?: number;
  evidence: {
    matches: number;
    /** Matches that one homography explains, and that one epipolar geometry does. */
    on_plane: number;
    on_epipolar_lines: number;
    /** Third quartile of what the homography leaves, pixels at 960 a side, over matches that any rigid scene explains. */
    residual_px: number;
    /** Distance the camera moved against the distance of the plane, estimated from the homography. */
    translation: number;
    /** Share of the picture's 8 x 8 cells with a match. */
    coverage: number;
  };
}

/**
 * Is the subject flat? Two photographs of it, the second after a small sideways move. A plane (display, print, wall) moves by
 * one homography; anything deep does not, as soon as the camera moves and does not only turn. Where a homography explains all
 * but hardly differs from a turn, there is no answer: `not_enough_movement`.
 *
 * Hartley and Zisserman, Multiple View Geometry (2004), chapter 13; the comparison of both models follows Torr (1998).
 */
export function testTwoFrames(first: Picture, second: Picture): TwoFrameTest {
  const a = toPlane(areaResize(first, SIDE));
  const b = toPlane(areaResize(second, SIDE));
  const matches = matchFrames(a, b);
  const rng = random(matches.length * 7 + 1);
  const evidence: TwoFrameTest['evidence'] = {
    matches: matches.length,
    on_plane: 0,
    on_epipolar_lines: 0,
    residual_px: 0,
    translation: 0,
    coverage: coverageOf(matches, a.width, a.height),
  };
  if (matches.length < LEAST_MATCHES) return { answer: 'not_enough_matches', evidence };
  const plane = ransac(matches, fitHomography, transferError, { sample: 4, threshold: LOOSE, rounds: 400, rng });
  const epipolar = ransac(matches, fitFundamental, sampsonError, { sample: 8, threshold: TIGHT, rounds: 800, rng });
  if (!plane || !epipolar) return { answer: 'not_enough_matches', evidence };
  const model = straighten(plane.inliers, a.width, a.height) ?? { h: plane.model, k: 0 };
  const residual = (match: Match): number => transferError(model.h, undistort(match, model.k, a.width, a.height));
  // Every match that some rigid scene explains: those on the plane are among them, whatever the epipolar geometry says.
  const rigid = matches.filter(match => sampsonError(epipolar.model, match) < TIGHT || residual(match) < TIGHT);
  const residuals = rigid.map(residual).sort((p, q) => p - q);
  evidence.on_plane = residuals.filter(r => r < TIGHT).length;
  evidence.on_epipolar_lines = epipolar.inliers.length;
  evidence.residual_px = round(residuals[Math.floor(residuals.length * 0.75)] ?? 0);
  // The least over all focal lengths: a turn seen with the wrong one would look like a small move.
  const moved = FOCALS.map(focal =>
    translationOf(model.h, focal * Math.max(a.width, a.height), a.width / 2, a.height / 2),
  );
  evidence.translation = round(Math.min(...moved));
  if (rigid.length < 20 || rigid.length < 0.25 * matches.length) return { answer: 'not_enough_matches', evidence };
  const share = evidence.on_plane / rigid.length;
  const probability = flatness(share, evidence.residual_px);
  if (probability < 0.5) return { answer: 'deep', probability, evidence };
  if (evidence.translation < LEAST_TRANSLATION) return { answer: 'not_enough_movement', evidence };
  return { answer: 'flat', probability, evidence };
}

/** Logistic in the share of matches on the plane and the logarithm of the residual; coefficients from `CARD.md`. */
function flatness(share: number, residual: number): number {
  const score = 10 * (share - 0.6) - 2 * Math.log(Math.max(0.1, residual) / 2.5);
  return 1 / (1 + Math.exp(-score));
}

/**
 * The lens bends a flat picture differently at its two places in the frame. One radial coefficient, the same in both frames, is
 * tried along with the homography, and kept where it lowers the residual.
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

function toPlane(picture: Picture): Plane {
  const { width, height, data } = picture;
  const plane = new Float32Array(width * height);
  for (let i = 0; i < plane.length; i++)
    plane[i] = 0.299 * data[3 * i] + 0.587 * data[3 * i + 1] + 0.114 * data[3 * i + 2];
  // The lattice and the moire of a display stay behind when the camera moves; what it shows is coarser.
  boxBlur(plane, width, height, 1);
  boxBlur(plane, width, height, 1);
  return { width, height, data: plane };
}

function coverageOf(matches: Match[], width: number, height: number): number {
  const cells = new Set(matches.map(({ x0, y0 }) => Math.floor((x0 / width) * 8) * 8 + Math.floor((y0 / height) * 8)));
  return round(cells.size / 64);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
