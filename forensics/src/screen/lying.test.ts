import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boxResize } from './lying.ts';

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

it('boxResize keeps the mean of every channel, and a picture of the size asked for', () => {
  const side = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(side, side, side, side, fc.infiniteStream(fc.nat(255)), (w, h, width, height, levels) => {
      const data = Uint8Array.from({ length: w * h * 3 }, () => levels.next().value);
      const { data: resized } = boxResize({ width: w, height: h, data }, width, height);
      for (let c = 0; c < 3; c++) {
        const channel = (values: Uint8Array): number => mean([...values.filter((_, i) => i % 3 === c)]);
        expect(Math.abs(channel(resized) - channel(data))).toBeLessThanOrEqual(0.5 + 1e-3);
      }
      expect(boxResize({ width: w, height: h, data }, w, h).data).toEqual(data);
    }),
  );
});
