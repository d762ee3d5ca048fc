import { expect, it } from 'vitest';
import { clearedByFirst, clearedBySecond, type Model, predict } from './model.ts';

const model: Model = {
  name: 'test',
  parts: [
    { features: ['moire', 'border'], mean: [1, 0], scale: [2, 1], weight: [0.5, -1], bias: 0.25 },
    { features: ['context0'], mean: [0], scale: [3], weight: [3], bias: 0 },
  ],
  features: ['moire', 'context0'],
  trees: [
    { feature: [0], threshold: [4], left: [-1], right: [-2], missingLeft: [1], leaf: [-1, 1] },
    { feature: [1, 0], threshold: [0, 2], left: [-1, -2], right: [1, -3], missingLeft: [0, 1], leaf: [0, 5, 0.5] },
  ],
  treesBias: 0.1,
  treesShare: 2,
  platt: { a: 2, b: -3 },
  thresholds: { doubtful: 0.8, confident: 0.95 },
};
const logOdds = (features: Record<string, number>): number => {
  const p = predict(model, features);
  return Math.log(p / (1 - p));
};

it('predict adds regressions and trees, and calibrates the sum', () => {
  // 2 (0.25 + 0.5 (5 - 1) / 2 - 1 + 3 · 2 / 3 + 2 (0.1 + 1 + 0.5)) - 3
  expect(logOdds({ moire: 5, border: 1, context0: 2 })).toBeCloseTo(7.9, 6);
});

it('predict lets no extreme value outvote the others', () => {
  expect(logOdds({ moire: 1e6, border: 0, context0: 1 })).toBeCloseTo(logOdds({ moire: 7, border: 0, context0: 1 }), 6);
  expect(logOdds({ moire: -1e6, border: 0, context0: 1 })).toBeCloseTo(
    logOdds({ moire: -5, border: 0, context0: 1 }),
    6,
  );
});

it('predict skips a missing value in regressions, and follows the fitted branch in trees', () => {
  // The regressions contribute only their biases. The first tree goes left, the second right and then left.
  expect(logOdds({})).toBeCloseTo(2 * (0.25 + 2 * (0.1 - 1 + 5)) - 3, 6);
});

it('predict counts the halvings below 1,600 pixels, down to 700', () => {
  const sized = { ...model, platt: { ...model.platt, perHalving: 0.5 } };
  const more = (longSide: number): number => {
    const features = { moire: 1, border: 1, context0: -9, long_side: longSide };
    const p = predict(sized, features);
    return Math.log(p / (1 - p)) - logOdds(features);
  };
  expect(more(4000)).toBeCloseTo(0, 9);
  expect(more(1600)).toBeCloseTo(0, 9);
  expect(more(800)).toBeCloseTo(0.5, 9);
  expect(more(700)).toBeCloseTo(0.5 * Math.log2(16 / 7), 9);
  expect(more(500)).toBeCloseTo(more(700), 9);
});

it('predict weighs the appearance, for and against a display', () => {
  const seeing = { ...model, platt: { ...model.platt, appearance: 0.5 } };
  const plain = { moire: 1, border: 1, context0: -9 };
  const more = (appearance: number): number => {
    const p = predict(seeing, { ...plain, appearance });
    return Math.log(p / (1 - p)) - logOdds(plain);
  };
  expect(more(3)).toBeCloseTo(1.5, 9);
  expect(more(-3)).toBeCloseTo(-1.5, 9);
  expect(predict(model, { ...plain, appearance: 3 })).toBe(predict(model, plain));
});

it('predict answers only by the first stage for a picture that it clears', () => {
  const cascade = { ...model, first: { parts: 1, platt: { a: 1, b: -1, perHalving: 0.5 }, clears: -2 } };
  const features = { moire: -5, border: 0, context0: 9 };
  // 0.25 - 0.5 · 6 / 2 - 1 = -2.25, and half as large -1.75
  const logOdds = -2.25;
  expect(predict(cascade, { ...features, long_side: 1600 })).toBeCloseTo(1 / (1 + Math.exp(-logOdds)), 9);
  expect(clearedByFirst(cascade, { ...features, long_side: 800 })).toBeUndefined();
  expect(predict(cascade, { ...features, long_side: 800 })).toBe(predict(model, features));
  expect(clearedByFirst(model, features)).toBeUndefined();
});

it('predict counts what is not measured as typical if nothing up to the most would make a picture doubtful', () => {
  const features = { moire: 1, border: 1, context0: -9 };
  /** A model by whose first regression and appearance the features have these log odds. Doubtful begins at ln 4 = 1.39. */
  const giving = (given: number): Model => {
    // 2 (0.25 - 1) + 0.5 · 2, and b
    const platt = { ...model.platt, b: given + 0.5, appearance: 0.5 };
    return { ...model, platt, second: { parts: 1, most: 2, typical: -2 } };
  };
  const seen = { ...features, appearance: 2 };
  const [clear, open] = [giving(-0.62), giving(-0.6)];
  for (const context0 of [-9, 0, 9]) {
    expect(predict(clear, { ...seen, context0 })).toBe(clearedBySecond(clear, seen));
    expect(predict(clear, { ...seen, context0 })).toBeCloseTo(1 / (1 + Math.exp(2.62)), 9);
    expect(clearedBySecond(open, { ...seen, context0 })).toBeUndefined();
    expect(predict(open, { ...seen, context0 })).toBe(predict({ ...open, second: undefined }, { ...seen, context0 }));
  }
  expect(clearedBySecond({ ...clear, second: undefined }, seen)).toBeUndefined();
});
