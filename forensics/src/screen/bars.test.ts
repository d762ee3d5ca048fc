import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import { withoutBars } from './bars.ts';

const scene = drawScene(4, { width: 90, height: 120 });

/** The scene within black bars of these sizes, with a little noise. */
function within(above: number, below: number, left: number, right: number) {
  const { width, height } = scene;
  const [across, down] = [width + left + right, height + above + below];
  const data = Uint8Array.from({ length: 3 * across * down }, (_, i) => i % 17);
  for (let y = 0; y < height; y++)
    data.set(scene.data.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((y + above) * across + left));
  return { width: across, height: down, data };
}

it('withoutBars returns the picture between bars, above and below or to its sides', () => {
  const bar = fc.integer({ min: 10, max: 60 });
  fc.assert(
    fc.property(bar, bar, (one, other) => {
      expect(withoutBars(within(one, other, 0, 0))).toEqual(scene);
      expect(withoutBars(within(0, 0, one, other))).toEqual(scene);
    }),
  );
});

it('withoutBars leaves thin margins, dark pictures and pictures without bars alone', () => {
  expect(withoutBars(scene)).toBe(scene);
  const margin = within(3, 3, 2, 2);
  expect(withoutBars(margin)).toBe(margin);
  const night = { width: 40, height: 30, data: new Uint8Array(3 * 40 * 30).fill(9) };
  expect(withoutBars(night)).toBe(night);
});
