import { expect, it } from 'vitest';
import { random } from './random.ts';
import { areaResize } from './resize.ts';

it('areaResize averages boxes of any width, also where one box is wider than the buffers', () => {
  const rng = random(5);
  for (const [width, height, side] of [
    [60_001, 2, 3],
    [8_193, 7, 40],
    [301, 199, 64],
  ] as const) {
    const data = Uint8Array.from({ length: 3 * width * height }, () => rng.uniform(0, 256));
    const small = areaResize({ width, height, data }, side);
    expect(small.width).toBe(side);
    for (let x = 0; x < small.width; x++) {
      const [x0, x1] = [Math.floor((x * width) / side), Math.floor(((x + 1) * width) / side)];
      const y1 = Math.floor(height / small.height);
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let y = 0; y < y1; y++) for (let i = x0; i < x1; i++) sum += data[3 * (y * width + i) + c]!;
        expect(small.data[3 * x + c]).toBe(Math.floor(sum / (y1 * (x1 - x0)) + 0.5));
      }
    }
  }
});
