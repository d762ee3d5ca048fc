/** To three decimals, as evidence is shown. */
export const round = (value: number): number => Math.round(value * 1_000) / 1_000;
