import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config/config.ts';
import { nextAfter, retryAfterSeconds, type Sent } from './schedule.ts';

const sent = (more: Partial<Sent>): Sent => ({
  statusCode: null,
  error: null,
  excerpt: null,
  latencyMs: 1,
  retryAfterSeconds: null,
  ...more,
});
const schedule = readConfig({}).webhookRetrySeconds;
const failures = fc.constantFrom(
  'timeout',
  'status',
  'redirect',
  'tls',
  'dns',
  'connection_refused',
  'failed' as const,
);

describe('nextAfter', () => {
  it('follows the published schedule: ten attempts over three days, each within a tenth of its time', () => {
    expect(schedule).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    fc.assert(
      fc.property(failures, fc.double({ min: 0, max: 1, noNaN: true }), (error, random) => {
        schedule.forEach((seconds, index) => {
          const next = nextAfter(sent({ error: error as Sent['error'] }), schedule, index + 1, random);
          expect(next.status).toBe('pending');
          expect(next.inSeconds).toBeGreaterThanOrEqual(seconds * 0.9 - 1e-6);
          expect(next.inSeconds).toBeLessThanOrEqual(seconds * 1.1 + 1e-6);
        });
        expect(nextAfter(sent({ error: error as Sent['error'] }), schedule, 10, random)).toEqual({
          status: 'failed',
          inSeconds: null,
        });
      }),
    );
  });

  it('never retries before Retry-After, or more than a day later', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 9 }), (asked, attempt) => {
        const { inSeconds } = nextAfter(sent({ error: 'status', retryAfterSeconds: asked }), schedule, attempt);
        expect(inSeconds).toBeGreaterThanOrEqual(Math.min(asked, 86_400));
        expect(inSeconds).toBeLessThanOrEqual(Math.max(86_400, schedule[attempt - 1]! * 1.1));
      }),
    );
  });

  it('ends with an acceptance, a 410, and an invalid address', () => {
    expect(nextAfter(sent({ statusCode: 204 }), schedule, 1)).toEqual({ status: 'succeeded', inSeconds: null });
    expect(nextAfter(sent({ statusCode: 410, error: 'gone' }), schedule, 1)).toEqual({
      status: 'cancelled',
      inSeconds: null,
    });
    expect(nextAfter(sent({ error: 'invalid_url' }), schedule, 1)).toEqual({ status: 'failed', inSeconds: null });
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T09:30:00Z');
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 09:32:00 GMT', 120],
    ['Saturday, 21-Nov-26 09:32:00 GMT', 120],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [undefined, null],
    ['99999999999999999999', null],
  ])('%j is %j seconds', (value, seconds) => {
    expect(retryAfterSeconds(value, now)).toBe(seconds);
  });
});
