/** The slider runs over log odds: 0.5 to 0.9999 has the same room on both sides of 0.99. */
const LEAST = 0;
const MOST = Math.log(0.9999 / 0.0001);
export const STEPS = 200;

const round = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The threshold at a step of the slider. */
export const thresholdAt = (step: number): number =>
  round(1 / (1 + Math.exp(-(LEAST + (step / STEPS) * (MOST - LEAST)))));

/** The step that is nearest to a threshold. */
export const stepOf = (threshold: number): number => {
  const held = Math.min(0.9999, Math.max(0.5, threshold));
  return Math.round(((Math.log(held / (1 - held)) - LEAST) / (MOST - LEAST)) * STEPS);
};
