import { Settings } from '@firsthand/contract/management.ts';
import { expect, it } from 'vitest';
import { notYet } from './doctor.ts';

it('doctor names a setting that does nothing so far once it is set, and is quiet about one that is not', () => {
  expect(notYet(0)).toEqual([]);
  expect(notYet(2)).toMatchObject([{ state: 'missing', what: 'Retention: not built yet' }]);
});

it('the interface says of retention_days that it is not in force yet', () => {
  expect((Settings.properties.retention_days as { description?: string }).description).toMatch(/^not in force yet/);
});
