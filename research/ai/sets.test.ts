import { expect, it } from 'vitest';
import { pictures } from './sets.ts';

it('puts the generated pictures of a repository, and the genuine ones of a person, in one part', () => {
  const parts = new Map<string, Set<string>>();
  for (const { label, source, part } of pictures) {
    const name = `${label} ${source}`;
    parts.set(name, (parts.get(name) ?? new Set()).add(part!));
  }
  expect(parts.size).toBeGreaterThan(400);
  expect([...parts].filter(([, of]) => of.size > 1).map(([name]) => name)).toEqual([]);
});

it('lists no picture twice, and at most ten by one person', () => {
  expect(new Set(pictures.map(({ sha256 }) => sha256)).size).toBe(pictures.length);
  const people = Map.groupBy(
    pictures.filter(({ label }) => label === 'genuine'),
    ({ source }) => source,
  );
  expect(Math.max(...[...people.values()].map(of => of.length))).toBe(10);
});
