/** A logistic regression over standardised numbers. */
export interface Linear {
  mean: number[];
  scale: number[];
  weight: number[];
  bias: number;
}

/** Returns the log odds for these values, in the order of the weights. A value that is not a number says nothing. */
export function logOddsOf({ mean, scale, weight, bias }: Linear, values: ArrayLike<number>): number {
  let sum = bias;
  for (let i = 0; i < weight.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    // Clamped, so that one extreme value cannot outvote all others.
    sum += weight[i]! * Math.max(-3, Math.min(3, (value - mean[i]!) / scale[i]!));
  }
  return sum;
}
