import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { drawScene } from '../simulate/scene.ts';
import type { Features } from './feature-values.ts';
import { measureScreen } from './features.ts';

const WIDTH = 1024;
const HEIGHT = 768;

/** Draws a fine grating in perspective over noise. `phases` shift it in red, green and blue, like the subpixel stripes of a display. */
function grating(phases: [number, number, number]): Picture {
  const rng = random(11);
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 0, i = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const noise = rng.uniform(-12, 12);
      const phase = 2 * Math.PI * (0.15 * x + 0.03 * y + 1e-5 * x * (x + y));
      for (const shift of phases) data[i++] = 120 + noise + 10 * Math.sin(phase + shift);
    }
  }
  return { width: WIDTH, height: HEIGHT, data };
}

it('measureScreen counts waves common to brightness and colour, as of a display, and not those of cloth of one colour', async () => {
  const third = (2 * Math.PI) / 3;
  const display = await measureScreen(grating([0, third, 2 * third]));
  const cloth = await measureScreen(grating([0, 0, 0]));
  expect(display?.features.wave1_both).toBeGreaterThan(3);
  expect(cloth?.features.s1_share30).toBe(1);
  expect(cloth?.features.wave1_both).toBe(0);
});

it('measureScreen measures nothing in a picture below 480 pixels', async () => {
  const scene = (width: number, height: number) => drawScene(4, { width, height });
  expect(await measureScreen(scene(479, 479))).toBeUndefined();
  expect(await measureScreen(scene(480, 300))).toBeDefined();
  expect(await measureScreen(scene(300, 480))).toBeDefined();
});

it('measureScreen asks each stage with what it has measured by then, and stops where one suffices', async () => {
  const scene = drawScene(4, { width: 640, height: 480 });
  const measured = (features: Features = {}): string[] =>
    ['context0', 'wave1_both', 'appearance', 'texture0', 'bands'].filter(name => name in features);
  const FIRST = ['context0', 'wave1_both'];
  const asked: string[][] = [];
  const clears = async (first: boolean, second: boolean): Promise<string[]> => {
    const stages = {
      first: (features: Features) => asked.push(measured(features)) > 0 && first,
      second: (features: Features) => asked.push(measured(features)) > 0 && second,
    };
    return measured((await measureScreen(scene, stages))?.features);
  };
  expect(await clears(true, false)).toEqual(FIRST);
  expect(asked.splice(0)).toEqual([FIRST]);
  expect(await clears(false, true)).toEqual([...FIRST, 'appearance']);
  expect(asked.splice(0)).toEqual([FIRST, [...FIRST, 'appearance']]);
  expect(await clears(false, false)).toEqual([...FIRST, 'appearance', 'texture0', 'bands']);
});
