import { expect, it } from 'vitest';
import { type Model, predict } from './model.ts';

const model: Model = {
  name: 'test',
  linear: { features: ['moire'], mean: [1], scale: [2], weight: [0.5], bias: 0.25 },
  tones: { features: ['border'], mean: [0], scale: [1], weight: [1], bias: 0 },
  tonesMost: 1.5,
  context: { features: ['context0'], mean: [0], scale: [3], weight: [3], bias: 0 },
  contextRange: { least: 1, most: 3 },
  waves: { features: ['wave'], mean: [0], scale: [1], weight: [2], bias: 0 },
  wavesRange: { least: 0.5, most: 3 },
  texture: { features: ['texture'], mean: [0], scale: [1], weight: [1], bias: 0 },
  textureRange: { least: 0, most: 2 },
  features: ['moire'],
  trees: [{ feature: [0], threshold: [4], left: [-1], right: [-2], missingLeft: [1], leaf: [-1, 1] }],
  treesBias: 0,
  shares: { linear: 0.6, context: 1.5, waves: 1, texture: 0.7, trees: 0.4 },
  platt: { a: 2, b: -3 },
  thresholds: { doubtful: 0.8, confident: 0.95 },
};
const logOdds = (features: Record<string, number>): number => {
  const p = predict(model, features);
  return Math.log(p / (1 - p));
};

it('adds what tiles, trees, context, waves and texture say, each by its share, and calibrates the sum', () => {
  // 2 (0.6 (0.25 + 0.5 (5 - 1) / 2) + 0.4 + 1.5 · 2 + 1 · 2 + 0.7 · 1) - 3
  expect(logOdds({ moire: 5, context0: 2, wave: 1, texture: 1 })).toBeCloseTo(10.7, 6);
});

it('lets tones count up to their most, and against a display without end', () => {
  expect(logOdds({ moire: 5, border: 1 }) - logOdds({ moire: 5 })).toBeCloseTo(2 * 0.6 * 1, 6);
  expect(logOdds({ moire: 5, border: 3 }) - logOdds({ moire: 5 })).toBeCloseTo(2 * 0.6 * 1.5, 6);
  expect(logOdds({ moire: 5, border: -3 }) - logOdds({ moire: 5 })).toBeCloseTo(2 * 0.6 * -3, 6);
});

it('lets a context that says little neither raise nor lower', () => {
  expect(logOdds({ moire: 5, context0: -3 })).toBeCloseTo(logOdds({ moire: 5, context0: 1 }), 6);
  expect(logOdds({ moire: 5, context0: 1.5 })).toBeGreaterThan(logOdds({ moire: 5, context0: 1 }));
});

it('lets no context count for more than its most', () => {
  expect(logOdds({ moire: 5, context0: 2.5 })).toBeLessThan(logOdds({ moire: 5, context0: 3 }));
  expect(logOdds({ moire: 5, context0: 9 })).toBeCloseTo(logOdds({ moire: 5, context0: 3 }), 6);
});

it('lets waves count within their range alone', () => {
  expect(logOdds({ moire: 5, wave: -3 })).toBeCloseTo(logOdds({ moire: 5, wave: 0.25 }), 6);
  expect(logOdds({ moire: 5, wave: 1 })).toBeGreaterThan(logOdds({ moire: 5, wave: 0.25 }));
  expect(logOdds({ moire: 5, wave: 3 })).toBeCloseTo(logOdds({ moire: 5, wave: 1.5 }), 6);
});

it('lets texture count within its range alone', () => {
  expect(logOdds({ moire: 5, texture: -3 })).toBeCloseTo(logOdds({ moire: 5, texture: 0 }), 6);
  expect(logOdds({ moire: 5, texture: 3 })).toBeCloseTo(logOdds({ moire: 5, texture: 2 }), 6);
});

it('clips an odd value and passes over a missing one', () => {
  expect(logOdds({ moire: 1e6, context0: 0 })).toBeCloseTo(logOdds({ moire: 7, context0: 0 }), 6);
  // The linear part is its bias, the tree goes where missing values go.
  expect(logOdds({ context0: 0 })).toBeCloseTo(2 * (0.6 * 0.25 - 0.4 + 1.5 + 0.5) - 3, 6);
});
