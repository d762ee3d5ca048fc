import { expect, it } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import { network } from './network.ts';
import { measureTexture } from './texture.ts';
import { levelsOf, trunk } from './trunk.ts';

it.each([
  // Even and odd sides, and sides of which some layers read an odd number of rows.
  // A number may differ by a fiftieth of its spread over pictures. The spread of texture's means is about 0.5.
  ['context', 320, 240, 1e-2],
  ['context', 213, 320, 1e-2],
  ['context', 317, 181, 1e-2],
  ['texture', 256, 256, 2e-3],
])('trunk %s gives what ONNX Runtime gives, at %i x %i', async (name, width, height, tolerance) => {
  const picture = drawScene(6, { width, height });
  const { data } = picture;
  const count = width * height;
  const planes = Float32Array.from({ length: 3 * count }, (_, i) => data[3 * (i % count) + Math.floor(i / count)]);
  const expected = await network(`./${name}.generated.onnx`)(planes, width, height);
  const run = trunk(`./${name}.generated.onnx`);
  const given = run(levelsOf(picture), width, height);
  expect(given).toHaveLength(expected.length);
  expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(1);
  for (const [i, value] of expected.entries()) expect(Math.abs(given[i] - value)).toBeLessThan(tolerance);
  // Nothing of one picture stays for the next.
  run(levelsOf({ width: 320, height: 320, data: new Uint8Array(3 * 320 * 320).fill(200) }), 320, 320);
  expect(run(levelsOf(picture), width, height)).toEqual(given);
});

it('trunk keeps its networks apart', () => {
  const picture = drawScene(6, { width: 320, height: 240 });
  const context = trunk('./context.generated.onnx');
  const first = context(levelsOf(picture), 320, 240);
  const texture = measureTexture(drawScene(7, { width: 600, height: 400 }));
  expect(context(levelsOf(picture), 320, 240)).toEqual(first);
  expect(measureTexture(drawScene(7, { width: 600, height: 400 }))).toEqual(texture);
});
