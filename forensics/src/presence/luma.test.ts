import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lumaOf } from '../pixels/luma.ts';
import { random } from '../pixels/random.ts';
import { areaResize } from '../pixels/resize.ts';
import { frameLuma, shrunkTo } from './luma.ts';

it('shrunkTo gives the luma of the shrunk picture, apart from the rounding of its colours', () => {
  const side = fc.integer({ min: 1, max: 70 });
  fc.assert(
    fc.property(side, side, side, fc.integer(), (width, height, longest, seed) => {
      const rng = random(seed);
      const data = Uint8Array.from({ length: width * height * 3 }, () => rng.uniform(0, 256));
      const picture = { width, height, data };
      const small = areaResize(picture, longest);
      const shrunk = shrunkTo(frameLuma(picture), longest);
      expect([shrunk.width, shrunk.height]).toEqual([small.width, small.height]);
      const expected = lumaOf(small.data, small.width * small.height);
      expect(shrunk.data.every((value, i) => Math.abs(value - expected[i]!) <= 0.5001)).toBe(true);
    }),
  );
});

it('shrunkTo does not change the luma of the frame', () => {
  const picture = { width: 2, height: 1, data: Uint8Array.from([9, 9, 9, 200, 200, 200]) };
  shrunkTo(frameLuma(picture), 2).data.fill(0);
  expect(frameLuma(picture).data[0]).toBeCloseTo(9);
});
