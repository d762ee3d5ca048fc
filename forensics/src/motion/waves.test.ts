import { expect, test } from 'vitest';
import { random } from '../pixels/random.ts';
import type { Plane } from './corners.ts';
import type { Matrix3 } from './geometry.ts';
import { compareWaves } from './waves.ts';

const SIZE = { width: 640, height: 520 };
/** The transform from the first frame to the second: a small rotation, scale and shift. */
const [A, B, TX, C, D, TY] = [
  1.04 * Math.cos(0.03),
  -1.04 * Math.sin(0.03),
  14,
  1.04 * Math.sin(0.03),
  1.04 * Math.cos(0.03),
  -9,
];
const MOVE: Matrix3 = [A, B, TX, C, D, TY, 0, 0, 1];
const DETERMINANT = A * D - B * C;
/** Where the first frame has what a pixel of the second shows. */
const back = (x: number, y: number): [number, number] => [
  (D * (x - TX) - B * (y - TY)) / DETERMINANT,
  (A * (y - TY) - C * (x - TX)) / DETERMINANT,
];

/** A scene of many directions and sizes, the finer the fainter. */
const PARTS = (() => {
  const rng = random(5);
  return Array.from({ length: 60 }, () => {
    const [frequency, angle] = [rng.logUniform(0.04, 0.9), rng.uniform(0, Math.PI)];
    const [kx, ky] = [frequency * Math.cos(angle), frequency * Math.sin(angle)];
    return { kx, ky, phase: rng.uniform(0, 6.28), high: 0.7 / frequency };
  });
})();

/** Draws what moves with the scene (`at`: where it is in the first frame), a wave of 8 grey levels, and noise. */
function drawn(
  seed: number,
  at: (x: number, y: number) => [number, number],
  wave: (x: number, y: number) => number,
): Plane {
  const rng = random(seed);
  const data = new Float32Array(SIZE.width * SIZE.height);
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      const [u, v] = at(x, y);
      const scene = PARTS.reduce((sum, { kx, ky, phase, high }) => sum + high * Math.cos(kx * u + ky * v + phase), 0);
      data[y * SIZE.width + x] = 128 + scene + 8 * Math.cos(wave(x, y)) + 3 * rng.normal();
    }
  }
  return { ...SIZE, data };
}

const here = (x: number, y: number): [number, number] => [x, y];
const cloth = (x: number, y: number): number => 1.4 * x + 0.9 * y;
const first = drawn(1, here, cloth);

test('compareWaves finds no other wave in a moved cloth, and other waves where its frequency does not follow the camera', () => {
  const threads = compareWaves(
    first,
    drawn(2, back, (x, y) => cloth(...back(x, y))),
    MOVE,
  );
  expect(threads.blocks).toBeGreaterThan(100);
  expect(threads.differ).toBe(0);
  const moire = compareWaves(
    first,
    drawn(3, back, (x, y) => 1.1 * x - 1.2 * y),
    MOVE,
  );
  expect(moire.differ).toBeGreaterThan(100);
});

test('compareWaves finds nothing in a wave that only one frame has, in frames without detail, small frames and other places', () => {
  const plain = drawn(4, back, () => 0);
  const flat = { ...SIZE, data: new Float32Array(SIZE.width * SIZE.height).fill(90) };
  const small = { width: 40, height: 30, data: new Float32Array(1200) };
  const away: Matrix3 = [1, 0, 5000, 0, 1, 0, 0, 0, 1];
  expect(compareWaves(first, plain, MOVE).differ).toBe(0);
  expect(compareWaves(flat, flat, MOVE).differ).toBe(0);
  expect(compareWaves(small, small, MOVE).blocks).toBe(0);
  expect(compareWaves(first, first, away).blocks).toBe(0);
});
