import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';
import type { LimitStore, Want } from './store.ts';

const log = pino({ level: 'silent' });
const WINDOW_MS = 60_000;

/** A store that takes a moment, remembers what it was asked, and opens a key's window with its first permit. */
function counting(now: () => number) {
  const windows = new Map<string, { until: number; used: number }>();
  const calls: (readonly Want[])[] = [];
  const store: LimitStore = {
    async take(wants) {
      calls.push(wants);
      await new Promise(resolve => setTimeout(resolve, 5));
      return wants.map(({ key, wanted, limit, windowMs }) => {
        const known = windows.get(key);
        const window = known && known.until > now() ? known : { until: now() + windowMs, used: 0 };
        windows.set(key, window);
        const granted = Math.max(0, Math.min(wanted, limit - window.used));
        window.used += granted;
        const remaining = Math.max(0, limit - window.used);
        const resetMs = window.until - now();
        return { granted, remaining, waitMs: remaining > 0 ? null : resetMs, resetMs };
      });
    },
    close: async () => {},
  };
  return { store, calls };
}

const broken: LimitStore = { take: () => Promise.reject(new Error('gone')), close: async () => {} };

describe('limiter', () => {
  it('asks the store at its own pace, whatever the number of requests, and counts each request once', async () => {
    const { store, calls } = counting(() => 1_000);
    const limiter = createLimiter([store], log, () => 1_000);
    const permit = { key: 'a', limit: 80, windowMs: WINDOW_MS };
    const answers = (await Promise.all(Array.from({ length: 100 }, () => limiter.take([permit])))).flat();
    expect(answers.filter(answer => answer.allowed)).toHaveLength(80);
    expect(answers.slice(0, 80).map(answer => answer.remaining)).toEqual(Array.from({ length: 80 }, (_, i) => 79 - i));
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  it('takes the permits of one request together', async () => {
    const { store, calls } = counting(() => 1_000);
    const limiter = createLimiter([store], log, () => 1_000);
    await limiter.take(['a', 'b', 'c'].map(key => ({ key, limit: 5, windowMs: WINDOW_MS })));
    expect(calls.map(wants => wants.map(want => want.key))).toEqual([['a', 'b', 'c']]);
  });

  it('repeats a refusal without the store until it ends', async () => {
    let now = 1_000;
    const { store, calls } = counting(() => now);
    const limiter = createLimiter([store], log, () => now);
    const permit = { key: 'a', limit: 2, windowMs: WINDOW_MS };
    await Promise.all([limiter.take([permit]), limiter.take([permit]), limiter.take([permit])]);
    const asked = calls.length;
    now += 30_000;
    const [refused] = await limiter.take([permit]);
    expect(refused).toEqual({ allowed: false, limit: 2, remaining: 0, resetMs: 30_000, waitMs: 30_000 });
    expect(limiter.refused('a')).toEqual(refused);
    expect(calls.length).toBe(asked);
    now += 30_000;
    expect(limiter.refused('a')).toBeNull();
    expect((await limiter.take([permit]))[0]!.allowed).toBe(true);
  });

  it('asks the store again when the limit changed', async () => {
    const limiter = createLimiter([counting(() => 1_000).store], log, () => 1_000);
    const take = async (limit: number) => (await limiter.take([{ key: 'a', limit, windowMs: WINDOW_MS }]))[0]!.allowed;
    expect([await take(1), await take(1), await take(3), await take(3), await take(3)]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it('asks the next store while the first fails, and the first again soon after', async () => {
    let now = 1_000;
    let fails = true;
    const { store: working } = counting(() => now);
    const first: LimitStore = { ...working, take: wants => (fails ? broken : working).take(wants) };
    const { store: next, calls } = counting(() => now);
    const limiter = createLimiter([first, next], log, () => now);
    const permit = { key: 'a', limit: 2, windowMs: WINDOW_MS };
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push((await limiter.take([permit]))[0]!.allowed);
    expect(answers).toEqual([true, true, false]);
    const asked = calls.length;
    fails = false;
    now += 2_000;
    expect((await limiter.take([{ ...permit, key: 'b' }]))[0]!.allowed).toBe(true);
    expect(calls.length).toBe(asked);
  });

  it('refuses nobody while no store answers', async () => {
    const limiter = createLimiter([broken], log, () => 1_000);
    const permit = { key: 'a', limit: 2, windowMs: WINDOW_MS };
    for (let n = 0; n < 4; n += 1) expect((await limiter.take([permit]))[0]!.allowed).toBe(true);
    expect(await limiter.spend([permit], 1_000)).toBeNull();
  });
});
