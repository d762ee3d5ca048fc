import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { median, percentile, rate, sideBySide } from './measure.ts';

test('percentile is the least sample with at least that share of samples at or below it', () => {
  const samples = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(samples, fc.double({ min: 0.001, max: 1, noNaN: true }), (values, p) => {
      const found = percentile(values, p);
      const share = (limit: number) => values.filter(value => value <= limit).length / values.length;
      expect(values).toContain(found);
      expect(share(found)).toBeGreaterThanOrEqual(p - 1e-12);
      for (const value of values) if (value < found) expect(share(value)).toBeLessThan(p);
    }),
  );
  expect(percentile([], 0.5)).toBeNaN();
});

test('sideBySide ignores one outlier round', async () => {
  const rounds = [10, 11, 10_000];
  const limits = [20, 1, 21];
  const found = await sideBySide(
    3,
    async () => rounds.shift()!,
    async () => limits.shift()!,
  );
  expect(found).toEqual({ measured: 11, limit: 20 });
  expect(median([3, 1, 2])).toBe(2);
});

test.each([1, 4])('rate counts the completions of %i workers', async concurrency => {
  vi.useFakeTimers();
  try {
    const rated = rate(() => new Promise(resolve => setTimeout(resolve, 20)), { concurrency, seconds: 0.4 });
    await vi.advanceTimersByTimeAsync(400);
    expect(await rated).toBe(50 * concurrency);
  } finally {
    vi.useRealTimers();
  }
});
