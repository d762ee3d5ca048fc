import type { Picture } from '../pixels/picture.ts';

/** Draws a yellow surface with fine ripples, which the built-in model takes for generated. */
export function ripples({ width, height }: { width: number; height: number } = { width: 800, height: 800 }): Picture {
  const data = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const wave = 8 * Math.sin((2 * Math.PI * x) / 3) * Math.sin((2 * Math.PI * y) / 3);
      data.set([242 + wave, 242 + wave, Math.max(0, 12 + wave)], 3 * (y * width + x));
    }
  return { width, height, data };
}
