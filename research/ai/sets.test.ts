import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const [heading = '', ...lines] = gunzipSync(readFileSync(new URL('./sets.tsv.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n');
const columns = heading.split('\t');
const pictures = lines.map(line => Object.fromEntries(line.split('\t').map((cell, i) => [columns[i]!, cell])));

it.each(['repository', 'generator', 'source', 'sha256'])('gives no %s two uses', column => {
  const uses = new Map<string, Set<string>>();
  for (const picture of pictures)
    if (picture[column]) uses.set(picture[column], (uses.get(picture[column]) ?? new Set()).add(picture.use!));
  expect([...uses].filter(([, of]) => of.size > 1).map(([name]) => name)).toEqual([]);
});

it('lists no picture twice, and at most 130 by one generator or person of a source', () => {
  expect(new Set(pictures.map(({ sha256 }) => sha256)).size).toBe(pictures.length);
  const counts = Map.groupBy(pictures, ({ source, generator }) => `${source} ${generator}`);
  expect(Math.max(...[...counts.values()].map(of => of.length))).toBeLessThanOrEqual(130);
});
