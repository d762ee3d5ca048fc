import { LABELS, REVIEW_STATES, STATUSES } from '@firsthand/contract/base/enums.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filters, filtersOf, NOTHING, queryOf, searchOf } from './filters.ts';

const day = fc
  .date({ min: new Date('2024-01-01T12:00Z'), max: new Date('2027-12-31T12:00Z'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));
const some = <Value extends string>(values: readonly Value[]) => fc.subarray([...values]);
const filters: fc.Arbitrary<Filters> = fc.record({
  q: fc.string({ maxLength: 30 }),
  status: some(STATUSES),
  verdict: some(LABELS),
  review: some(REVIEW_STATES),
  assigned_to: fc.constantFrom('', 'usr_01JD3V5C3D5F7G9H1J3K5M7N9P'),
  from: fc.oneof(fc.constant(''), day),
  to: fc.oneof(fc.constant(''), day),
});

test('searchOf and filtersOf keep every filter through the address', () => {
  fc.assert(
    fc.property(filters, wanted => {
      expect(filtersOf(searchOf(wanted))).toEqual(wanted);
    }),
  );
  expect(searchOf(NOTHING)).toBe('');
});

test('filtersOf leaves out what the list does not know', () => {
  expect(filtersOf('?status=pending,paid&verdict=FAILED&from=yesterday&to=2026-13-45&x=1')).toEqual({
    ...NOTHING,
    status: ['pending'],
  });
});

test('queryOf includes both days of a range', () => {
  fc.assert(
    fc.property(day, from => {
      const query = queryOf({ ...NOTHING, from, to: from });
      const first = new Date(`${from}T00:00`).getTime();
      const last = new Date(`${from}T23:59:59.999`).getTime();
      expect(Date.parse(query.created_after!)).toBeLessThan(first);
      expect(Date.parse(query.created_after!)).toBeGreaterThanOrEqual(first - 1);
      expect(Date.parse(query.created_before!)).toBe(last + 1);
    }),
  );
});
