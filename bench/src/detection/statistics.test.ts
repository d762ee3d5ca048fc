import { describe, expect, it } from 'vitest';
import { areaUnderCurve, calibrationError, foundAt, upperBound, wilson } from './statistics.ts';

describe('detection statistics', () => {
  it('areaUnderCurve ranks perfect, useless and tied scores', () => {
    expect(areaUnderCurve([3, 4], [1, 2])).toBe(1);
    expect(areaUnderCurve([1, 2], [3, 4])).toBe(0);
    expect(areaUnderCurve([1, 1], [1, 1])).toBe(0.5);
  });

  it('foundAt counts positives above the allowed negatives', () => {
    const negatives = Array.from({ length: 100 }, (_, i) => i / 100);
    expect(foundAt([0.985, 0.5], negatives, 0.01)).toBe(0.5);
    expect(foundAt([2, 3], negatives, 0)).toBe(1);
  });

  it('upperBound agrees with binomial tables', () => {
    expect(upperBound(0, 300)).toBeCloseTo(0.00994, 4);
    expect(upperBound(1, 100)).toBeCloseTo(0.0466, 3);
    expect(upperBound(5, 5)).toBe(1);
  });

  it('wilson agrees with published intervals', () => {
    const [low, high] = wilson(81, 263);
    expect(low).toBeCloseTo(0.2553, 3);
    expect(high).toBeCloseTo(0.3662, 3);
    expect(wilson(0, 20)[0]).toBe(0);
    expect(wilson(0, 20)[1]).toBeCloseTo(0.161, 3);
  });

  it('calibrationError is zero for honest probabilities and large for overconfident ones', () => {
    expect(calibrationError([0.5], [0.5])).toBeCloseTo(0);
    expect(calibrationError([0.99], [0.99])).toBeCloseTo(0.49);
  });
});
