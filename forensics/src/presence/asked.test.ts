import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { areaResize } from '../pixels/resize.ts';
import { handWay, sample, straightWay, type Way } from '../simulate/film.ts';
import { drawScene } from '../simulate/scene.ts';
import { checkAsked } from './asked.ts';
import { type Path, pathOf } from './path.ts';
import { pyramidOf, register } from './register.ts';
import type { Move } from './trace.ts';

const MOVES: readonly Move[] = ['left', 'right', 'up', 'down'];
const OPPOSITE: Record<Move, Move> = { left: 'right', right: 'left', up: 'down', down: 'up' };
const PAIRS = MOVES.flatMap(first => MOVES.filter(second => second !== first).map(second => [first, second] as Move[]));

/** The path that a camera sees on a plane at distance 1, with a focal length of 0.8 of the longer side. */
function pathFrom({ position, turn }: Way, { registered = 1, frames = 24 } = {}): Path {
  const places = Array.from({ length: frames }, (_, i) => Math.round((i * (position.length - 1)) / (frames - 1)));
  const points = places.map(place => ({
    at: (place * 1000) / 60,
    x: 0.8 * (position[place]![0] + turn[place]![1]),
    y: 0.8 * (position[place]![1] - turn[place]![0]),
  }));
  return { steps: [], points, registered, ambiguous: 0 };
}

/** The same path as it looks where the fastest steps could not be registered. */
function withoutFastest({ points }: Path, lost = 3): Path {
  const ways = points.slice(1).map(({ x, y }, i) => ({ dx: points[i]!.x - x, dy: points[i]!.y - y }));
  const fastest = ways.toSorted((a, b) => Math.hypot(b.dx, b.dy) - Math.hypot(a.dx, a.dy)).slice(0, lost);
  const steps = ways.map(way => ({
    ...way,
    turn: 0,
    scale: 1,
    rival: -1,
    correlation: fastest.includes(way) ? 0.3 : 0.95,
  }));
  let [x, y] = [0, 0];
  const shown = points.map(({ at }, i) => {
    const step = steps[i - 1];
    if (step && step.correlation > 0.6) [x, y] = [x - step.dx, y - step.dy];
    return { at, x, y };
  });
  return { steps, points: shown, registered: 1 - lost / steps.length, ambiguous: 0 };
}

/** A chessboard that fills the picture of a camera pointing at a place, as shares of the longer side. */
function chessboard(x: number, y: number): Picture {
  const [width, height, square] = [320, 240, 0.075];
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [u, v] = [column / width + x, row / width + y];
      const white = (Math.floor(u / square) + Math.floor(v / square)) % 2 === 0;
      const at = (row * width + column) * 3;
      data.fill(white ? 210 : 40, at, at + 3);
    }
  return { width, height, data };
}

