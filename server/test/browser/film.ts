import type { Move } from '@firsthand/contract/verification/presence.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawSensor, drawStage, drawVideo, handWay, type Way } from '@firsthand/forensics/simulate/film.ts';
import sharp from 'sharp';
import { cameraFileOf } from './chromium.ts';

/** Frames of the film a second: each stays for two of the 30 that the fake camera plays. */
const POSES_PER_FRAME = 4;
const REPEAT = 2;
/** The film has 640 x 480 pixels. */
const ZOOM = 4 / 3;

/** The film's moves, round and round. Each follows the one before at right angles, as those of a challenge do. */
export const ROUND: readonly Move[] = ['right', 'down', 'left', 'up'];

/** Whether somebody who moves as in the film makes these moves one after the other. */
export const isOnFilm = (moves: readonly string[]): boolean => [...ROUND, ...ROUND].join().includes(moves.join());

/**
 * Films a drawn room, with near and far things, from a hand that moves right, down, left and up, and plays it for ever as the fake camera: its
 * end joins its beginning.
 */
export async function roundFilm(path: string, seed = 4): Promise<string> {
  const way = closed(handWay(ROUND, random(seed)));
  const shot = { stage: drawStage(seed), way, sensor: { ...drawSensor(seed), jpegQuality: 92 } };
  const frames = await drawVideo(shot, ZOOM, POSES_PER_FRAME);
  const jpegs = await Promise.all(
    frames.map(({ width, height, data }) =>
      sharp(data, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 95 })
        .toBuffer(),
    ),
  );
  return cameraFileOf(path, jpegs, REPEAT);
}

/** Takes the way from the beginning to the end out of a way, evenly, so that it comes back to where it began. */
function closed({ position, turn }: Way): Way {
  const flat = (list: Way['turn']): Way['turn'] =>
    list.map((pose, i) => {
      const share = i / (list.length - 1);
      const at = (axis: 0 | 1 | 2) => pose[axis] - share * (list.at(-1)![axis] - list[0]![axis]);
      return [at(0), at(1), at(2)];
    });
  return { position: flat(position), turn: flat(turn) };
}
