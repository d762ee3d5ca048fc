import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGuide, ENOUGH, type GuideState, type Move, type Seen } from './guide.ts';

const AT: Record<Move, [number, number]> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
const seen = (at: number, x: number, y: number, change: Partial<Seen> = {}): Seen => ({
  at,
  x,
  y,
  fit: 0.9,
  detail: 20,
  dark: false,
  ...change,
});

/** Moves the camera along `moves`, each by `far` in 20 frames, with a rest before each. Returns all states. */
function follow(asked: readonly Move[], made: readonly Move[], far = 1.3 * ENOUGH, change: Partial<Seen> = {}) {
  const guide = createGuide(asked);
  const states: GuideState[] = [];
  let [at, x, y] = [1_000, 0, 0];
  const see = () => {
    at += 50;
    states.push(guide.see(seen(at, x, y, change)));
  };
  for (const move of made) {
    for (let i = 0; i < 6; i++) see();
    for (let i = 0; i < 20; i++) {
      x += (AT[move][0] * far) / 20;
      y += (AT[move][1] * far) / 20;
      see();
    }
  }
  return { guide, states, last: states.at(-1)! };
}

const challenges: Move[][] = (['left', 'right', 'up', 'down'] as const).flatMap(first =>
  (['left', 'right', 'up', 'down'] as const)
    .filter(second => (AT[first][0] !== 0) !== (AT[second][0] !== 0))
    .flatMap(second => [
      [first, second],
      [first, second, first],
    ]),
);

describe('createGuide', () => {
  test('is done when the camera made the moves in their order, and not after others', () => {
    for (const asked of challenges) {
      expect(follow(asked, asked).last.done, asked.join()).toBe(true);
      for (const other of challenges) {
        if (other.join().includes(asked.join())) continue;
        // Another order may contain the asked one as a part of it: right, up in up, right, up.
        const [, ...rest] = other;
        if (rest.join() === asked.join()) continue;
        expect(follow(asked, other).last.done, `${asked.join()} by ${other.join()}`).toBe(false);
      }
    }
  });

  test('fills the bar with the way and never leaves 0 to 1, whatever the camera does', () => {
    const step = fc.record({
      x: fc.double({ min: -0.05, max: 0.05, noNaN: true }),
      y: fc.double({ min: -0.05, max: 0.05, noNaN: true }),
      fit: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...challenges), fc.array(step, { maxLength: 200 }), (asked, steps) => {
        const guide = createGuide(asked);
        let [x, y, move] = [0, 0, 0];
        steps.forEach((next, i) => {
          x += next.x;
          y += next.y;
          const state = guide.see(seen(i * 50, x, y, { fit: next.fit }));
          expect(state.progress).toBeGreaterThanOrEqual(0);
          expect(state.progress).toBeLessThanOrEqual(1);
          expect(state.move).toBeGreaterThanOrEqual(move);
          move = state.move;
        });
      }),
    );
    const { states } = follow(['right', 'up'], ['right'], 0.9 * ENOUGH);
    const filled = states.map(state => state.progress);
    expect(filled).toEqual([...filled].sort((a, b) => a - b));
    expect(filled.at(-1)).toBeCloseTo(0.9, 1);
  });

  test('counts a move from where it begins, however the camera wandered before', () => {
    const { last, guide } = follow(['right', 'up'], ['down', 'left', 'right', 'up']);
    expect(last.done).toBe(true);
    expect(guide.beganAt).toBeGreaterThan(3_000);
  });

  test('asks for a little more after a detour, so that the moves explain most of the way', () => {
    const direct = follow(['right', 'up'], ['right', 'up']);
    const detour = follow(['right', 'up'], ['right', 'down', 'right', 'up']);
    const longer = follow(['right', 'up'], ['right', 'down', 'right', 'up', 'up', 'up']);
    expect(direct.last.done).toBe(true);
    expect(detour.last.done).toBe(false);
    expect(detour.last.move).toBe(1);
    expect(longer.last.done).toBe(true);
  });

  test('counts a move again that could not be followed', () => {
    expect(follow(['right', 'up'], ['right'], 1.3 * ENOUGH, { fit: 0.2 }).last).toMatchObject({
      move: 0,
      hint: 'fast',
    });
  });

  /** The same moves by a phone whose motion sensor says which share of the way comes from turning. */
  function turning(share: number, far = 1.3 * ENOUGH) {
    const guide = createGuide(['right', 'up']);
    let state: GuideState | undefined;
    const hints = new Set<string | undefined>();
    for (let i = 0; i <= 60; i++) {
      const x = (far * i) / 60;
      state = guide.see(seen(1_000 + i * 30, x, 0, { turned: { x: share * x, y: 0 } }));
      hints.add(state.hint);
    }
    return { move: state!.move, progress: state!.progress, hints };
  }

  test('does not fill the bar for a phone that only turns, says so, and lets it go on after a long way', () => {
    expect(turning(0)).toMatchObject({ move: 1 });
    // A hand that slides and turns back sees less of a way than it slid.
    expect(turning(-0.4)).toMatchObject({ move: 1 });
    expect(turning(0.4)).toMatchObject({ move: 1 });
    const turned = turning(1);
    expect(turned).toMatchObject({ move: 0, progress: 0 });
    expect(turned.hints).toContain('turned');
    expect(turning(1, 3 * ENOUGH).move).toBe(1);
  });

  test('speaks of the dark, of an even wall and of another direction', () => {
    expect(follow(['right', 'up'], ['right'], 0.01, { dark: true }).last.hint).toBe('dark');
    expect(follow(['right', 'up'], ['right'], 0.01, { detail: 0.5 }).last.hint).toBe('plain');
    expect(follow(['right', 'up'], ['down']).last.hint).toBe('other');
  });

  test('asks for more when the camera rests, and says nothing to who just begins', () => {
    const guide = createGuide(['left', 'up']);
    const hints = Array.from({ length: 100 }, (_, i) => guide.see(seen(i * 50, 0, 0)).hint);
    expect(hints.slice(0, 50).every(hint => hint === undefined)).toBe(true);
    expect(hints.at(-1)).toBe('more');
  });

  test('says that a jerk was too fast', () => {
    const guide = createGuide(['right', 'up']);
    const hints = Array.from({ length: 30 }, (_, i) => guide.see(seen(i * 50, -0.08 * i, 0)).hint);
    expect(hints).toContain('fast');
  });
});