describe('checkAsked', () => {
  /** A hundred hands for each pair of moves. The same each time: a rate is what is promised, not that it never happens. */
  const hands = (salt: number) =>
    PAIRS.flatMap(moves =>
      Array.from({ length: 100 }, (_, n) => ({ moves, path: pathFrom(handWay(moves, random(n * 7_919 + salt))) })),
    );

  it('calls fewer than one in 200 hands that move as asked another film or a program', () => {
    const refused = hands(13).filter(({ moves, path }) => checkAsked(path, moves).passed === false);
    expect(refused.length).toBeLessThan(6);
  });

  it('passes nine hands of ten', () => {
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    const passed = seeds.filter(
      seed => checkAsked(pathFrom(handWay(['up', 'left'], random(seed))), ['up', 'left']).passed,
    );
    expect(passed.length).toBeGreaterThan(180);
  });

  it('passes a film of other moves or another order for one challenge in a thousand, and never one of the opposite moves', () => {
    const others = hands(5).flatMap(({ moves, path }) =>
      PAIRS.filter(asked => asked !== moves).map(asked => checkAsked(path, asked).passed),
    );
    expect(others.filter(passed => passed === true).length).toBeLessThan(others.length / 1_000);
    const made = handWay(['right', 'up'], random(3));
    expect(checkAsked(pathFrom(made), [OPPOSITE.right, OPPOSITE.up])).toMatchObject({
      passed: false,
      contradiction: true,
    });
  });

  it('fails nobody whose film ends after the first of the moves', () => {
    const failed = MOVES.flatMap(first =>
      MOVES.filter(second => second !== first).flatMap(second =>
        Array.from({ length: 50 }, (_, seed) => checkAsked(pathFrom(handWay([first], random(seed))), [first, second])),
      ),
    ).filter(({ passed }) => passed === false);
    expect(failed.length).toBeLessThan(3);
  });

  it('has no answer for other moves where a part of the path is unknown', () => {
    const made = handWay(['right', 'up'], random(3));
    expect(checkAsked(pathFrom(made, { registered: 0.95 }), [OPPOSITE.right, OPPOSITE.up])).toMatchObject({
      evaluated: false,
    });
  });

  it('passes no film that goes in all directions', () => {
    const made = handWay(['left', 'up', 'right', 'down', 'left', 'up', 'right'], random(5));
    for (const first of MOVES)
      for (const second of MOVES.filter(move => move !== first))
        expect(checkAsked(pathFrom(made), [first, second]).passed).not.toBe(true);
  });

  it('passes no film that rushes in all directions, so that its fastest steps are lost', () => {
    const passed = PAIRS.flatMap(asked =>
      Array.from({ length: 25 }, (_, seed) => {
        const made = handWay(['left', 'up', 'right', 'right', 'down', 'left', 'up'], random(seed));
        return checkAsked(withoutFastest(pathFrom(made, { frames: 20 })), asked).passed;
      }),
    );
    expect(passed.filter(pass => pass === true).length).toBeLessThan(passed.length / 20);
  });

  it('passes nine hands of ten whose fastest step was lost', () => {
    const seeds = Array.from({ length: 100 }, (_, seed) => seed);
    const passed = seeds.filter(seed => {
      const made = handWay(['up', 'left'], random(seed));
      return checkAsked(withoutFastest(pathFrom(made), 1), ['up', 'left']).passed;
    });
    expect(passed.length).toBeGreaterThan(90);
  });

  it('neither passes nor fails a path without tremor, because steadied phones make one too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PAIRS), fc.double({ min: 0.1, max: 0.3, noNaN: true }), (moves, far) => {
        const result = checkAsked(pathFrom(straightWay(moves, far)), moves);
        expect(result.evaluated).toBe(false);
        expect(result.evidence.explained).toBeGreaterThan(0.9);
      }),
    );
  });

  it('fails nobody who films a repeating pattern as asked', () => {
    for (const seed of [1, 2, 3, 4]) {
      const moves: Move[] = seed % 2 ? ['left', 'down'] : ['up', 'right'];
      // A slow phone: few frames, so that a step leads nearly to the next square.
      const { points } = pathFrom(handWay(moves, random(seed)), { frames: 14 });
      const frames = points.map(({ at, x, y }) => ({ at, picture: chessboard(2 * x, 2 * y) }));
      expect(checkAsked(pathOf(frames), moves).passed, `hand ${seed}`).not.toBe(false);
    }
  });

  it('has no answer when the frames cannot be followed or the camera rests', () => {
    expect(
      checkAsked(pathFrom(handWay(['up', 'left'], random(1)), { registered: 0.5 }), ['up', 'left']).evaluated,
    ).toBe(false);
    expect(checkAsked(pathFrom(straightWay(['up'], 0)), ['up']).evaluated).toBe(false);
  });
});

it('register finds shift, rotation and scale of a picture to a third of a percent', () => {
  const scene = drawScene(9, { width: 480, height: 360 });
  const first = pyramidOf(areaResize(scene, 320));
  const out = new Float64Array(3);
  for (const [dx, dy, turn, scale] of [
    [0.05, -0.03, 0.01, 1.01],
    [-0.12, 0.08, -0.04, 0.97],
    [0, 0, 0, 1],
  ] as const) {
    const data = new Uint8Array(480 * 360 * 3);
    for (let y = 0; y < 360; y++)
      for (let x = 0; x < 480; x++) {
        const [u, v] = [x + 0.5 - 240 - dx * 480, y + 0.5 - 180 - dy * 480];
        const [c, s] = [Math.cos(turn) / scale, Math.sin(turn) / scale];
        sample(scene, c * u + s * v + 240, c * v - s * u + 180, out);
        data.set(out, (y * 480 + x) * 3);
      }
    const found = register(first, pyramidOf({ width: 480, height: 360, data }));
    for (const [value, expected] of [
      [found.dx, dx],
      [found.dy, dy],
      [found.turn, turn],
      [found.scale, scale],
    ] as const)
      expect(Math.abs(value - expected)).toBeLessThan(0.0033);
  }
});
