import { expect, test } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { testAliasing } from './aliasing.ts';
import type { Matrix3 } from './geometry.ts';
import { LEAST_MOIRE } from './signal.ts';

const SIZE = { width: 640, height: 520 };
/** The transform from the first frame to the second: a small rotation, scale and shift. */
const TURN = 0.03;
const SCALE = 1.04;
const MOVE: Matrix3 = [
  SCALE * Math.cos(TURN),
  -SCALE * Math.sin(TURN),
  14,
  SCALE * Math.sin(TURN),
  SCALE * Math.cos(TURN),
  -9,
  0,
  0,
  1,
];

/** Draws noise plus a wave of `amplitude` grey levels. `wave` returns its phase at a pixel, in radians. */
function drawn(seed: number, amplitude: number, wave: (x: number, y: number) => number): Picture {
  const rng = random(seed);
  const data = new Uint8Array(SIZE.width * SIZE.height * 3);
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      const value = 128 + 6 * rng.normal() + amplitude * Math.cos(wave(x, y));
      data.fill(Math.max(0, Math.min(255, Math.round(value))), (y * SIZE.width + x) * 3, (y * SIZE.width + x) * 3 + 3);
    }
  }
  return { ...SIZE, data };
}

const KX = 0.7;
const KY = 0.45;
const first = drawn(1, 8, (x, y) => KX * x + KY * y);

test('testAliasing finds that a pattern of the subject moves with it', () => {
  // A pixel of the second frame has the phase of the place it shows.
  const [a, b, tx, c, d, ty] = MOVE as [number, number, number, number, number, number];
  const determinant = a * d - b * c;
  const second = drawn(2, 8, (x, y) => {
    const [u, v] = [x - tx, y - ty];
    return (KX * (d * u - b * v)) / determinant + (KY * (a * v - c * u)) / determinant;
  });
  const found = testAliasing(first, second, MOVE);
  expect(found.tiles).toBeGreaterThan(2);
  expect(found).toMatchObject({ tiles_moved_rightly: found.tiles, tiles_moved_wrongly: 0, strength: 0 });
});

test('testAliasing calls a pattern moire when its frequency changes differently', () => {
  const second = drawn(3, 8, (x, y) => 0.5 * x - 0.6 * y);
  const found = testAliasing(first, second, MOVE);
  expect(found).toMatchObject({ tiles_moved_rightly: 0, tiles_moved_wrongly: found.tiles });
  expect(found.strength).toBeGreaterThan(LEAST_MOIRE);
});

test('testAliasing ignores a pattern in only one frame, noise, and small pictures', () => {
  const plain = drawn(4, 0, () => 0);
  expect(testAliasing(first, plain, MOVE)).toMatchObject({ tiles_moved_wrongly: 0, strength: 0 });
  expect(
    testAliasing(
      plain,
      drawn(5, 0, () => 0),
      MOVE,
    ),
  ).toMatchObject({ tiles_moved_wrongly: 0, strength: 0 });
  const small = { width: 64, height: 48, data: new Uint8Array(64 * 48 * 3) };
  expect(testAliasing(small, small, [1, 0, 0, 0, 1, 0, 0, 0, 1])).toMatchObject({ tiles: 0, strength: 0 });
});

test('testAliasing does not compare frames of different places', () => {
  expect(testAliasing(first, first, [1, 0, 5000, 0, 1, 0, 0, 0, 1]).tiles).toBe(0);
});
