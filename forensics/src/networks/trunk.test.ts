import { expect, it } from 'vitest';
import patches from '../ai/patches.generated.json' with { type: 'json' };
import type { Picture } from '../pixels/picture.ts';
import appearance from '../screen/appearance.generated.json' with { type: 'json' };
import { measureTexture } from '../screen/texture.ts';
import { drawScene } from '../simulate/scene.ts';
import { logOddsOf } from './linear.ts';
import { network } from './network.ts';
import { levelsOf, trunk } from './trunk.ts';

const planesOf = ({ data, width, height }: Picture): Float32Array => {
  const count = width * height;
  return Float32Array.from({ length: 3 * count }, (_, i) => data[3 * (i % count) + Math.floor(i / count)]);
};
const file = (name: string) => new URL(`../${name}.generated.onnx`, import.meta.url);

it.each([
  // Even and odd sides, and sides of which some layers read an odd number of rows.
  // A number may differ by a fiftieth of its spread over pictures. The spread of texture's means is about 0.5.
  ['screen/context', 320, 240, 1e-2],
  ['screen/context', 213, 320, 1e-2],
  ['screen/context', 317, 181, 1e-2],
  ['screen/texture', 256, 256, 2e-3],
])('trunk %s gives what ONNX Runtime gives, at %i x %i', async (name, width, height, tolerance) => {
  const picture = drawScene(6, { width, height });
  const expected = await network(file(name))(planesOf(picture), width, height);
  const run = trunk(file(name));
  const given = run(levelsOf(picture), width, height);
  expect(given).toHaveLength(expected.length);
  expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(1);
  for (const [i, value] of expected.entries()) expect(Math.abs(given[i] - value)).toBeLessThan(tolerance);
  // Nothing of one picture stays for the next.
  run(levelsOf({ width: 320, height: 320, data: new Uint8Array(3 * 320 * 320).fill(200) }), 320, 320);
  expect(run(levelsOf(picture), width, height)).toEqual(given);
});

it.each([
  ['screen/appearance', appearance, 640, 480],
  ['ai/patches', patches, 192, 192],
  ['ai/patches', patches, 384, 384],
])(
  "the log odds of %s are those of ONNX Runtime's numbers, though its weights are whole numbers of 12 bits",
  async (name, head, width, height) => {
    for (const seed of [1, 2, 3]) {
      const picture = drawScene(seed, { width, height });
      const expected = logOddsOf(head, await network(file(name))(planesOf(picture), width, height));
      expect(Math.abs(logOddsOf(head, trunk(file(name))(levelsOf(picture), width, height)) - expected)).toBeLessThan(
        0.15,
      );
    }
  },
);

it('trunk keeps its networks apart', () => {
  const picture = drawScene(6, { width: 320, height: 240 });
  const context = trunk(file('screen/context'));
  const first = context(levelsOf(picture), 320, 240);
  const texture = measureTexture(drawScene(7, { width: 600, height: 400 }));
  expect(context(levelsOf(picture), 320, 240)).toEqual(first);
  expect(measureTexture(drawScene(7, { width: 600, height: 400 }))).toEqual(texture);
});
