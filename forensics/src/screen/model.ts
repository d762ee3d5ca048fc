import { type Linear, logOddsOf } from '../networks/linear.ts';
import { logistic } from '../odds.ts';
import type { Features } from './feature-values.ts';

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
 * The second stage: a picture that is clear even if all that is not yet measured (the regressions after `parts`, and the trees) spoke for a display as
 * loudly as `most`, in log odds. These count as `typical`.
 */
interface SecondStage {
  /** How many of `Model.parts`, from the first, are measured by then. */
  parts: number;
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
export const halvings = ({ long_side = FULL }: Features): number =>
  Math.log2(FULL / Math.min(FULL, Math.max(LEAST, long_side)));

/** Returns the calibrated probability (0..1) that the features are those of a photographed display or print. */
export const predict = (model: Model, features: Features): number =>
  clearedByFirst(model, features) ?? clearedBySecond(model, features) ?? logistic(allLogOdds(model, features));

/** Returns the log odds by everything. */
function allLogOdds(model: Model, features: Features): number {
  const { features: names, trees, treesBias, treesShare, parts, platt } = model;
  const values = valuesOf(names, features);
  let score = treesBias;
  for (const tree of trees) score += leafOf(tree, values);
  return firstLogOdds(model, parts.length, features) + platt.a * treesShare * score;
}

/** Returns the log odds by the first regressions, the size and the appearance. */
function firstLogOdds({ parts, platt }: Model, count: number, features: Features): number {
  const { a, b, perHalving = 0, appearance = 0 } = platt;
  return (
    a * sumOf(parts.slice(0, count), features) +
    b +
    perHalving * halvings(features) +
    appearance * (features.appearance ?? 0)
  );
}

/** Returns the probability of a picture that the second stage clears. Reads the appearance and the regressions up to that stage. */
export function clearedBySecond(model: Model, features: Features): number | undefined {
  const { second, thresholds } = model;
  if (!second) return undefined;
  const logOdds = firstLogOdds(model, second.parts, features);
  return logistic(logOdds + second.most) < thresholds.doubtful ? logistic(logOdds + second.typical) : undefined;
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
