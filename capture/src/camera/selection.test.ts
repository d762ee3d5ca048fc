import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSelection, MOST_CROPS, MOST_FRAMES, type Point } from './selection.ts';

/** Films a path at 20 frames a second and returns the times of the kept frames. */
function film(path: readonly { x: number; y: number }[], hurryFrom = Number.POSITIVE_INFINITY) {
  const selection = createSelection<undefined>();
  path.forEach(({ x, y }, i) => {
    const point: Point = { at: i * 50, x, y };
    if (!selection.wants(point, i >= hurryFrom)) return;
    selection.add({ ...point, value: undefined, hasCrop: selection.wantsCrop(point, 1280) });
  });
  return selection;
}

const walk = fc.array(
  fc.record({
    x: fc.double({ min: -0.03, max: 0.03, noNaN: true }),
    y: fc.double({ min: -0.03, max: 0.03, noNaN: true }),
  }),
  { minLength: 30, maxLength: 500 },
);

test('createSelection keeps at most 32 frames and 12 crops in order, with the first, whatever the path', () => {
  fc.assert(
    fc.property(walk, steps => {
      const path = [{ x: 0, y: 0 }];
      for (const { x, y } of steps) path.push({ x: path.at(-1)!.x + x, y: path.at(-1)!.y + y });
      const { kept } = film(path);
      expect(kept.length).toBeLessThanOrEqual(MOST_FRAMES);
      expect(kept.filter(frame => frame.hasCrop).length).toBeLessThanOrEqual(MOST_CROPS);
      expect(kept[0]!.at).toBe(0);
      expect(kept.every((frame, i) => i === 0 || frame.at > kept[i - 1]!.at)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('createSelection keeps frames where the picture moves, and leaves no pause longer than 1.5 s in a film of 20 s', () => {
  // Rests for 8 s, moves by 0.3 in 2 s, rests for 10 s.
  const path = Array.from({ length: 400 }, (_, i) => ({ x: Math.max(0, Math.min(0.3, (i - 160) * 0.0075)), y: 0 }));
  const { kept } = film(path);
  const moving = kept.filter(({ at }) => at >= 8_000 && at <= 10_000);
  expect(moving.length).toBeGreaterThan(10);
  const pauses = kept.slice(1).map(({ at }, i) => at - kept[i]!.at);
  expect(Math.max(...pauses)).toBeLessThan(1_500);
});

test('createSelection has 16 frames of a camera at rest within two seconds when the film must end', () => {
  const { kept } = film(
    Array.from({ length: 40 }, () => ({ x: 0, y: 0 })),
    0,
  );
  expect(kept.length).toBeGreaterThanOrEqual(16);
});

test('dropBefore drops the waiting before the first move, and keeps the frame right before it', () => {
  const selection = film(Array.from({ length: 100 }, (_, i) => ({ x: Math.max(0, (i - 60) * 0.01), y: 0 })));
  const before = selection.kept.filter(({ at }) => at < 3_000).length;
  selection.dropBefore(3_000);
  expect(before).toBeGreaterThan(1);
  expect(selection.kept.filter(({ at }) => at < 3_000)).toHaveLength(1);
});
