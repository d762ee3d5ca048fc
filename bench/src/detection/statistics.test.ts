import { describe, expect, it } from 'vitest';
import {
  areaUnderCurve,
  calibrationError,
  foundAt,
  mostTelling,
  overPeople,
  type ScoreOfPerson,
  upperBound,
  wilson,
} from './statistics.ts';

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

  // Each of ten people has one display; one of them has all the high genuine pictures.
  const scores: ScoreOfPerson[] = Array.from({ length: 10 }, (_, i) => `p${i}`).flatMap(person => [
    { positive: true, score: 0.8, person },
    ...Array.from({ length: 10 }, () => ({ positive: false, score: person === 'p3' ? 0.9 : 0.1, person })),
  ]);
  const found = (positives: number[], negatives: number[]): number => foundAt(positives, negatives, 0.01);

  it('overPeople spans what one person decides', () => {
    expect(found([0.8], [0.9, 0.1])).toBe(0);
    const [low, , high] = overPeople(scores, found);
    expect([low, high]).toEqual([0, 1]);
    expect(overPeople(scores, found)).toEqual(overPeople(scores, found));
    const [least, middle, most] = overPeople(scores, areaUnderCurve);
    expect(least).toBeLessThan(middle);
    expect(middle).toBeLessThan(most);
    expect(middle).toBeCloseTo(0.9, 1);
  });

  it('mostTelling names the person who decides', () => {
    expect(mostTelling(scores, found)).toEqual({ person: 'p3', without: 1 });
    expect(
      mostTelling(
        scores.filter(({ person }) => person === 'p3'),
        found,
      ),
    ).toBeUndefined();
  });

  it('calibrationError is zero for honest probabilities and large for overconfident ones', () => {
    expect(calibrationError([0.5], [0.5])).toBeCloseTo(0);
    expect(calibrationError([0.99], [0.99])).toBeCloseTo(0.49);
  });
});
