import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutOut, type Picture } from '../pixels/picture.ts';
import { drawScene } from '../simulate/scene.ts';
import { withoutLetterbox } from './letterbox.ts';

const scene = drawScene(4, { width: 90, height: 120 });

/** The scene within black bars of these sizes, with a little noise. */
function within(above: number, below: number, left: number, right: number): Picture {
  const { width, height } = scene;
  const [across, down] = [width + left + right, height + above + below];
  const data = Uint8Array.from({ length: 3 * across * down }, (_, i) => i % 11);
  for (let y = 0; y < height; y++)
    data.set(scene.data.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((y + above) * across + left));
  return { width: across, height: down, data };
}

const isScene = ({ width, height, data }: Picture): boolean =>
  width === scene.width && height === scene.height && Buffer.compare(data, scene.data) === 0;

const bar = fc.integer({ min: 10, max: 60 });

it('withoutLetterbox finds the picture between bars, above and below or to its sides', () => {
  fc.assert(
    fc.property(bar, bar, (one, other) => {
      for (const barred of [within(one, other, 0, 0), within(0, 0, one, other)])
        expect(isScene(cutOut(barred, withoutLetterbox(barred)))).toBe(true);
    }),
  );
});

it("withoutLetterbox finds it below a phone's status bar", () => {
  fc.assert(
    fc.property(bar, bar, (one, other) => {
      const barred = within(one, other, 0, 0);
      for (let y = 2; y < 7; y++) barred.data.fill(230, 3 * (y * 90 + 5), 3 * (y * 90 + 25));
      expect(isScene(cutOut(barred, withoutLetterbox(barred)))).toBe(true);
    }),
  );
});

it('withoutLetterbox cuts no thin margins, dark pictures, black on all sides or pictures without bars', () => {
  const night = { width: 40, height: 30, data: new Uint8Array(3 * 40 * 30).fill(9) };
  for (const picture of [scene, within(3, 3, 2, 2), night, within(40, 40, 30, 30)])
    expect(cutOut(picture, withoutLetterbox(picture))).toBe(picture);
});
