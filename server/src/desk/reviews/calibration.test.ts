import fc from 'fast-check';
import { expect, it } from 'vitest';
import { labelOf, type ReviewedPhoto, suggest } from './calibration.ts';

const photo = fc.record({
  score: fc.double({ min: 0, max: 1, noNaN: true }),
  genuine: fc.constant(true),
  weight: fc.constant(1),
});

it('suggest lets at most 1% of genuine photos pass, and 0.1%, one unseen photo counted against it', () => {
  fc.assert(
    fc.property(fc.array(photo, { minLength: 999, maxLength: 1_400 }), photos => {
      const { doubtful, confident } = suggest(photos);
      const share = (at: number) => (1 + photos.filter(({ score }) => score >= at).length) / (photos.length + 1);
      // Photos that score 1 leave no threshold that they do not reach.
      if (share(1) <= 0.001) expect(confident).toBeLessThanOrEqual(1);
      if (doubtful !== undefined) expect(share(doubtful)).toBeLessThanOrEqual(0.01 + 1e-9);
      if (confident !== undefined) expect(share(confident)).toBeLessThanOrEqual(0.001 + 1e-9);
      if (confident !== undefined) expect(confident).toBeGreaterThanOrEqual(doubtful!);
    }),
    { numRuns: 30 },
  );
});

it('suggest names no threshold that the photos cannot vouch for', () => {
  const some = (n: number, weight = 1): ReviewedPhoto[] =>
    Array.from({ length: n }, (_, index) => ({ score: index / n, genuine: true, weight }));
  expect(suggest(some(98))).not.toHaveProperty('doubtful');
  expect(suggest(some(99))).toHaveProperty('doubtful');
  expect(suggest(some(99))).not.toHaveProperty('confident');
  expect(suggest([])).toEqual({ genuine: 0, displays: 0, effective: 0, quantiles: {} });
  // One photo that stands for a thousand says little more than one.
  expect(suggest([...some(120), { score: 0.5, genuine: true, weight: 1_000 }]).effective).toBeLessThan(3);
});

it('suggest weighs each photo by those it stands for', () => {
  const low = Array.from({ length: 300 }, () => ({ score: 0.1, genuine: true, weight: 50 }));
  const high = Array.from({ length: 100 }, () => ({ score: 0.9, genuine: true, weight: 1 }));
  expect(suggest([...low, ...high]).quantiles['0.9']).toBe(0.1);
  expect(suggest(high).quantiles['0.9']).toBe(0.9);
});

it('labelOf takes what all agreed on: flags before decisions, displays only by their reason', () => {
  const said = (decision: 'approved' | 'rejected' | 'escalated', reasons: string[] = [], genuine?: boolean) => ({
    decision,
    reasons,
    flags: genuine === undefined ? null : [{ capture_id: 'cap_1', genuine }],
  });
  expect(labelOf('cap_1', 1, [said('approved')])).toBe(true);
  expect(labelOf('cap_1', 1, [said('rejected', ['photo_of_display'])])).toBe(false);
  expect(labelOf('cap_1', 2, [said('rejected', ['photo_of_display'])])).toBe(null);
  expect(labelOf('cap_1', 2, [said('rejected', ['photo_of_display'], false)])).toBe(false);
  expect(labelOf('cap_1', 1, [said('rejected', ['wrong_place'])])).toBe(null);
  expect(labelOf('cap_1', 1, [said('rejected', ['wrong_place'], true)])).toBe(true);
  expect(labelOf('cap_1', 1, [said('approved'), said('rejected', ['photo_of_display'])])).toBe(null);
  expect(labelOf('cap_1', 1, [said('escalated'), said('approved')])).toBe(true);
  expect(labelOf('cap_1', 1, [])).toBe(null);
});
