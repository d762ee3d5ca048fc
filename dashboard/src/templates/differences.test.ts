import { expect, test } from 'vitest';
import { differences, type Version } from './differences.ts';

test('differences names what was added, changed and removed, and nothing else', () => {
  const steps = (max: number) => [{ key: 'front', min: 1, max }];
  const before: Version = {
    version: 1,
    published_at: '2026-11-22T10:00:00Z',
    name: 'Car',
    request: { steps: steps(1), brand_slug: 'acme' },
  };
  const after: Version = {
    version: 2,
    published_at: '2026-11-23T10:00:00Z',
    name: 'Car',
    retention_days: 30,
    request: { steps: steps(3), mode: 'audit' },
  };
  expect(differences(before, after)).toEqual([
    { path: 'steps.0.max', was: '1', is: '3' },
    { path: 'brand_slug', was: 'acme' },
    { path: 'retention_days', is: '30' },
    { path: 'mode', is: 'audit' },
  ]);
  expect(differences(before, before)).toEqual([]);
});
