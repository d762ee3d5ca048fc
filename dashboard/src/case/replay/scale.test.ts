import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STEPS, stepOf, thresholdAt } from './scale.ts';

test('stepOf finds the step of each threshold that the slider gives, and thresholds rise with the steps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: STEPS - 1 }), step => {
      expect(stepOf(thresholdAt(step))).toBe(step);
      expect(thresholdAt(step + 1)).toBeGreaterThan(thresholdAt(step));
    }),
  );
  expect([thresholdAt(0), thresholdAt(STEPS)]).toEqual([0.5, 0.99999]);
  expect([stepOf(0), stepOf(1)]).toEqual([0, STEPS]);
});
