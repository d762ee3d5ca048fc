import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { mean } from '../pixels/statistics.ts';
import { drawScene } from '../simulate/scene.ts';
import { measureBands } from './bands.ts';

/** Waves of a display's subpixels, as they look when a camera resolves none of them: red, green and blue out of step. */
function banded(picture: Picture, amplitude: number, inside: (x: number, y: number) => boolean = () => true): Picture {
  const { width, height } = picture;
  const data = picture.data.map((level, i) => {
    const x = (Math.floor(i / 3) % width) / width;
    const y = Math.floor(i / 3 / width) / height;
    if (!inside(x, y)) return level;
    const phase = 2 * Math.PI * (9 * x + 5 * y + 4 * x * y + (i % 3) / 3);
    return Math.max(0, Math.min(255, level * (1 + amplitude * Math.cos(phase))));
  });
  return { width, height, data };
}

const lying = [1, 2, 3, 4, 5, 6].map(seed => drawScene(seed, { width: 320, height: 240 }));
const standing = [1, 2, 3].map(seed => drawScene(seed, { width: 240, height: 320 }));
const logOdds = async (pictures: Picture[]): Promise<number> =>
  mean(await Promise.all(pictures.map(async picture => (await measureBands(picture)).logOdds)));

it('measureBands answers with coloured bands more than without, lying and standing', async () => {
  for (const scenes of [lying, standing])
    expect(await logOdds(scenes.map(scene => banded(scene, 0.12)))).toBeGreaterThan((await logOdds(scenes)) + 0.5);
});

it('measureBands gives its cells in the order of the picture', async () => {
  for (const scenes of [lying, standing]) {
    const gains = await Promise.all(
      scenes.map(async scene => {
        const before = await measureBands(scene);
        const after = await measureBands(banded(scene, 0.3, (x, y) => x < 0.5 && y < 0.5));
        const gain = (left: boolean, top: boolean): number =>
          mean(
            [...after.cells.keys()]
              .filter(i => i % after.columns < after.columns / 2 === left && i < after.cells.length / 2 === top)
              .map(i => after.cells[i] - before.cells[i]),
          );
        return [gain(true, true), gain(false, true), gain(true, false), gain(false, false)];
      }),
    );
    const [banded1, ...others] = [0, 1, 2, 3].map(part => mean(gains.map(gain => gain[part])));
    for (const other of others) expect(banded1).toBeGreaterThan(other);
  }
});
