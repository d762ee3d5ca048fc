import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { drawScene } from '../simulate/scene.ts';
import { detectScreen } from './detect.ts';

const [WIDTH, HEIGHT, ABOVE, BELOW] = [1024, 768, 700, 332];

/** A scene under a fine lattice, as of a display. */
function display(): Picture {
  const { data } = drawScene(6, { width: WIDTH, height: HEIGHT });
  const lattice = data.map((level, i) => {
    const [x, y] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)];
    return Math.max(0, Math.min(255, level + 14 * Math.cos(1.1 * x + 0.2 * y) + 14 * Math.cos(1.1 * y - 0.2 * x)));
  });
  return { width: WIDTH, height: HEIGHT, data: lattice };
}

it('detectScreen says of a screenshot what it says of the photo in it, and heats only the photo', async () => {
  const photo = display();
  const height = ABOVE + HEIGHT + BELOW;
  const data = new Uint8Array(3 * WIDTH * height);
  data.set(photo.data, 3 * WIDTH * ABOVE);
  const [bare, shot] = [await detectScreen(photo), await detectScreen({ width: WIDTH, height, data })];
  expect(shot.evidence!.probability).toBe(bare.evidence!.probability);
  expect(shot.heat_tiles!.length).toBeGreaterThan(0);
  expect(shot.heat_tiles!.length).toBe(bare.heat_tiles!.length);
  for (const [i, { y }] of shot.heat_tiles!.entries())
    expect(Math.abs(y * height - ABOVE - bare.heat_tiles![i]!.y * HEIGHT)).toBeLessThan(1);
  const heat = await sharp(shot.heatmapPng).ensureAlpha().extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  expect(heat.info.height / heat.info.width).toBeCloseTo(height / WIDTH, 2);
  const rows = Array.from({ length: heat.info.height }, (_, y) =>
    Math.max(...heat.data.subarray(y * heat.info.width, (y + 1) * heat.info.width)),
  );
  const [from, to] = [(heat.info.height * ABOVE) / height, (heat.info.height * (ABOVE + HEIGHT)) / height];
  expect(Math.max(...rows.slice(0, Math.floor(from) - 1), ...rows.slice(Math.ceil(to) + 1))).toBe(0);
  expect(Math.max(...rows.slice(Math.ceil(from), Math.floor(to)))).toBeGreaterThan(0);
});
