import type { TraceFrame } from './trace.ts';

/** Frame rates of cameras and programs. */
const RATES = [15, 20, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
/** The page rounds times to 0.01 ms: two roundings, and the error of 30 frames a second in thirds of a millisecond. */
const ROUNDING = 0.025;
/** Fewer pauses between frames may be even by chance. */
const LEAST = 11;

/**
 * Whether all frames lie on the grid of one frame rate, as those of a program that counts frames. Files of real cameras are as even: 22 of
 * the 25 films of `research/presence/films` that are one file. So it is told and counts nowhere.
 */
export function hasEvenTimes(frames: readonly Pick<TraceFrame, 'at'>[]): boolean {
  const pauses = frames.slice(1).map(({ at }, i) => at - frames[i]!.at);
  return (
    pauses.length >= LEAST &&
    RATES.some(rate => {
      const period = 1000 / rate;
      return pauses.every(pause => Math.abs(pause - period * Math.round(pause / period)) <= ROUNDING);
    })
  );
}
