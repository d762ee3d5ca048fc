import { Settings } from '@firsthand/contract/management.ts';
import { expect, it } from 'vitest';
import { notYet } from './doctor.ts';

it('firsthand doctor names a setting without effect only when it is set', () => {
  expect(notYet(0)).toEqual([]);
  expect(notYet(2)).toMatchObject([{ state: 'missing', what: 'Retention: not built yet' }]);
});

it('OpenAPI document says that retention_days has no effect yet', () => {
  expect((Settings.properties.retention_days as { description?: string }).description).toMatch(/^not in force yet/);
});
