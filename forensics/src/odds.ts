/** The scores of a model on genuine pictures by sources that it was not fitted on. */
export interface GenuineScores {
  model: string;
  thresholds: { doubtful: number; confident: number };
  /** How many people, cameras or collections the pictures are by. */
  sources: number;
  /** Ascending. */
  scores: number[];
}

/** With fewer genuine pictures than this, no odds are given: even the highest score could not be called rarer than 1 in 100. */
export const LEAST_GENUINE = 99;

/** Returns how many of these scores, in ascending order, are at least this high. */
export function asHigh(scores: readonly number[], score: number): number {
  const below = scores.findIndex(known => known >= score);
  return below < 0 ? 0 : scores.length - below;
}

/** Rounds to two significant digits; odds are no more exact than that. */
function twoDigits(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / step) * step;
}

/**
 * Returns how rare a score is among genuine pictures, by the conformal p-value (1 + as high) / (1 + pictures): a score above all of them is
 * not called impossible. Null when there are too few pictures to say.
 */
export function oddsOf(pictures: number, high: number): { pictures: number; as_high: number; one_in: number } | null {
  if (pictures < LEAST_GENUINE) return null;
  return { pictures, as_high: high, one_in: twoDigits((pictures + 1) / (high + 1)) };
}

/** Returns the probability of these log odds. */
export const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));
