import { type Match, matchFrames } from '@firsthand/forensics/motion/match.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import type { Move } from '@firsthand/forensics/presence/trace.ts';
import { drawFilm, drawSensor, drawStage, FRAME, handWay, type Way } from '@firsthand/forensics/simulate/film.ts';
import { GRID, planeOf, shiftsFrom } from './old-stills.ts';
import { viewBy } from './programs.ts';
import { type Attack, answered } from './session.ts';

/** Every two moves at a right angle are a part of this round, played forward or backward. */
const ROUND: readonly Move[] = ['right', 'down', 'left', 'up'];
const BACK: Record<Move, Move> = { left: 'right', right: 'left', up: 'down', down: 'up' };
/** Poses of the rest before the first move, 60 a second. */
const LEAD = 12;

/**
 * One film of the real scene, made before anything was asked: the hand goes round once. A program plays the part that makes the asked moves, forward
 * or backward, faster here and slower there, with a rest before it.
 */
export const timeWarped: Attack = {
  name: 'one film of a round, a part of it played in another time to fit the moves, rates computed from its path',
  kind: 'injected',
  async make(seed, moves) {
    const way = playedTo(moves, seed);
    return answered(await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};

function playedTo(moves: readonly Move[], seed: number): Way {
  const rng = random(seed);
  // Twice round, so that a part may begin in the last move.
  const parts = [...ROUND, ...ROUND];
  const forward = indexOf(parts, moves);
  const backward = moves.map(move => BACK[move]).reverse();
  const first = forward >= 0 ? forward : indexOf(parts, backward);
  if (first < 0) throw new Error(`no part of the round makes ${moves.join(', ')}`);
  const until = handWay(parts.slice(0, first), random(seed + 31)).position.length;
  const whole = handWay(parts.slice(0, first + moves.length), random(seed + 31));
  const poses = whole.position.map((position, i) => ({ position, turn: whole.turn[i]! }));
  // The part begins at the end of the rest before its first move.
  const part = poses.slice(Math.max(0, until - LEAD));
  if (forward < 0) part.reverse();
  const played: typeof part = [];
  const [swing, phase] = [rng.uniform(0.15, 0.3), rng.uniform(0, 6)];
  for (let at = 0; at < part.length - 1; at += 1 + swing * Math.sin(phase + (5 * at) / part.length))
    played.push(part[Math.round(at)]!);
  const [origin] = played;
  return {
    // The photo is taken where the part begins.
    position: played.map(
      ({ position }) => position.map((v, axis) => v - origin!.position[axis]!) as Way['position'][number],
    ),
    turn: played.map(({ turn }) => turn.map((v, axis) => v - origin!.turn[axis]!) as Way['turn'][number]),
  };
}

const indexOf = (round: readonly Move[], moves: readonly Move[]): number =>
  round.findIndex((_, i) => moves.every((move, k) => round[i + k] === move));

/** Where the second photograph was taken, as a share of the distance to the subject. */
const BESIDE = 0.12;

/**
 * Two photographs of the real scene, taken beside each other. What moved further between them is nearer: between matched points the depth is
 * interpolated, and the first is warped by it along a hand's path. No depth network, and the depth is true.
 */
export const twoStills: Attack = {
  name: 'two stills of the scene, the film computed from their depth, crops of a sensor and rates of the path',
  kind: 'injected',
  async make(seed, moves) {
    const stage = drawStage(seed);
    const sensor = drawSensor(seed);
    const photo = async (x: number): Promise<Picture> => {
      const way: Way = {
        position: [
          [0, 0, 0],
          [x, 0, 0],
        ],
        turn: [
          [0, 0, 0],
          [0, 0, 0],
        ],
      };
      return (await drawFilm({ stage, way, sensor: { ...sensor, pattern: 0 }, frames: 2 })).second;
    };
    const [first, second] = [await photo(0), await photo(BESIDE)];
    const view = viewBy(depthFrom(first, second), first);
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage, view, way, sensor, gyroscope: true }), moves);
  },
};

function depthFrom(first: Picture, second: Picture): Float32Array {
  const { width, height } = FRAME;
  const [a, b] = [first, second].map(photo => planeOf(areaResize(photo, width)));
  // A camera that goes right sees everything go left.
  const matches = matchFrames(a!, b!).filter(({ x0, y0, x1, y1 }: Match) => Math.abs(y1 - y0) < 3 && x1 < x0 + 1);
  if (matches.length < 8) throw new Error('the two photographs could not be matched');
  const shifts = shiftsFrom(matches, Math.ceil(width / GRID) + 2, Math.ceil(height / GRID) + 2);
  const map = Float32Array.from({ length: width * height }, (_, i) => -shifts(i % width, Math.floor(i / width))[0]);
  const far = map.toSorted()[Math.floor(0.1 * map.length)]!;
  return map.map(value => Math.max(0.8, Math.min(2.5, value / Math.max(1, far))));
}
