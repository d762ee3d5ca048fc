import { random } from '@firsthand/forensics/pixels/random.ts';
import { quantile } from '@firsthand/forensics/pixels/statistics.ts';

/** Returns the probability that a positive scores above a negative (Mann and Whitney). Ties count half. */
export function areaUnderCurve(positives: number[], negatives: number[]): number {
  const all = [
    ...positives.map(score => ({ score, positive: 1 })),
    ...negatives.map(score => ({ score, positive: 0 })),
  ];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let i = 0; i < all.length; ) {
    let j = i;
    while (j < all.length && all[j]!.score === all[i]!.score) j++;
    for (let k = i; k < j; k++) if (all[k]!.positive) ranks += (i + j + 1) / 2;
    i = j;
  }
  const n = positives.length;
  return (ranks - (n * (n + 1)) / 2) / (n * negatives.length);
}

/** Returns the share of positives above the threshold that at most `rate` of the negatives exceed. */
export function foundAt(positives: number[], negatives: number[], rate: number): number {
  const sorted = [...negatives].sort((a, b) => b - a);
  const threshold = sorted[Math.floor(rate * sorted.length)] ?? Number.NEGATIVE_INFINITY;
  return positives.filter(score => score > threshold).length / positives.length;
}

/** A score and the person whose picture it is of. */
export interface ScoreOfPerson {
  positive: boolean;
  score: number;
  person: string;
}

/** A statistic of the scores of displays and of genuine pictures. */
type Statistic = (positives: number[], negatives: number[]) => number;

/** Returns the statistic of these scores. */
export const statisticOf = (scores: ScoreOfPerson[], statistic: Statistic): number =>
  statistic(
    scores.filter(({ positive }) => positive).map(({ score }) => score),
    scores.filter(({ positive }) => !positive).map(({ score }) => score),
  );

/**
 * Returns the 5%, 50% and 95% quantiles of a statistic over people drawn with replacement (the cluster bootstrap: Davison and Hinkley, "Bootstrap
 * Methods and their Application", 1997, section 3.8). One person's pictures resemble each other, so an interval over pictures would be too narrow. Draws
 * without a display or without a genuine picture are left out.
 */
export function overPeople(scores: ScoreOfPerson[], statistic: Statistic, draws = 1000): [number, number, number] {
  const people = [...Map.groupBy(scores, ({ person }) => person).values()];
  const rng = random(1);
  const found: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const drawn = people.flatMap(() => people[Math.floor(rng.uniform(0, people.length))]!);
    const value = statisticOf(drawn, statistic);
    if (!Number.isNaN(value)) found.push(value);
  }
  found.sort((a, b) => a - b);
  return [quantile(found, 0.05), quantile(found, 0.5), quantile(found, 0.95)];
}

/** Returns the person without whose pictures a statistic changes most, and its value without them. Undefined for fewer than two people. */
export function mostTelling(
  scores: ScoreOfPerson[],
  statistic: Statistic,
): { person: string; without: number } | undefined {
  const all = statisticOf(scores, statistic);
  const people = [...new Set(scores.map(({ person }) => person))];
  const left = people.map(person => ({
    person,
    without: statisticOf(
      scores.filter(one => one.person !== person),
      statistic,
    ),
  }));
  return left
    .filter(({ without }) => !Number.isNaN(without))
    .sort((a, b) => Math.abs(b.without - all) - Math.abs(a.without - all))[0];
}

/** Expected calibration error in ten bins of equal width, with equal class weights. */
export function calibrationError(positives: number[], negatives: number[]): number {
  const bins = Array.from({ length: 10 }, () => ({ weight: 0, predicted: 0, positive: 0 }));
  const add = (p: number, weight: number, positive: number): void => {
    const bin = bins[Math.min(9, Math.floor(p * 10))]!;
    bin.weight += weight;
    bin.predicted += weight * p;
    bin.positive += weight * positive;
  };
  for (const p of positives) add(p, 0.5 / positives.length, 1);
  for (const p of negatives) add(p, 0.5 / negatives.length, 0);
  return bins.reduce((sum, { predicted, positive }) => sum + Math.abs(predicted - positive), 0);
}

/** Returns the one-sided 95% upper bound for `k` of `n` (Clopper and Pearson), by bisection. */
export function upperBound(k: number, n: number): number {
  if (n === 0 || k >= n) return 1;
  const atMost = (p: number): number => {
    let term = (1 - p) ** n;
    let sum = term;
    for (let i = 1; i <= k; i++) {
      term *= ((n - i + 1) / i) * (p / (1 - p));
      sum += term;
    }
    return sum;
  };
  let low = k / n;
  let high = 1;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (atMost(middle) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the 95% interval of a rate of `k` in `n` (Wilson 1927). */
export function wilson(k: number, n: number): [low: number, high: number] {
  if (n === 0) return [0, 1];
  const z = 1.96;
  const p = k / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [k === 0 ? 0 : middle - half, k === n ? 1 : middle + half];
}
