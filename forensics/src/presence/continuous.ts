import type { Plane } from '../motion/corners.ts';
import { fitFundamental, fitHomography, ransac, sampsonError, transferError } from '../motion/geometry.ts';
import { matchFrames } from '../motion/match.ts';
import type { Picture } from '../picture.ts';
import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { areaResize } from '../pixels/resize.ts';
import { round } from '../pixels/round.ts';
import { random } from '../random.ts';
import { type CheckResult, noAnswer, type Session } from './trace.ts';

const SIDE = 480;
/** Matches that agree in one geometry. Unrelated pictures reached eight at most while the bound was set. */
const SAME = 18;
const OTHER = 9;
/** A frame must match its neighbour this well, or the scene has too little detail to say anything. */
const LEAST_OWN = 40;
/** A photograph may show more than the video: the video's side as a share of the photograph's. */
const CUTS = [1, 0.82, 0.68];
/** Distance of the colour histograms, 0..1, above which two pictures hardly show the same scene in the same light. */
const OTHER_COLOURS = 0.75;

/** Asks whether the photograph shows the scene of the trace's beginning, and the second frame that of its end. */
export function checkContinuous({ still, second, trace }: Session): CheckResult {
  const { frames } = trace;
  if (frames.length < 4) return noAnswer('The trace has too few frames to compare with the photo.');
  const start = compare(still, frames[0]!.picture, frames[1]!.picture);
  const end = second && compare(second, frames.at(-1)!.picture, frames.at(-2)!.picture);
  const evidence = {
    photo_agrees: start.agreeing,
    photo_colours: round(start.colours),
    own: start.own,
    ...(end && { second_agrees: end.agreeing, second_colours: round(end.colours) }),
  };
  const worst = end && end.answer === 'other' ? end : start;
  const failed = (words: string, probability: number): CheckResult => ({
    evaluated: true,
    passed: false,
    probability,
    words,
    contradiction: true,
    evidence,
  });
  if (start.answer === 'other')
    return failed('The photo shows another scene than the film that was taken with it.', 0.97);
  if (worst.answer === 'other') return failed('The second photo shows another scene than the end of the film.', 0.97);
  if (start.answer === 'unknown')
    return noAnswer('The photo and the film have too little detail in common to compare.', evidence);
  if (start.colours > OTHER_COLOURS)
    return {
      ...noAnswer('The photo shows the scene of the film, but in other colours.', evidence),
      probability: 0.6,
    };
  return {
    evaluated: true,
    passed: true,
    probability: 0.03,
    words: 'The photo shows the scene in which the film begins.',
    evidence,
  };
}

interface Comparison {
  answer: 'same' | 'other' | 'unknown';
  agreeing: number;
  own: number;
  colours: number;
}

/** @param neighbour the frame beside `frame`, which tells how well the scene can be matched at all */
function compare(picture: Picture, frame: Picture, neighbour: Picture): Comparison {
  const to = planeOf(areaResize(frame, SIDE));
  let agreeing = 0;
  for (const cut of CUTS) {
    agreeing = Math.max(agreeing, agreeingMatches(planeOf(areaResize(centre(picture, frame, cut), SIDE)), to));
    if (agreeing >= 2 * SAME) break;
  }
  const colours = colourDistance(picture, frame);
  if (agreeing >= SAME) return { answer: 'same', agreeing, own: agreeing, colours };
  const own = agreeingMatches(planeOf(areaResize(neighbour, SIDE)), to);
  return { answer: agreeing <= OTHER && own >= LEAST_OWN ? 'other' : 'unknown', agreeing, own, colours };
}

/** Cuts the middle out of a picture in the proportions of another: `share` of the largest such part. */
function centre(picture: Picture, like: Picture, share: number): Picture {
  const scale = share * Math.min(picture.width / like.width, picture.height / like.height);
  const width = Math.max(1, Math.round(like.width * scale));
  const height = Math.max(1, Math.round(like.height * scale));
  if (width === picture.width && height === picture.height) return picture;
  const x = (picture.width - width) >> 1;
  const y = (picture.height - height) >> 1;
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * picture.width + x) * 3;
    data.set(picture.data.subarray(from, from + width * 3), row * width * 3);
  }
  return { width, height, data };
}

function planeOf({ width, height, data }: Picture): Plane {
  const luma = lumaOf(data, width * height);
  boxBlur(luma, width, height, 1);
  return { width, height, data: luma };
}

/** Counts the matches that one plane or one rigid scene explains. */
function agreeingMatches(first: Plane, second: Plane): number {
  const matches = matchFrames(first, second);
  const rng = random(matches.length * 5 + 1);
  const plane = ransac(matches, fitHomography, transferError, { sample: 4, threshold: 3, rounds: 200, rng });
  const most = plane?.inliers.length ?? 0;
  // Eight points always fit some epipolar geometry, and a line is easily hit, so it counts only far above chance.
  if (most >= 2 * SAME || matches.length < 3 * SAME) return most;
  const rigid = ransac(matches, fitFundamental, sampsonError, { sample: 8, threshold: 1.5, rounds: 200, rng });
  return rigid && rigid.inliers.length > 0.7 * matches.length ? Math.max(most, rigid.inliers.length) : most;
}

/** Total variation distance of the histograms of chromaticity, 8 x 8 bins. */
function colourDistance(first: Picture, second: Picture): number {
  const [a, b] = [coloursOf(first), coloursOf(second)];
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / 2;
}

function coloursOf(picture: Picture): Float64Array {
  const { data } = areaResize(picture, 96);
  const bins = new Float64Array(64);
  const step = 1 / (data.length / 3);
  for (let at = 0; at < data.length; at += 3) {
    const sum = data[at]! + data[at + 1]! + data[at + 2]! + 12;
    // Most colours lie near grey (1/3, 1/3), so the bins cover 0.15 to 0.55.
    const bin = (value: number): number => Math.max(0, Math.min(7, Math.floor(((value + 4) / sum - 0.15) * 20)));
    bins[bin(data[at]!) * 8 + bin(data[at + 1]!)]! += step;
  }
  return bins;
}
