import type { Features } from './feature-values.ts';
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
  /** Models that are always scored on every part have no early stages. */
  first?: FirstStage;
  second?: SecondStage;
}

/**
 * The first stage of a cascade (Viola and Jones, CVPR 2001): a picture whose log odds by only these parts lie below `clears` is clear, and the other
 * parts are not measured.
 */
interface FirstStage {
  /** How many of `Model.parts`, from the first. */
  parts: number;
  platt: { a: number; b: number; perHalving: number };
  clears: number;
}

/**
 * The second stage: a picture that even an appearance of `most` would not make doubtful is clear. Its appearance is not measured and counts as
 * `typical`.
 */
interface SecondStage {
  most: number;
  typical: number;
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
  const cleared = clearedByFirst(model, features);
  if (cleared !== undefined) return cleared;
  const logOdds = withoutAppearance(model, features);
  return clearWithout(model, logOdds) ?? logistic(logOdds + seen(model, features.appearance ?? 0));
}

/** Returns the log odds by everything but the appearance. */
function withoutAppearance({ features: names, trees, treesBias, treesShare, parts, platt }: Model, features: Features) {
  const values = valuesOf(names, features);
  let score = treesBias;
  for (const tree of trees) score += leafOf(tree, values);
  const { a, b, perHalving = 0 } = platt;
  return a * (sumOf(parts, features) + treesShare * score) + b + perHalving * halvings(features);
}

/** Returns what this appearance adds to the log odds. */
const seen = ({ platt }: Model, appearance: number): number => (platt.appearance ?? 0) * appearance;

/** Returns the probability of a picture that is clear whatever its appearance. Reads all features but that. */
export function clearedBySecond(model: Model, features: Features): number | undefined {
  return clearWithout(model, withoutAppearance(model, features));
}

/** Returns the probability of a picture that these log odds, by everything but the appearance, make clear. */
function clearWithout(model: Model, logOdds: number): number | undefined {
  const { second, thresholds } = model;
  if (!second) return undefined;
  if (logistic(logOdds + seen(model, second.most)) >= thresholds.doubtful) return undefined;
  return logistic(logOdds + seen(model, second.typical));
}

/** Returns the probability by the first stage, if that is so low that the picture is clear. */
export function clearedByFirst({ first, parts }: Model, features: Features): number | undefined {
  if (!first) return undefined;
  const { a, b, perHalving } = first.platt;
  const logOdds = a * sumOf(parts.slice(0, first.parts), features) + b + perHalving * halvings(features);
  return logOdds < first.clears ? logistic(logOdds) : undefined;
}

function valuesOf(names: string[], features: Features): number[] {
  const values: number[] = [];
  for (const name of names) values.push(features[name] ?? Number.NaN);
  return values;
}

function sumOf(parts: Part[], features: Features): number {
  let sum = 0;
  for (const part of parts) sum += logOddsOf(part, valuesOf(part.features, features));
  return sum;
}

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
