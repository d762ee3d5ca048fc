import { expect, test } from 'vitest';
import { torchAnswer } from './answer.ts';
import { drawPlace } from './places.ts';
import { type Place, renderPair } from './render.ts';

/** A phone 25 cm before the middle of a flat thing, straight, with a torch of 30 lm, in a room of 150 lux. */
function placeOf(kind: 'sheet' | 'matte display', changes: Partial<Place> = {}): Place {
  const drawn = drawPlace(kind, 4);
  const { camera, poses } = drawn;
  const straight = { ...poses[0], turn: [0.05, 0.05, 0] as [number, number, number] };
  return {
    ...drawn,
    distance: 0.25,
    lux: 150,
    candela: 30 / Math.PI,
    bands: { amplitude: 0, period: 100 },
    camera: { ...camera, exposure: 0.55, shotNoise: 1e-4 },
    poses: [straight, { ...straight, position: [0.004, 0, 0] }],
    locked: false,
    ...changes,
  };
}

const answerOf = async (place: Place) => torchAnswer(...(await renderPair(place, 4)));

test('torchAnswer calls a sheet of paper lit', async () => {
  const { answer, evidence } = await answerOf(placeOf('sheet', { glosses: [] }));
  expect(answer).toBe('lit');
  expect(evidence.cone).toBeGreaterThan(0.2);
});

test('torchAnswer says that a matte display emits', async () => {
  const glosses = [
    { card: -1, z: 1, reflectance: 0.04, haze: 1, lobe: 0.08, radius: 1e6, slope: [0, 0] as [number, number] },
  ];
  const { answer, evidence } = await answerOf(placeOf('matte display', { nits: 150, albedo: 0.005, glosses }));
  expect(answer).toBe('emits');
  expect(evidence.additive).toBeGreaterThan(100);
});

test('torchAnswer has no answer where the torch changes nothing', async () => {
  expect((await answerOf(placeOf('sheet', { candela: 0, glosses: [] }))).answer).toBe('no_answer');
});

test('torchAnswer has no answer for two different scenes', async () => {
  const [off] = await renderPair(placeOf('sheet'), 4);
  const [other] = await renderPair(drawPlace('sheet', 9), 9);
  expect(torchAnswer(off, other).answer).toBe('no_answer');
});
