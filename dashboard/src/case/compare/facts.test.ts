import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsThatDiffer } from './facts.ts';

const fact = (key: string, value: string, code = false) => ({ key, label: key.toUpperCase(), value, code });

test('factsThatDiffer names what differs, without ids and hashes', () => {
  const first = [fact('id', 'cap_1', true), fact('size', '4 × 3'), fact('make', 'Apple'), fact('model', 'iPhone 15')];
  const second = [fact('id', 'cap_2', true), fact('size', '4 × 3'), fact('make', 'Google'), fact('software', '17')];
  expect(factsThatDiffer(first, second)).toEqual([
    { key: 'make', label: 'MAKE', first: 'Apple', second: 'Google' },
    { key: 'model', label: 'MODEL', first: 'iPhone 15', second: undefined },
    { key: 'software', label: 'SOFTWARE', first: undefined, second: '17' },
  ]);
});

test('factsThatDiffer finds nothing between a file and itself, and the same facts in both directions', () => {
  const facts = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 2 }), fc.string({ maxLength: 2 })), {
    selector: ([key]) => key,
  });
  fc.assert(
    fc.property(facts, facts, (some, others) => {
      const [first, second] = [some, others].map(list => list.map(([key, value]) => fact(key, value)));
      expect(factsThatDiffer(first!, first!)).toEqual([]);
      const keys = (rows: ReturnType<typeof factsThatDiffer>) => rows.map(({ key }) => key).sort();
      expect(keys(factsThatDiffer(first!, second!))).toEqual(keys(factsThatDiffer(second!, first!)));
    }),
  );
});
