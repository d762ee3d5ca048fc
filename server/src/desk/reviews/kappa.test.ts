import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kappaOf } from './kappa.ts';

const DECISIONS = ['approved', 'rejected', 'retake'];
const pairs = fc.array(
  fc.record({
    first: fc.constantFrom(...DECISIONS),
    second: fc.constantFrom(...DECISIONS),
    cases: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('kappaOf', () => {
  it('kappaOf is null where nothing differs, and without pairs', () => {
    expect(kappaOf([])).toBeNull();
    expect(kappaOf([{ first: 'approved', second: 'approved', cases: 9 }])).toBeNull();
  });

  it('kappaOf is 1 exactly where everybody agrees, never beyond -1 and 1, and the same whoever was first', () => {
    fc.assert(
      fc.property(pairs, found => {
        const kappa = kappaOf(found);
        const turned = kappaOf(found.map(({ first, second, cases }) => ({ first: second, second: first, cases })));
        if (kappa === null || turned === null) {
          expect(turned).toBe(kappa);
          return;
        }
        expect(turned).toBeCloseTo(kappa, 9);
        expect(kappa).toBeGreaterThanOrEqual(-1 - 1e-9);
        expect(kappa).toBeLessThanOrEqual(1 + 1e-9);
        expect(kappa > 1 - 1e-9).toBe(found.every(({ first, second }) => first === second));
      }),
    );
  });
});
