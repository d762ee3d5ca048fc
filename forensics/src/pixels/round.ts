/** Rounds to three decimals, the precision of all evidence. */
export const round = (value: number): number => Math.round(value * 1_000) / 1_000;
