import { expect, it } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import { measureContext } from './context.ts';

const small = (seed: number) => drawScene(seed, { width: 320, height: 213 });

it('measureContext gives the same 1,296 numbers for the same picture, others for another', () => {
  const first = measureContext(small(1));
  expect(first).toHaveLength(1296);
  expect(first.every(Number.isFinite)).toBe(true);
  expect(measureContext(small(1))).toEqual(first);
  const other = measureContext(small(2));
  expect(Math.max(...other.map((value, i) => Math.abs(value - first[i])))).toBeGreaterThan(0.1);
});

it('measureContext changes little with small level changes', () => {
  const picture = small(3);
  const before = measureContext(picture);
  const lighter = measureContext({ ...picture, data: picture.data.map(level => Math.min(255, level + 1)) });
  const change = Math.max(...lighter.map((value, i) => Math.abs(value - before[i])));
  expect(change).toBeGreaterThan(0);
  expect(change).toBeLessThan(1);
});
