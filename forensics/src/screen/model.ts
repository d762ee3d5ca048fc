import type { Features } from './features.ts';
import { type Linear, logOddsOf } from './linear.ts';

/** A boosted tree with its nodes in arrays. A negative child `-(k + 1)` is leaf k. */
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

/** A logistic regression over the named features. */
interface Part extends Linear {
  features: string[];
}

/**
 * A committed model file. Four logistic regressions give log odds: over tiles and tones, over the objects in the
 * picture, over the waves through all tiles, and over texture. Boosted trees over all of it give another. Their sum is
 * calibrated.
 */
export interface Model {
  name: string;
  parts: Part[];
  /** The features that the trees read, by index. */
  features: string[];
  trees: Tree[];
  treesBias: number;
  /** Weight of the trees' log odds in the sum. */
  treesShare: number;
  /**
   * Platt, with the size and the appearance: p = 1 / (1 + exp(-(a * s + b + perHalving * h + appearance * l))), where h counts the halvings of `halvings` and l is
   * what `appearance.ts` says. Without `appearance` in models that are scored on pictures that network was trained on.
   */
  platt: { a: number; b: number; perHalving?: number; appearance?: number };
  /** Calibrated probabilities from which a picture is doubtful (reached by 1% of genuine ones) and confident (about 0.03%, extrapolated). */
  thresholds: { doubtful: number; confident: number };
  /** Without it in models that are always scored on every part. */
  first?: FirstStage;
}

/**
 * The first stage of a cascade (Viola and Jones, CVPR 2001): a picture whose log odds by these parts alone lie below `clears` is clear, and the other
 * parts are not measured.
 */
interface FirstStage {
  /** How many of `Model.parts`, from the first. */
  parts: number;
  platt: { a: number; b: number; perHalving: number };
  clears: number;
}

/** Long side, in pixels, of a picture that counts as full size, and of the smallest one that the fit has seen much of. */
const FULL = 1600;
const LEAST = 700;

/**
 * Returns how often a full-size picture was halved to this long side. A smaller picture keeps less of a display, so its score is lower; the same
 * score says more.
 */
const halvings = ({ long_side = FULL }: Features): number =>
  Math.log2(FULL / Math.min(FULL, Math.max(LEAST, long_side)));

/** Returns the calibrated probability (0..1) that the features are those of a photographed display or print. */
export function predict(model: Model, features: Features): number {
  const cleared = predictCleared(model, features);
  if (cleared !== undefined) return cleared;
  const values = valuesOf(model.features, features);
  const trees = model.trees.reduce((sum, tree) => sum + leafOf(tree, values), model.treesBias);
  const score = sumOf(model.parts, features) + model.treesShare * trees;
  const { a, b, perHalving = 0, appearance = 0 } = model.platt;
  return logistic(a * score + b + perHalving * halvings(features) + appearance * (features.appearance ?? 0));
}

/** Returns the probability by the first stage, if that is so low that the picture is clear. */
export function predictCleared({ first, parts }: Model, features: Features): number | undefined {
  if (!first) return undefined;
  const { a, b, perHalving } = first.platt;
  const logOdds = a * sumOf(parts.slice(0, first.parts), features) + b + perHalving * halvings(features);
  return logOdds < first.clears ? logistic(logOdds) : undefined;
}

const valuesOf = (names: string[], features: Features): number[] => names.map(name => features[name] ?? Number.NaN);

const sumOf = (parts: Part[], features: Features): number =>
  parts.reduce((sum, part) => sum + logOddsOf(part, valuesOf(part.features, features)), 0);

const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

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
