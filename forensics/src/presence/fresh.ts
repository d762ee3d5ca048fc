import { lumaOf } from '../pixels/luma.ts';
import type { Picture } from '../pixels/picture.ts';
import { areaResize } from '../pixels/resize.ts';
import { round } from '../pixels/round.ts';
import { momentsOf } from '../pixels/statistics.ts';
import { hasEvenTimes } from './even-times.ts';
import { standardQuality } from './standard-tables.ts';
import { type CheckResult, contradicted, failed, noAnswer, passed, type Session } from './trace.ts';

/** Allowed difference between the page's clock and the server's, ms. A phone's clock is set by its network. */
const CLOCK = 60_000;
/** A local time without its offset may be off by 14 hours; a day more allows for a phone that was never set right. */
const DAY = 24 * 3600_000;
const ZONE = 14 * 3600_000;
/** No camera of a phone films faster than 240 frames a second. */
const SHORTEST_INTERVAL = 4;
const LONGEST_INTERVAL = 1_500;
const FRAMES = { least: 12, most: 64 };
const DURATION = { least: 1_000, most: 40_000 };
/** Correlation of a thumbnail with its picture below which they show different things. Camera files have 0.95 and more. */
const SAME_PICTURE = 0.7;
/** Quality of the standard tables up to which a file with a camera's name was saved again by a program. */
const SAVED_AGAIN = 85;

const EDITORS =
  /photoshop|lightroom|gimp|snapseed|picsart|facetune|affinity|pixelmator|paint\.net|canva|remini|meitu|vsco/i;

/** Asks whether the trace was made for this challenge, and whether the still's own file agrees that it is new. */
export function checkFresh(session: Session): CheckResult {
  const { challenge, trace } = session;
  const begun = trace.beganAt - challenge.issuedAt;
  const intervals = trace.frames.slice(1).map(({ at }, i) => at - trace.frames[i].at);
  const duration = (trace.frames.at(-1)?.at ?? 0) - (trace.frames[0]?.at ?? 0);
  const evidence: CheckResult['evidence'] = {
    begun_after_ms: Math.round(begun),
    frames: trace.frames.length,
    duration_ms: Math.round(duration),
    shortest_ms: intervals.length > 0 ? round(Math.min(...intervals)) : null,
    longest_ms: intervals.length > 0 ? round(Math.max(...intervals)) : null,
    even_times: hasEvenTimes(trace.frames),
  };
  if (begun < -CLOCK) return contradicted('The trace began before the challenge was issued.', 0.99, evidence);
  if (trace.beganAt > challenge.expiresAt + CLOCK)
    return failed('The trace began after the challenge had expired.', 0.9, evidence);
  if (intervals.some(interval => !(interval > 0)))
    return contradicted('The times of the frames do not increase.', 0.99, evidence);
  if (intervals.some(interval => interval < SHORTEST_INTERVAL))
    return contradicted('Frames follow each other faster than a camera films.', 0.97, evidence);
  if (trace.frames.length < FRAMES.least || trace.frames.length > FRAMES.most)
    return noAnswer('The trace has too few or too many frames.', evidence);
  if (duration < DURATION.least || duration > DURATION.most || intervals.some(interval => interval > LONGEST_INTERVAL))
    return noAnswer('The trace is too short, too long or interrupted.', evidence);
  const doubt = doubtOfFile(session, trace.beganAt, evidence);
  if (doubt) return failed(doubt.words, doubt.probability, evidence);
  return passed(
    'The trace was made for this request, and nothing in the photo’s file says that the photo is older.',
    0.02,
    evidence,
  );
}

/** Asks the same of only a live photo's file. No answer unless the file speaks against it. */
export function checkFile(photo: Pick<Session, 'metadata' | 'thumbnail' | 'still'>, arrivedAt: number): CheckResult {
  const evidence: CheckResult['evidence'] = {};
  const doubt = doubtOfFile(photo, arrivedAt, evidence);
  return doubt
    ? failed(doubt.words, doubt.probability, evidence)
    : noAnswer('There is no film to compare the photo with.', evidence);
}

/** What the still's own file says against it. All of it can be forged, and a phone's clock may be wrong, so it is never a contradiction. */
function doubtOfFile(
  { metadata, thumbnail, still }: Pick<Session, 'metadata' | 'thumbnail' | 'still'>,
  takenAt: number,
  evidence: CheckResult['evidence'],
): { words: string; probability: number } | undefined {
  if (!metadata) return undefined;
  const { taken_at, gps_at, exif_size, size, software, make, quantization_hash } = metadata;
  if (taken_at) {
    const zoned = /(Z|[+-]\d\d:\d\d)$/.test(taken_at);
    const age = takenAt - Date.parse(zoned ? taken_at : `${taken_at}Z`);
    evidence.exif_age_hours = round(age / 3600_000);
    if (Math.abs(age) > DAY + (zoned ? 0 : ZONE))
      return { words: `The photo’s file says that it was taken on ${taken_at.slice(0, 10)}.`, probability: 0.95 };
  }
  if (gps_at) {
    const age = takenAt - Date.parse(gps_at);
    evidence.gps_age_hours = round(age / 3600_000);
    if (Math.abs(age) > DAY)
      return { words: `The satellite time in the photo’s file is ${gps_at.slice(0, 10)}.`, probability: 0.95 };
  }
  if (thumbnail) {
    const same = likeness(thumbnail, still);
    evidence.thumbnail_correlation = round(same);
    if (same < SAME_PICTURE)
      return { words: 'The thumbnail in the photo’s file shows another picture.', probability: 0.9 };
  }
  const editor = software && EDITORS.exec(software)?.[0];
  if (editor) return { words: `The photo’s file names an editor: ${software}.`, probability: 0.85 };
  if (exif_size && size && Math.max(exif_size.width, exif_size.height) !== Math.max(size.width, size.height))
    return { words: 'The photo was cropped or scaled after the camera had written its file.', probability: 0.7 };
  const quality = quantization_hash ? standardQuality(quantization_hash) : undefined;
  if (quality !== undefined) evidence.standard_quality = quality;
  if (quality !== undefined && quality <= SAVED_AGAIN && make)
    return { words: `A program saved the camera’s file again, at quality ${quality}.`, probability: 0.65 };
  return undefined;
}

/** Correlation of two pictures' luma at 24 x 24, whatever their proportions. */
function likeness(first: Picture, second: Picture): number {
  const { ab, aa, bb } = momentsOf(squareOf(first), squareOf(second));
  // Two even pictures are alike.
  return aa < 1 && bb < 1 ? 1 : ab / Math.sqrt(aa * bb + 1e-9);
}

const SQUARE = 24;

function squareOf(picture: Picture): Float32Array {
  const { width, height, data } = areaResize(picture, 4 * SQUARE);
  const luma = lumaOf(data, width * height);
  const sums = new Float32Array(SQUARE * SQUARE);
  const counts = new Float32Array(SQUARE * SQUARE);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = Math.floor((y * SQUARE) / height) * SQUARE + Math.floor((x * SQUARE) / width);
      sums[at] += luma[y * width + x];
      counts[at]++;
    }
  }
  return sums.map((sum, i) => sum / Math.max(1, counts[i]));
}
