import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LIST, tableLines } from '../../bench/src/detection/sets.ts';

const JUDGING = new Set(['held', 'display-held', 'genuine-held', 'further-held', 'flat-held']);

it('no source on which a model was fitted is among those that judge it or set its thresholds', () => {
  const folds = new URL('../../bench/src/detection/folds.generated.json', import.meta.url);
  const fitted = new Set(Object.keys(JSON.parse(readFileSync(folds, 'utf8')).groups));
  const judging = new Set<string>();
  for (const [use = '', , repository = '', , , source] of tableLines(LIST))
    (JUDGING.has(use) ? judging : fitted).add(source || repository.split('/')[0]!);
  expect(judging.size).toBeGreaterThan(100);
  expect([...judging].filter(source => fitted.has(source))).toEqual([]);
});
