import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeFrom, type Window } from './memory.ts';
import { SLOTS } from './store.ts';

const WINDOW_MS = 60_000;
const SLOT_MS = WINDOW_MS / SLOTS;

/** Plays requests at growing times against one window; gives when each permit was given. */
function play(limit: number, steps: { gap: number; wanted: number }[]) {
  const window: Window = { slots: [] };
  const given: number[] = [];
  const answers = [];
  let now = 1_700_000_000_000;
  for (const { gap, wanted } of steps) {
    now += gap;
    const answer = takeFrom(window, { wanted, limit, windowMs: WINDOW_MS }, now);
    const inWindow = given.filter(at => at > now - WINDOW_MS).length;
    const surelyFree = limit - given.filter(at => at > now - WINDOW_MS - SLOT_MS).length;
    answers.push({ now, wanted, answer, inWindow, surelyFree });
    given.push(...Array<number>(answer.granted).fill(now));
  }
  return { given, answers, window };
}

const runs = fc.array(
  fc.record({
    gap: fc.oneof(
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 90_000 }),
    ),
    wanted: fc.integer({ min: 1, max: 8 }),
  }),
  { maxLength: 120 },
);
const limits = fc.integer({ min: 1, max: 30 });

describe('sliding window', () => {
  it('never grants more than its limit within any interval of its length', () => {
    fc.assert(
      fc.property(limits, runs, (limit, steps) => {
        const { given } = play(limit, steps);
        for (const [index, at] of given.entries()) {
          const later = given[index + limit];
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(WINDOW_MS);
        }
      }),
    );
  });

  it('refuses no permit that has been free for a slot', () => {
    fc.assert(
      fc.property(limits, runs, (limit, steps) => {
        for (const { wanted, answer, surelyFree } of play(limit, steps).answers) {
          expect(answer.granted).toBeGreaterThanOrEqual(Math.min(wanted, surelyFree));
        }
      }),
    );
  });

  it('gives the correct time of the next permit, never later than its length', () => {
    fc.assert(
      fc.property(limits, runs, (limit, steps) => {
        const { answers, window } = play(limit, steps);
        const last = answers.at(-1);
        if (!last) return;
        const { waitMs, remaining } = last.answer;
        expect(waitMs === null).toBe(remaining > 0);
        if (waitMs === null) return;
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(WINDOW_MS);
        const ask = (at: number) =>
          takeFrom(structuredClone(window), { wanted: 1, limit, windowMs: WINDOW_MS }, at).granted;
        expect(ask(last.now + waitMs - 1)).toBe(0);
        expect(ask(last.now + waitMs)).toBe(1);
      }),
    );
  });

  it('stores no more than its slots for any number of permits', () => {
    const window: Window = { slots: [] };
    for (let at = 0; at < 3 * WINDOW_MS; at += 10)
      takeFrom(window, { wanted: 5, limit: 100_000, windowMs: WINDOW_MS }, at);
    expect(window.slots.length).toBeLessThanOrEqual(SLOTS + 1);
  });

  it('frees no permit early when the clock goes back', () => {
    const window: Window = { slots: [] };
    const want = { wanted: 3, limit: 3, windowMs: WINDOW_MS };
    expect(takeFrom(window, want, 100_000).granted).toBe(3);
    expect(takeFrom(window, want, 10_000).granted).toBe(0);
    expect(takeFrom(window, want, 159_999).granted).toBe(0);
    expect(takeFrom(window, want, 160_000).granted).toBe(3);
  });
});
