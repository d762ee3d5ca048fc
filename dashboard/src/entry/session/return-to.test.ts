import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { returnPath, signInPath } from './return-to.ts';

const at = (path: string) => {
  const { origin, pathname, search } = new URL(path, 'https://firsthand.example');
  vi.stubGlobal('location', { origin, pathname, search });
};

describe('returnPath', () => {
  beforeEach(() => at('/dashboard/sign-in'));
  afterEach(() => vi.unstubAllGlobals());

  test.each(['/dashboard', '/dashboard/account', '/dashboard/settings/people?role=owner'])('leads to %s', path => {
    expect(returnPath(`?return_to=${encodeURIComponent(path)}`)).toBe(path);
  });

  test.each([
    'https://evil.example/dashboard',
    '//evil.example/dashboard/x',
    '/\\evil.example/dashboard',
    'javascript:alert(1)//dashboard',
    '/dashboard/../v1/auth/sign-out',
    '/dashboardevil',
    '/docs',
    '/dashboard/sign-in?return_to=/dashboard/sign-in',
    'http://[',
    '',
  ])('takes %s for the first page', wanted => {
    expect(returnPath(`?return_to=${encodeURIComponent(wanted)}`)).toBe('/dashboard');
  });
});

describe('signInPath', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('leads back to where the person is, filters included', () => {
    at('/dashboard/settings/people?role=owner');
    const path = signInPath(true);
    at(path);
    expect(path).toContain('ended=1');
    expect(returnPath(new URL(path, 'https://firsthand.example').search)).toBe('/dashboard/settings/people?role=owner');
  });

  test('is plain from the first page', () => {
    at('/dashboard');
    expect(signInPath(false)).toBe('/dashboard/sign-in');
  });
});
