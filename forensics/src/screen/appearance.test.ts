import { expect, it } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import { measureAppearance } from './appearance.ts';

it('measureAppearance gives the same answer for the same picture, and for one that stands as for the same one turned to lie', () => {
  const standing = drawScene(3, { width: 240, height: 320 });
  const { width, height, data } = standing;
  const lying = { width: height, height: width, data: new Uint8Array(data.length) };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      lying.data.set(data.subarray(3 * (y * width + x), 3 * (y * width + x) + 3), 3 * ((width - 1 - x) * height + y));
  const first = measureAppearance(standing);
  expect(Number.isFinite(first)).toBe(true);
  expect(measureAppearance(standing)).toBe(first);
  expect(measureAppearance(lying)).toBe(first);
});
