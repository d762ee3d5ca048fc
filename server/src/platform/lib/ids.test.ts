import { expect, test } from 'vitest';
import { newId } from './ids.ts';

test('ids have 80 random bits after their time: none repeats, and those of one millisecond have no order', () => {
  const ids = Array.from({ length: 2_000 }, () => newId('vfy', 1_700_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map(id => id.slice(0, 14))).size).toBe(1);
  expect(ids).not.toEqual(ids.toSorted());
  // Every character after the time takes every value: 16 of 5 bits.
  for (let at = 14; at < 30; at += 1) expect(new Set(ids.map(id => id[at])).size).toBe(32);
});
