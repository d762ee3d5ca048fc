/** The slider runs over log odds: 0.9 to 0.99 takes as much room as 0.999 to 0.9999. Clear photos of displays score above 0.9999. */
const HIGHEST = 0.99999;
const LEAST = 0;
const MOST = Math.log(HIGHEST / (1 - HIGHEST));
export const STEPS = 200;

const round = (value: number): number => Math.round(value * 1e7) / 1e7;

/** The threshold at a step of the slider. */
export const thresholdAt = (step: number): number =>
  round(1 / (1 + Math.exp(-(LEAST + (step / STEPS) * (MOST - LEAST)))));

/** The step that is nearest to a threshold. */
export const stepOf = (threshold: number): number => {
  const held = Math.min(HIGHEST, Math.max(0.5, threshold));
  return Math.round(((Math.log(held / (1 - held)) - LEAST) / (MOST - LEAST)) * STEPS);
};
