import { Settings } from '@firsthand/contract/management.ts';
import { expect, it } from 'vitest';
import { notYet } from './doctor.ts';

it('doctor names a setting that does nothing so far once it is set, and is quiet about one that is not', () => {
  expect(notYet({ tsaUrl: null })).toEqual([]);
  expect(notYet({ tsaUrl: 'https://tsa.example' })).toEqual([
    { state: 'missing', what: 'Timestamping: not built yet', advice: 'TSA_URL is set and does nothing.' },
  ]);
  expect(notYet({ tsaUrl: null }, 2)).toMatchObject([{ state: 'missing', what: 'Retention: not built yet' }]);
});

it('the interface says of retention_days that it is not in force yet', () => {
  expect((Settings.properties.retention_days as { description?: string }).description).toMatch(/^not in force yet/);
});
