import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsThatDiffer } from './facts.ts';

test('factsThatDiffer names what differs by path, without addresses and hashes', () => {
  const first = { id: 'cap_1', sha256: 'aa', image_url: 'x', width: 400, exif: { make: 'Apple', model: 'iPhone 15' } };
  const second = { id: 'cap_2', sha256: 'bb', image_url: 'y', width: 400, exif: { make: 'Google' } };
  expect(factsThatDiffer(first, second)).toEqual([
    { path: 'exif.make', first: 'Apple', second: 'Google' },
    { path: 'exif.model', first: 'iPhone 15' },
  ]);
});

test('factsThatDiffer finds nothing between a capture and itself', () => {
  fc.assert(
    fc.property(fc.object(), capture => {
      expect(factsThatDiffer(capture, structuredClone(capture))).toEqual([]);
    }),
  );
});
