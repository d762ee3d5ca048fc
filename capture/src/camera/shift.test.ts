import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Grey } from '../hints/grey.ts';
import { outlineOf, shiftBetween } from './shift.ts';

const [WIDTH, HEIGHT] = [120, 90];

/** A scene of soft blobs that repeats nowhere, seen from a place in pixels. */
function scene(seed: number, left: number, top: number, light = 1): Grey {
  const blobs = Array.from({ length: 60 }, (_, i) => {
    const draw = (salt: number) => {
      const value = Math.sin((i + 1) * 12.9898 + salt * 78.233 + seed) * 43758.5453;
      return value - Math.floor(value);
    };
    return { x: draw(1) * 220 - 50, y: draw(2) * 180 - 45, size: 4 + 9 * draw(3), tone: 160 * draw(4) - 80 };
  });
  const data = new Float32Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      let value = 110;
      for (const blob of blobs) {
        const distance = ((x + left - blob.x) ** 2 + (y + top - blob.y) ** 2) / blob.size ** 2;
        if (distance < 9) value += blob.tone * Math.exp(-distance);
      }
      data[y * WIDTH + x] = light * Math.max(0, Math.min(255, value));
    }
  }
  return { width: WIDTH, height: HEIGHT, data };
}

test('shiftBetween finds the shift in both directions to a tenth of the way and half a pixel, also when the light changes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.double({ min: -16, max: 16, noNaN: true }),
      fc.double({ min: -12, max: 12, noNaN: true }),
      fc.double({ min: 0.7, max: 1.3, noNaN: true }),
      (seed, dx, dy, light) => {
        const found = shiftBetween(outlineOf(scene(seed, 0, 0)), outlineOf(scene(seed, dx, dy, light)));
        // The content goes the other way than the camera.
        const bound = 0.5 + 0.1 * Math.hypot(dx, dy);
        expect(Math.abs(found.x * WIDTH + dx)).toBeLessThan(bound);
        expect(Math.abs(found.y * WIDTH + dy)).toBeLessThan(bound);
        expect(found.fit).toBeGreaterThan(0.7);
      },
    ),
    { numRuns: 40 },
  );
});

test('shiftBetween is 0 and fits nothing for pictures without structure', () => {
  const flat = outlineOf({ width: WIDTH, height: HEIGHT, data: new Float32Array(WIDTH * HEIGHT).fill(90) });
  expect(shiftBetween(flat, flat)).toEqual({ x: 0, y: 0, fit: 0 });
  expect(flat.detail).toBe(0);
});

test('shiftBetween fits two different scenes badly, and one scene to itself well', () => {
  const [one, other] = [outlineOf(scene(3, 0, 0)), outlineOf(scene(77, 0, 0))];
  expect(shiftBetween(one, other).fit).toBeLessThan(0.45);
  expect(shiftBetween(one, one)).toMatchObject({ x: 0, y: 0 });
  expect(shiftBetween(one, one).fit).toBeGreaterThan(0.9);
});
