import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('differences names what was added, changed and removed, and nothing else', () => {
  const before = { name: 'Car', request: { steps: [{ key: 'front', min: 1, max: 1 }], brand_slug: 'acme' } };
  const after = { name: 'Car', request: { steps: [{ key: 'front', min: 1, max: 3 }], mode: 'audit' } };
  expect(differences(before, after)).toEqual([
    { path: 'steps.0.max', was: '1', is: '3' },
    { path: 'brand_slug', was: 'acme' },
    { path: 'mode', is: 'audit' },
  ]);
  expect(differences(before, before)).toEqual([]);
});
