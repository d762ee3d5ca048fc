import type { Features } from './features.ts';

/** One boosted tree, its nodes in arrays; a negative child `-(k + 1)` is leaf k. */
interface Tree {
  /** Index into `Model.features`, for every inner node. */
  feature: number[];
  /** Go left when the value is below it. */
  threshold: number[];
  left: number[];
  right: number[];
  /** 1 where a missing value goes left. */
  missingLeft: number[];
  leaf: number[];
}

/** A committed model file: standardised logistic regression and boosted trees, their log odds averaged, then calibrated. */
export interface Model {
  name: string;
  features: string[];
  linear: { mean: number[]; scale: number[]; weight: number[]; bias: number };
  trees: Tree[];
  treesBias: number;
  /** Share of the trees in the sum. */
  treesShare: number;
  /** Platt: p = 1 / (1 + exp(-(a * s + b))). */
  platt: { a: number; b: number };
  /** Calibrated probabilities above which a picture is doubtful (1% of genuine ones are) and confident (0.1%). */
  thresholds: { doubtful: number; confident: number };
}

/** Calibrated probability (0..1) that the features are those of a photographed display or print. */
export function predict(model: Model, features: Features): number {
  const values = model.features.map(name => features[name] ?? Number.NaN);
  const linear = linearScore(model, values);
  const trees = model.trees.reduce((sum, tree) => sum + leafOf(tree, values), model.treesBias);
  const score = model.treesShare * trees + (1 - model.treesShare) * linear;
  return 1 / (1 + Math.exp(-(model.platt.a * score + model.platt.b)));
}

function linearScore(model: Model, values: number[]): number {
  const { mean, scale, weight, bias } = model.linear;
  let sum = bias;
  for (let i = 0; i < weight.length; i++) {
    if (Number.isNaN(values[i])) continue;
    // An odd value of one feature must not outvote all the others.
    sum += weight[i] * Math.max(-3, Math.min(3, (values[i] - mean[i]) / scale[i]));
  }
  return sum;
}

function leafOf(tree: Tree, values: number[]): number {
  if (tree.feature.length === 0) return tree.leaf[0];
  let node = 0;
  for (;;) {
    const value = values[tree.feature[node]];
    const goLeft = Number.isNaN(value) ? tree.missingLeft[node] === 1 : value < tree.threshold[node];
    const next = goLeft ? tree.left[node] : tree.right[node];
    if (next < 0) return tree.leaf[-next - 1];
    node = next;
  }
}
