import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { random as seeded } from '../pixels/random.ts';
import { mean } from '../pixels/statistics.ts';
import { boxResize } from './landscape.ts';

it('boxResize keeps the mean of every channel, and a picture of the size asked for', () => {
  const side = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(side, side, side, side, fc.infiniteStream(fc.nat(255)), (w, h, width, height, levels) => {
      const data = Uint8Array.from({ length: w * h * 3 }, () => levels.next().value);
      const { data: resized } = boxResize({ width: w, height: h, data }, width, height);
      for (let c = 0; c < 3; c++) {
        const channel = (values: Uint8Array): number => mean([...values.filter((_, i) => i % 3 === c)]);
        expect(Math.abs(channel(resized) - channel(data))).toBeLessThanOrEqual(0.5 + 1e-3);
      }
      expect(boxResize({ width: w, height: h, data }, w, h).data).toEqual(data);
    }),
  );
});

it.each([
  [20_001, 3, 480, 2],
  [9_000, 5, 700, 4],
  [1_500, 4, 480, 3],
])('boxResize averages a picture of %i x %i, wider than the buffers or not, to %i x %i', (w, h, width, height) => {
  const random = seeded(w).uniform;
  const data = Uint8Array.from({ length: w * h * 3 }, () => random() * 256);
  const resized = boxResize({ width: w, height: h, data }, width, height);
  const expected = byDefinition({ width: w, height: h, data }, width, height);
  // Sums have 24 bits: a mean near a half may be rounded either way.
  expect(Math.max(...resized.data.map((level, i) => Math.abs(level - expected[i]!)))).toBeLessThanOrEqual(0.51);
});

/** Returns the mean over each box, not rounded. */
function byDefinition({ width: w, height: h, data }: Picture, width: number, height: number): number[] {
  const share = (at: number, box: number, ratio: number): number =>
    Math.max(0, Math.min(at + 1, (box + 1) * ratio) - Math.max(at, box * ratio)) / ratio;
  return Array.from({ length: width * height * 3 }, (_, i) => {
    const [x, y, c] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width), i % 3];
    let sum = 0;
    for (let v = Math.floor((y * h) / height); v < Math.min(h, ((y + 1) * h) / height); v++)
      for (let u = Math.floor((x * w) / width); u < Math.min(w, ((x + 1) * w) / width); u++)
        sum += share(u, x, w / width) * share(v, y, h / height) * data[(v * w + u) * 3 + c]!;
    return sum;
  });
}
