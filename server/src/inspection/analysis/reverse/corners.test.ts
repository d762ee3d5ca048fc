import type { Keypoint } from '@firsthand/forensics/phash/keypoints.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filedWords, packCorners, soughtWords, unpackCorners } from './corners.ts';

const bits = fc.integer({ min: 0, max: 2 ** 28 - 1 });
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const corner: fc.Arbitrary<Keypoint> = fc.record({
  x: fraction,
  y: fraction,
  size: fraction,
  angle: fc.double({ min: -Math.PI, max: 2 * Math.PI, noNaN: true }),
  low: bits,
  high: bits,
  weak: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 3, maxLength: 3 }),
});

test('unpackCorners returns what packCorners took, to a part in 65,535', () => {
  fc.assert(
    fc.property(fc.array(corner, { maxLength: 20 }), corners => {
      for (const [index, found] of unpackCorners(packCorners(corners)).entries()) {
        const kept = corners[index]!;
        expect([found.low, found.high]).toEqual([kept.low, kept.high]);
        expect(Math.abs(found.x - kept.x) + Math.abs(found.y - kept.y) + Math.abs(found.size - kept.size)).toBeLessThan(
          5e-5,
        );
        expect(Math.cos(found.angle - kept.angle)).toBeGreaterThan(0.9999);
      }
    }),
  );
});

test('soughtWords finds every filed word only in its own scope, also after a flip of the weakest bits', () => {
  fc.assert(
    fc.property(
      corner,
      fc.integer({ min: 1, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 2 ** 31 }),
      (kept, scope, other) => {
        fc.pre(scope !== other);
        const changed = { ...kept, low: kept.low ^ (1 << kept.weak[0]!) ^ (1 << kept.weak[2]!) };
        const filed = filedWords(scope, [kept])[0]!;
        expect(soughtWords([scope], [changed], 1).flat()).toContain(filed);
        expect(filedWords(other, [kept])[0]).not.toBe(filed);
      },
    ),
  );
});
