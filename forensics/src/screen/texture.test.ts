import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { drawScene } from '../simulate/scene.ts';
import { measureTexture } from './texture.ts';

const [WIDTH, HEIGHT] = [900, 700];
const scene = drawScene(4, { width: WIDTH, height: HEIGHT });

function changed(change: (level: number, x: number, channel: number) => number): Picture {
  const data = scene.data.map((level, i) => change(level, Math.floor(i / 3) % WIDTH, i % 3));
  return { width: WIDTH, height: HEIGHT, data };
}

const furthest = (a: Float64Array, b: Float64Array): number => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

it('measureTexture gives the same 144 numbers for the same picture', () => {
  const first = measureTexture(scene);
  expect(first).toHaveLength(144);
  expect(first.every(Number.isFinite)).toBe(true);
  expect(measureTexture(scene)).toEqual(first);
});

it('measureTexture ignores slow changes of light and detects stripes of single pixels', () => {
  const plain = measureTexture(changed(level => 64 + level / 4));
  const lit = measureTexture(changed((level, x) => Math.round(64 + level / 4 + x / 20)));
  const striped = measureTexture(changed((level, x, channel) => 64 + level / 4 + (x % 3 === channel ? 20 : 0)));
  expect(furthest(striped, plain)).toBeGreaterThan(4 * furthest(lit, plain));
});

it('measureTexture reads every other place of a large picture', () => {
  // 3 x 3 places. The four that are read lie at the middle of each side; the corners and the centre do not count.
  const large = drawScene(5, { width: 1600, height: 1200 });
  const noisy = (x0: number, y0: number): Picture => {
    const data = large.data.slice();
    for (let y = y0; y < y0 + 256; y++)
      for (let x = x0; x < x0 + 256; x++)
        for (let c = 0; c < 3; c++) data[(y * 1600 + x) * 3 + c] ^= (x * 7 + y * 13) & 63;
    return { width: 1600, height: 1200, data };
  };
  const before = measureTexture(large);
  expect(furthest(measureTexture(noisy(672, 472)), before)).toBe(0);
  expect(furthest(measureTexture(noisy(672, 72)), before)).toBeGreaterThan(0.01);
});
