import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitScale, fitted, held, LARGEST, type View, zoomed } from './view.ts';

const length = fc.integer({ min: 1, max: 9_000 });
const size = fc.record({ width: length, height: length });
const view: fc.Arbitrary<View> = fc.record({
  x: fc.integer({ min: -9_000, max: 18_000 }),
  y: fc.integer({ min: -9_000, max: 18_000 }),
  scale: fc.double({ min: 0.001, max: 100, noNaN: true }),
});

test('held leaves no gap beside a picture that is larger than the box, and centres a smaller one', () => {
  fc.assert(
    fc.property(view, size, size, (wanted, picture, box) => {
      const { x, y, scale } = held(wanted, picture, box);
      expect(scale).toBeGreaterThanOrEqual(Math.min(LARGEST, fitScale(picture, box)));
      expect(scale).toBeLessThanOrEqual(LARGEST);
      for (const [at, all, room] of [
        [x, picture.width, box.width],
        [y, picture.height, box.height],
      ] as const) {
        const half = room / scale / 2;
        if (half * 2 >= all) expect(at).toBe(all / 2);
        else {
          expect(at - half).toBeGreaterThanOrEqual(-1e-6);
          expect(at + half).toBeLessThanOrEqual(all + 1e-6);
        }
      }
    }),
  );
});

test('zoomed keeps the point under the pointer where the picture fills the box on both sides', () => {
  const picture = { width: 4_000, height: 3_000 };
  const box = { width: 800, height: 600 };
  const point = fc.record({ x: fc.integer({ min: -400, max: 400 }), y: fc.integer({ min: -300, max: 300 }) });
  fc.assert(
    fc.property(point, fc.double({ min: 1.01, max: 20, noNaN: true }), (at, factor) => {
      const before = fitted(picture, box);
      const after = zoomed(before, factor, at, picture, box);
      expect(after.x + at.x / after.scale).toBeCloseTo(before.x + at.x / before.scale, 6);
      expect(after.y + at.y / after.scale).toBeCloseTo(before.y + at.y / before.scale, 6);
    }),
  );
});
