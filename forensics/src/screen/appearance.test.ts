import { expect, it } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import head from './appearance.generated.json' with { type: 'json' };
import { measureAppearance } from './appearance.ts';
import { logOddsOf } from './linear.ts';
import { network } from './network.ts';

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

it("measureAppearance answers as ONNX Runtime's numbers do, though its weights are whole numbers of 12 bits", async () => {
  const run = network('./appearance.generated.onnx');
  for (const seed of [1, 2, 3]) {
    const picture = drawScene(seed, { width: 640, height: 480 });
    const count = 640 * 480;
    const planes = Float32Array.from(
      { length: 3 * count },
      (_, i) => picture.data[3 * (i % count) + Math.floor(i / count)]!,
    );
    expect(Math.abs(measureAppearance(picture) - logOddsOf(head, await run(planes, 640, 480)))).toBeLessThan(0.15);
  }
});
