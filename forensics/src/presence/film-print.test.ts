import { describe, expect, it } from 'vitest';
import { random } from '../pixels/random.ts';
import { COPIES } from '../simulate/copies.ts';
import { drawFilm, drawSensor, drawStage, handWay } from '../simulate/film.ts';
import { agreement, type FilmPrint, filedKeys, filmPrint, isSameFilm, LEAST_BITS, soughtKeys } from './film-print.ts';
import { pathOf } from './path.ts';
import type { Move, TraceFrame } from './trace.ts';

const MOVES: Move[] = ['right', 'up'];
const SEED = 105;
const filmed = async (hand: number, sensor = SEED): Promise<TraceFrame[]> => {
  const way = handWay(MOVES, random(hand));
  return (await drawFilm({ stage: drawStage(SEED), way, sensor: drawSensor(sensor) })).trace.frames;
};
const printOf = (frames: readonly TraceFrame[]): FilmPrint => filmPrint(pathOf(frames))!;
const shared = (earlier: FilmPrint, later: FilmPrint): number => {
  const filed = new Set(filedKeys(earlier));
  return soughtKeys(later).filter(key => filed.has(key)).length;
};

describe('filmPrint', async () => {
  const frames = await filmed(SEED);
  const print = printOf(frames);

  it('is 6 bytes for each step between frames', () => {
    expect(print).toHaveLength(6 * (frames.length - 1));
  });

  it('is undefined for a camera at rest, and for one that moves evenly', () => {
    expect(filmPrint(pathOf(frames.map(({ at }) => ({ at, picture: frames[0]!.picture }))))).toBeUndefined();
    const even = { dx: 0.02, dy: 0.001, turn: 0, scale: 1, correlation: 0.9, rival: -1 };
    expect(filmPrint({ steps: Array.from({ length: 30 }, () => even) })).toBeUndefined();
  });

  /** Where these change the picture, the registration may follow nearer or farther things: `bench/results/film-prints.md` says how often. */
  const UNSURE = /cropped|left out/;
  // Each is found in the index, too.
  it.each(Object.keys(COPIES).filter(how => !UNSURE.test(how)))('knows a copy again: %s', async how => {
    const copy = printOf(await COPIES[how as keyof typeof COPIES](frames));
    expect(agreement(print, copy)).toBeGreaterThan(LEAST_BITS);
    expect(shared(print, copy)).toBeGreaterThan(0);
  });

  it('tells apart the films of one phone and hand, at one scene, with the same moves', async () => {
    const others = [printOf(await filmed(SEED + 1)), printOf(await filmed(SEED + 2))];
    for (const other of others)
      for (const pair of [
        [print, other],
        [other, print],
      ] as const)
        expect(agreement(...pair)).toBeLessThan(LEAST_BITS / 2);
  });

  it('tells apart the ways of 120 hands', () => {
    const prints = Array.from({ length: 120 }, (_, seed) => filmPrint({ steps: stepsOf(seed) })!);
    const same: string[] = [];
    for (const [i, first] of prints.entries())
      for (const [k, second] of prints.slice(0, i).entries()) if (isSameFilm(first, second)) same.push(`${i} and ${k}`);
    expect(same).toEqual([]);
    expect(isSameFilm(prints[0]!, prints[0]!)).toBe(true);
  });
});

/** The steps of a picture's centre along a hand's way, as a film of 20 frames shows them. */
function stepsOf(seed: number) {
  const { position, turn } = handWay(MOVES, random(seed));
  const places = Array.from({ length: 20 }, (_, i) => Math.floor((i * (position.length - 1)) / 19));
  const points = places.map(at => [position[at]![0] + turn[at]![1], position[at]![1] - turn[at]![0], turn[at]![2]]);
  return points.slice(1).map((point, i) => {
    const [dx, dy, turned] = point.map((value, axis) => points[i]![axis]! - value) as [number, number, number];
    return { dx, dy, turn: turned, scale: 1, correlation: 0.9, rival: -1 };
  });
}
