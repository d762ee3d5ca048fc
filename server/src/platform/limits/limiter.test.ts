import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';
import { createMemoryStore } from './memory.ts';
import type { LimitStore, Want } from './store.ts';

const log = pino({ level: 'silent' });
const WINDOW_MS = 60_000;

/** A store that answers when it is told to, and remembers what it was asked. */
function slow(now: () => number) {
  const inner = createMemoryStore(now);
  const calls: (readonly Want[])[] = [];
  const store: LimitStore = {
    async take(wants) {
      calls.push(wants);
      await new Promise(resolve => setTimeout(resolve, 5));
      return inner.take(wants);
    },
    close: () => inner.close(),
  };
  return { store, calls };
}

describe('limiter', () => {
  it('asks the store at its own pace, whatever the number of requests, and counts each request once', async () => {
    const { store, calls } = slow(() => 1_000);
    const limiter = createLimiter([store], log, () => 1_000);
    const permit = { key: 'a', limit: 80, windowMs: WINDOW_MS };
    const answers = (await Promise.all(Array.from({ length: 100 }, () => limiter.take([permit])))).flat();
    expect(answers.filter(answer => answer.allowed)).toHaveLength(80);
    expect(answers.slice(0, 80).map(answer => answer.remaining)).toEqual(Array.from({ length: 80 }, (_, i) => 79 - i));
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  it('asks the store for every fifth permit while little is used, and counts all of them', async () => {
    const { store, calls } = slow(() => 1_000);
    const limiter = createLimiter([store], log, () => 1_000);
    const permit = { key: 'a', limit: 200, windowMs: WINDOW_MS };
    const remaining = [];
    let allowed = 0;
    for (let n = 0; n < 205; n += 1) {
      const [answer] = await limiter.take([permit]);
      if (answer!.allowed) allowed += 1;
      remaining.push(answer!.remaining);
    }
    expect(allowed).toBe(200);
    expect(remaining.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, n) => 199 - n));
    expect(calls.slice(0, 20).map(([want]) => want!.wanted)).toEqual(Array<number>(20).fill(5));
  });

  it('lets each of two nodes a few more through, never five in a hundred', async () => {
    const shared = createMemoryStore(() => 1_000);
    const nodes = [1, 2].map(() => createLimiter([shared], log, () => 1_000));
    const permit = { key: 'a', limit: 200, windowMs: WINDOW_MS };
    let allowed = 0;
    for (let n = 0; n < 300; n += 1) if ((await nodes[0]!.take([permit]))[0]!.allowed) allowed += 1;
    expect(allowed).toBe(200);
    // The other node has never heard of this key.
    for (let n = 0; n < 300; n += 1) if ((await nodes[1]!.take([permit]))[0]!.allowed) allowed += 1;
    expect(allowed).toBe(204);
  });

  it('takes the permits of one request together', async () => {
    const { store, calls } = slow(() => 1_000);
    const limiter = createLimiter([store], log, () => 1_000);
    await limiter.take(['a', 'b', 'c'].map(key => ({ key, limit: 5, windowMs: WINDOW_MS })));
    expect(calls.map(wants => wants.map(want => want.key))).toEqual([['a', 'b', 'c']]);
  });

  it('repeats a refusal without the store until it ends', async () => {
    let now = 1_000;
    const { store, calls } = slow(() => now);
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
    const limiter = createLimiter([createMemoryStore(() => 1_000)], log, () => 1_000);
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
    let broken = true;
    const first: LimitStore = {
      take: wants => (broken ? Promise.reject(new Error('gone')) : createMemoryStore(() => now).take(wants)),
      close: async () => {},
    };
    const { store: next, calls } = slow(() => now);
    const limiter = createLimiter([first, next], log, () => now);
    const permit = { key: 'a', limit: 2, windowMs: WINDOW_MS };
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push((await limiter.take([permit]))[0]!.allowed);
    expect(answers).toEqual([true, true, false]);
    const asked = calls.length;
    broken = false;
    now += 2_000;
    expect((await limiter.take([{ ...permit, key: 'b' }]))[0]!.allowed).toBe(true);
    expect(calls.length).toBe(asked);
  });

  it('counts alone when the store fails', async () => {
    const broken: LimitStore = { take: () => Promise.reject(new Error('gone')), close: async () => {} };
    const limiter = createLimiter([broken], log, () => 1_000);
    const permit = { key: 'a', limit: 2, windowMs: WINDOW_MS };
    const answers = [];
    for (let i = 0; i < 4; i += 1) answers.push((await limiter.take([permit]))[0]!.allowed);
    expect(answers).toEqual([true, true, false, false]);
  });
});
