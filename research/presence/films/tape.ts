import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { LEAST_FIT } from '../../../capture/src/camera/guide.ts';
import { type Outline, outlineOf, shiftBetween } from '../../../capture/src/camera/shift.ts';
import { fileOf, filesOf, type RealFilm } from './films.ts';
import type { Place, Walk } from './walk.ts';

/** Pictures a second that Chromium's fake camera plays. */
export const PLAYED = 30;
/** Longer side of the camera's picture at most, and of the pictures in which the path is measured. */
const LONGEST = 960;
const SMALL = 120;
/** Seconds of a film that are read. */
const MOST_SECONDS = 45;
/** A person holds the phone still before the first move and after the last, seconds. */
export const BEFORE = 17;
const AFTER = 12;
/** A hand at rest drifts back and forth over so many pictures of the film at most, and so far at most, as a share of the longer side. */
const DRIFT = { pictures: 4, way: 0.006 };

/** A film as JPEG pictures. Each is played `repeat` times, so that the film keeps its speed. */
export interface Tape {
  pictures: Buffer[];
  repeat: number;
}

/** Reads the first seconds of a film, with even sides as the fake camera wants them. */
export async function tapeOf(film: RealFilm, clones: string, cache: string): Promise<Tape> {
  if (film.numbers) {
    const files = filesOf(film, clones);
    const { width = 2, height = 2 } = await sharp(files[0]).metadata();
    const scale = Math.min(1, LONGEST / Math.max(width, height));
    const even = (side: number): number => 2 * Math.round((side * scale) / 2);
    const pictures = await Promise.all(
      files.map(file =>
        sharp(file).resize(even(width), even(height), { fit: 'fill' }).jpeg({ quality: 95 }).toBuffer(),
      ),
    );
    return { pictures, repeat: Math.round(PLAYED / Number(film.rate)) };
  }
  const size = `scale=w='min(iw,${LONGEST})':h='min(ih,${LONGEST})':force_original_aspect_ratio=decrease:force_divisible_by=2`;
  const made = spawnSync(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-i', fileOf(film, clones, cache), '-t', String(MOST_SECONDS)],
      ...[
        '-vf',
        `fps=${PLAYED},${size}`,
        '-c:v',
        'mjpeg',
        '-q:v',
        '2',
        '-pix_fmt',
        'yuvj420p',
        '-f',
        'image2pipe',
        '-',
      ],
    ],
    { maxBuffer: 1 << 30 },
  );
  return { pictures: jpegsOf(made.stdout), repeat: 1 };
}

/** Cuts a stream of JPEG files where each begins. */
export function jpegsOf(stream: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  const mark = Buffer.from([0xff, 0xd8, 0xff]);
  for (let from = stream.indexOf(mark); from >= 0; ) {
    const next = stream.indexOf(mark, from + 3);
    parts.push(stream.subarray(from, next < 0 ? stream.length : next));
    from = next;
  }
  return parts;
}

/** Measures where the camera points in each `step`th picture, as the page measures it: a person looks at the page's bar. */
export async function placesOf({ pictures }: Tape, step: number): Promise<Place[]> {
  const places: Place[] = [];
  let before: Outline | undefined;
  for (let i = 0; i < pictures.length; i += step) {
    const { data, info } = await sharp(pictures[i])
      .resize(SMALL, SMALL, { fit: 'inside' })
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const outline = outlineOf({ width: info.width, height: info.height, data: Float32Array.from(data) });
    const { x, y, fit } = before ? shiftBetween(before, outline) : { x: 0, y: 0, fit: 1 };
    const { x: px, y: py } = places.at(-1) ?? { x: 0, y: 0 };
    places.push(fit < LEAST_FIT ? { x: px, y: py } : { x: px - x, y: py - y });
    before = outline;
  }
  return places;
}

/**
 * The pictures that a camera sees while a person holds the phone still, walks, and holds it still again.
 *
 * @param walk indexes of `places`
 * @param step pictures from one place to the next
 */
export function played({ pictures, repeat }: Tape, walk: Walk, places: readonly Place[], step: number): Buffer[] {
  const order: number[] = [];
  const rest = (place: number, seconds: number): number[] => {
    const direction = place + 2 < places.length ? 1 : -1;
    const near = [1, 2].filter(i => {
      const [a, b] = [places[place]!, places[place + direction * i]!];
      return Math.hypot(b.x - a.x, b.y - a.y) <= DRIFT.way;
    });
    const reach = Math.min(DRIFT.pictures, near.length * step);
    // Every picture stays for two, so that a hand at rest is slower than one that moves.
    return Array.from({ length: Math.round((seconds * PLAYED) / (2 * repeat)) }, (_, i) => {
      const away = reach === 0 ? 0 : reach - Math.abs(reach - (i % (2 * reach)));
      return place * step + direction * away;
    }).flatMap(i => [i, i]);
  };
  // The drift before the walk ends where the walk begins.
  order.push(...rest(walk[0]!, BEFORE).toReversed());
  for (const [i, from] of walk.slice(0, -1).entries()) {
    const to = walk[i + 1]!;
    const direction = Math.sign(to - from);
    for (let at = from * step; at !== to * step; at += direction) order.push(at);
  }
  order.push(...rest(walk.at(-1)!, AFTER));
  return order.flatMap(i => Array.from({ length: repeat }, () => pictures[i]!));
}
