import { spawnSync } from 'node:child_process';
import { imageOf, jpegOf } from '@firsthand/forensics/pixels/image.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { checkAsked } from '@firsthand/forensics/presence/asked.ts';
import { pathOf } from '@firsthand/forensics/presence/path.ts';
import type { Move, Session } from '@firsthand/forensics/presence/trace.ts';
import sharp from 'sharp';
import { fileOf, filesOf, type RealFilm } from './films.ts';
import { jpegsOf } from './tape.ts';

/** Frames of a trace, its length and the pauses between photo and trace and before the second photo, ms. The page films from the photo on. */
const FRAMES = 24;
const LENGTH = 3_600;
const AT_ONCE = 34;
const PAUSE = 250;
/** Traces of a film at most, so that a long film does not outweigh the others. */
const MOST = 4;
/** Assumed time between two pictures of a burst, ms: the true one is unknown. */
const BURST_INTERVAL = 180;
const LONGEST = 480;
const CROPS = 6;
const CROP = 256;
/** The camera went at least this far from where it began, as a share of the longer side: twice what a move asks for. */
const LEAST_REACH = 0.07;
const MOVES: readonly Move[] = ['left', 'right', 'up', 'down'];

export interface RealTrace {
  session: Session;
  /** Whether the camera moved so much that a page would have called the moves done. */
  moved: boolean;
}

interface Shot {
  at: number;
  picture: Picture;
}

/** Cuts a film into traces. The photo is a frame of its own before the trace; the challenge asks for the moves that the film makes. */
export async function* tracesOf(film: RealFilm, clones: string, cache: string): AsyncGenerator<RealTrace> {
  for await (const shots of film.numbers ? ofSeries(film, clones) : ofFilm(film, clones, cache)) {
    const [photo, ...rest] = shots;
    const last = rest.pop()!;
    const frames = await Promise.all(rest.map(async ({ at, picture }) => ({ at, picture: await small(picture) })));
    const trace = {
      beganAt: 8_000,
      frames,
      videoWidth: photo!.picture.width,
      crops: await cropsOf(rest.map(({ picture }) => picture)),
      motion: [],
      motionAbsence: 'silent' as const,
    };
    const path = pathOf(frames);
    const reach = Math.max(...path.points.map(({ x, y }) => Math.hypot(x - path.points[0]!.x, y - path.points[0]!.y)));
    yield {
      moved: reach >= LEAST_REACH,
      session: {
        challenge: { moves: movesOf(path), issuedAt: 0, expiresAt: 120_000 },
        trace,
        still: await recoded(photo!.picture, 92),
        second: await recoded(last.picture, 92),
      },
    };
  }
}

/** A second move is asked for only where the film makes one of this size, as a share of the longer side. */
const SECOND_MOVE = 0.05;

/** Returns the one or two moves that the path makes most clearly. */
function movesOf(path: ReturnType<typeof pathOf>): Move[] {
  const size = (moves: Move[]): number => Number(checkAsked(path, moves).evidence.least_move ?? 0);
  const clearest = (choices: Move[][]): Move[] =>
    choices.reduce((best, moves) => (size(moves) > size(best) ? moves : best));
  const two = clearest(MOVES.flatMap(first => MOVES.filter(second => second !== first).map(second => [first, second])));
  return size(two) >= SECOND_MOVE ? two : clearest(MOVES.map(move => [move]));
}

function* starts(duration: number): Generator<number> {
  const room = duration - LENGTH - 2 * PAUSE;
  const count = Math.min(MOST, Math.floor(room / LENGTH) + 1);
  for (let i = 0; i < count; i++) yield count === 1 ? 0 : (room * i) / (count - 1);
}

async function* ofFilm(film: RealFilm, clones: string, cache: string): AsyncGenerator<Shot[]> {
  const file = fileOf(film, clones, cache);
  const probed = spawnSync('ffprobe', [
    ...['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'format=duration', '-of', 'csv=p=0'],
    file,
  ]);
  for (const start of starts(1000 * Number(probed.stdout)))
    if (start >= 0) {
      const taken = [PAUSE - AT_ONCE, ...timesOf(0, FRAMES), LENGTH + 2 * PAUSE];
      const shots = await decoded(file, start);
      // A film shorter than it says ends with fewer pictures.
      if (shots.length < 2 * FRAMES) continue;
      yield taken.map(at => nearest(shots, at));
    }
}

const timesOf = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + PAUSE + (i * LENGTH) / (count - 1));

const nearest = (shots: Shot[], at: number): Shot =>
  shots.reduce((best, shot) => (Math.abs(shot.at - at) < Math.abs(best.at - at) ? shot : best));

/** Decodes what a trace needs, at the film's own resolution and 30 pictures a second. */
async function decoded(file: string, start: number): Promise<Shot[]> {
  const seconds = (LENGTH + 3 * PAUSE) / 1000;
  const made = spawnSync(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-ss', String(start / 1000), '-i', file, '-t', String(seconds)],
      ...['-vf', 'fps=30', '-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', '-f', 'image2pipe', '-'],
    ],
    { maxBuffer: 1 << 29 },
  );
  const shots: Shot[] = [];
  for (const [i, jpeg] of jpegsOf(made.stdout).entries())
    shots.push({ at: (i * 1000) / 30, picture: await read(jpeg) });
  return shots;
}

async function* ofSeries(film: RealFilm, clones: string): AsyncGenerator<Shot[]> {
  const files = filesOf(film, clones);
  const rate = Number(film.rate);
  const burst = rate < 20;
  const step = burst ? 1 : LENGTH / (FRAMES - 1) / (1000 / rate);
  const pictures = burst ? 20 : FRAMES;
  const whole = Math.ceil(step * (pictures + 1)) + 1;
  const count = Math.min(MOST, Math.floor(files.length / whole));
  for (let i = 0; i < count; i++) {
    const from = count === 1 ? 0 : Math.floor(((files.length - whole) * i) / (count - 1));
    const shots: Shot[] = [];
    for (let k = 0; k < pictures + 2; k++) {
      const at = burst ? k * BURST_INTERVAL : Math.round(k * step) * (1000 / rate);
      shots.push({ at, picture: await read(files[from + Math.round(k * step)]!) });
    }
    yield shots;
  }
}

async function read(file: Buffer): Promise<Picture> {
  const { data, info } = await sharp(file)
    .resize(1280, 1280, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

async function recoded(picture: Picture, quality: number): Promise<Picture> {
  return read(await jpegOf(picture, quality));
}

async function small(picture: Picture): Promise<Picture> {
  const jpeg = imageOf(picture).resize(LONGEST, LONGEST, { fit: 'inside', withoutEnlargement: true });
  return read(await jpeg.jpeg({ quality: 75 }).toBuffer());
}

/** The middle of some frames at full resolution; none where the film is hardly larger than the small frames. */
async function cropsOf(pictures: Picture[]): Promise<Session['trace']['crops']> {
  const { width, height } = pictures[0]!;
  if (Math.max(width, height) < 1.5 * LONGEST || Math.min(width, height) < CROP) return [];
  const [x, y] = [(width - CROP) >> 1, (height - CROP) >> 1];
  return Promise.all(
    Array.from({ length: CROPS }, async (_, i) => {
      const frame = Math.round((i * (pictures.length - 1)) / (CROPS - 1));
      const cut = imageOf(pictures[frame]!).extract({
        left: x,
        top: y,
        width: CROP,
        height: CROP,
      });
      return { frame, x, y, picture: await read(await cut.jpeg({ quality: 92 }).toBuffer()) };
    }),
  );
}
