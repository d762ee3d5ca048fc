import type { Plane } from '../motion/corners.ts';
import { fitFundamental, fitHomography, ransac, sampsonError, transferError } from '../motion/geometry.ts';
import { type Match, matchFrames } from '../motion/match.ts';
import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { cutOut, type Part, type Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { areaResize } from '../pixels/resize.ts';
import { round } from '../pixels/round.ts';
import { coveredShare } from './coverage.ts';
import { compareMoment, type Moment } from './moment.ts';
import type { Path } from './path.ts';
import { type CheckResult, contradicted, doubt, noAnswer, passed, type Session, type TraceFrame } from './trace.ts';

const SIDE = 480;
/** Longest side to which a photo is reduced once: its narrowest cut still has twice the frames' pixels a side. */
const REDUCED = 1440;
/** Matches that agree in one geometry. Unrelated pictures reached eight at most while the bound was set. */
const SAME = 18;
const OTHER = 9;
/** A frame must match its neighbour this well, or the scene has too little detail to say anything. */
const LEAST_OWN = 40;
/** A photograph may show more than the video: the video's side as a share of the photograph's. */
const CUTS = [1, 0.82, 0.68];
/**
 * Share of the first frame's corners that the photo shows just where one viewpoint puts them. From a place that is 1% of the distance away, the
 * photo shows 0.8 to 0.9 of them there; from 2%, 0.56 to 0.78; from 4%, 0.7 at most (rendered).
 */
const ONE_MOMENT = 0.72;
/**
 * Parts of the photo, an eighth of its longer side each, that are too many to differ: a camera that already moves shows one. None differs in the 28
 * photos of real films (`fit` and `choose`) whose other corners lie in place to this share.
 */
const STRANGE_PARTS = 2;
const STEADY = 0.95;
/** Frames at the beginning that may be the photo's, and the fewest corners that say anything. */
const FIRST_FRAMES = 3;
const LEAST_CORNERS = 30;
/**
 * Share of the photo that the film may leave out. A photo of 4:3 beside a film of 16:9 leaves out 0.25; the page asks for a film of 4:3. In all real
 * films and rendered genuine sessions the film shows the whole photo.
 */
const MOST_UNCOVERED = 0.3;
/** Distance of the colour histograms, 0..1, above which two pictures hardly show the same scene in the same light. */
const OTHER_COLOURS = 0.75;

/** Asks whether the photograph shows the scene of the trace's beginning, and the second frame that of its end. */
export function checkContinuous({ still, second, trace }: Session, { steps }: Path): CheckResult {
  const { frames } = trace;
  if (frames.length < 4) return noAnswer('The trace has too few frames to compare with the photo.');
  const start = compare(areaResize(still, REDUCED), frames[0]!.picture, frames[1]!.picture);
  const moment = start.answer === 'same' ? bestMoment(start, frames) : undefined;
  const uncovered = moment ? 1 - coveredOf(start, moment) : 1;
  const end = second && compare(areaResize(second, REDUCED), frames.at(-1)!.picture, frames.at(-2)!.picture);
  const evidence = {
    photo_agrees: start.agreeing,
    photo_colours: round(start.colours),
    own: start.own,
    ...(moment && {
      corners: moment.corners,
      in_place: round(moment.in_place),
      strange_parts: moment.strange,
      uncovered: round(uncovered),
    }),
    ...(end && { second_agrees: end.agreeing, second_colours: round(end.colours) }),
  };
  return (
    sceneFault(start, end, evidence) ??
    momentFault(moment, steps, evidence) ?? {
      ...passed('The photo shows the scene from the place where the film begins.', 0.03, evidence),
      ...(uncovered > MOST_UNCOVERED && {
        missing: `The film shows only ${Math.round(100 * (1 - uncovered))}% of the photo. Nothing tells whether the rest is true.`,
      }),
    }
  );
}

type Evidence = CheckResult['evidence'];

/** What speaks against one scene in photos and film. */
function sceneFault(start: Comparison, end: Comparison | undefined, evidence: Evidence): CheckResult | undefined {
  if (start.answer === 'other')
    return contradicted('The photo shows another scene than the film that was taken with it.', 0.97, evidence);
  // A person who lowers the phone as soon as the moves are done does this as well.
  if (end?.answer === 'other')
    return doubt('The second photo shows another scene than the end of the film.', 0.7, evidence);
  if (start.answer === 'unknown')
    return noAnswer('The photo and the film have too little detail in common to compare.', evidence);
  if (start.colours > OTHER_COLOURS)
    return doubt('The photo shows the scene of the film, but in other colours.', 0.6, evidence);
  return undefined;
}

/** What speaks against a photo that was taken as the film began. */
function momentFault(moment: Moment | undefined, steps: Path['steps'], evidence: Evidence): CheckResult | undefined {
  if (!moment || moment.corners < LEAST_CORNERS)
    return noAnswer('The photo has too little detail to tell whether it was taken as the film began.', evidence);
  // A person who moves at once after the shutter does this as well.
  if (moment.in_place < ONE_MOMENT)
    return doubt('The photo shows the scene of the film, but from another place or from another time.', 0.7, evidence);
  if (hasCut(steps)) return doubt('The film jumps from one place to another, as if it had been cut.', 0.7, evidence);
  if (moment.strange >= (moment.in_place >= STEADY ? 1 : STRANGE_PARTS))
    return doubt('A part of the photo differs from what the film shows there.', 0.7, evidence);
  return undefined;
}

/** The share of the photo that the frame shows on which it was laid. */
function coveredOf({ part, area, photo }: Comparison, { shown }: Moment): number {
  const scale = area.width / part.width;
  return coveredShare(
    shown.map(([x, y]) => [area.left + x * scale, area.top + y * scale] as const),
    photo,
  );
}

/** Correlation of the steps around a cut, and how far below them the cut lies. A hand's movement blurs its neighbours too. */
const CALM = 0.9;
const CUT = 0.25;

/** Whether a frame does not continue the one before, between frames that do. */
function hasCut(steps: Path['steps']): boolean {
  return steps.some(({ correlation }, i) => {
    const [before, after] = [steps[i - 1], steps[i + 1]];
    const calm = Math.min(before?.correlation ?? 1, after?.correlation ?? 1);
    return calm >= CALM && correlation < calm - CUT;
  });
}

interface Comparison {
  answer: 'same' | 'other' | 'unknown';
  agreeing: number;
  own: number;
  colours: number;
  /** The part of the picture that the frame shows, at the frame's size, and the matches between both. */
  part: Plane;
  /** Where that part lies in the photo, in pixels of the photo. */
  area: Part;
  photo: { width: number; height: number };
  matches: Match[];
}

/** @param neighbour the frame beside `frame`, which tells how well the scene can be matched at all */
function compare(picture: Picture, frame: Picture, neighbour: Picture): Comparison {
  const to = planeOf(areaResize(frame, SIDE));
  const whole = { left: 0, top: 0, width: picture.width, height: picture.height };
  let best: Agreement & { part: Plane; area: Part } = { agreeing: 0, matches: [], part: to, area: whole };
  for (const cut of CUTS) {
    const area = centre(picture, frame, cut);
    const part = planeOf(areaResize(cutOut(picture, area), SIDE));
    const found = agreementOf(part, to);
    if (found.agreeing > best.agreeing) best = { ...found, part, area };
    if (best.agreeing >= 2 * SAME) break;
  }
  const { agreeing } = best;
  const colours = colourDistance(picture, frame);
  const photo = { width: picture.width, height: picture.height };
  if (agreeing >= SAME) return { answer: 'same', own: agreeing, colours, photo, ...best };
  const own = agreementOf(planeOf(areaResize(neighbour, SIDE)), to).agreeing;
  return { answer: agreeing <= OTHER && own >= LEAST_OWN ? 'other' : 'unknown', own, colours, photo, ...best };
}

/** Lays the picture on each of the first frames and returns the best fit. */
function bestMoment({ part, matches }: Comparison, frames: readonly TraceFrame[]): Moment | undefined {
  let best: Moment | undefined;
  for (const [i, { picture }] of frames.slice(0, FIRST_FRAMES).entries()) {
    const frame = planeOf(areaResize(picture, SIDE));
    const found = compareMoment(part, frame, i === 0 ? matches : matchFrames(part, frame));
    if (found && (!best || found.in_place > best.in_place)) best = found;
    if (best && best.in_place >= ONE_MOMENT) break;
  }
  return best;
}

/** The middle of a picture in the proportions of another: `share` of the largest such part. */
function centre(picture: Picture, like: Picture, share: number): Part {
  const scale = share * Math.min(picture.width / like.width, picture.height / like.height);
  const width = Math.max(1, Math.round(like.width * scale));
  const height = Math.max(1, Math.round(like.height * scale));
  return { left: (picture.width - width) >> 1, top: (picture.height - height) >> 1, width, height };
}

function planeOf({ width, height, data }: Picture): Plane {
  const luma = lumaOf(data, width * height);
  boxBlur(luma, width, height, 1);
  return { width, height, data: luma };
}

interface Agreement {
  /** Matches that one plane or one rigid scene explains. */
  agreeing: number;
  matches: Match[];
}

function agreementOf(first: Plane, second: Plane): Agreement {
  const matches = matchFrames(first, second);
  const rng = random(matches.length * 5 + 1);
  const plane = ransac(matches, fitHomography, transferError, { sample: 4, threshold: 3, rounds: 200, rng });
  const most = plane?.inliers.length ?? 0;
  // Eight points always fit some epipolar geometry, and a line is easily hit, so it counts only far above chance.
  if (most >= 2 * SAME || matches.length < 3 * SAME) return { agreeing: most, matches };
  const rigid = ransac(matches, fitFundamental, sampsonError, { sample: 8, threshold: 1.5, rounds: 200, rng });
  const explained = rigid && rigid.inliers.length > 0.7 * matches.length ? rigid.inliers.length : 0;
  return { agreeing: Math.max(most, explained), matches };
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
