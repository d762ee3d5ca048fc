export { addLine, averageAcross, takeRow } from './boxes';
export { transform, transformWindowed } from './fft';
export { halveRow } from './halve';
export { lumaOfSums } from './luma';
export {
  BIN_OF,
  BINS,
  BLOCK,
  BOX_COUNTS,
  BOX_SHARES,
  BOXED,
  COLOUR_RINGS,
  COSINES,
  CROSS_SUMS,
  FREQUENCIES,
  HALVED,
  HANN,
  IM,
  LOWER,
  LUMA_BINS,
  LUMA_ROW,
  OPPONENT_BINS,
  PDQ_COSINES,
  PEAKS,
  PIXELS,
  RE,
  ROW_BOXES,
  ROW_PIXELS,
  SECTORS,
  SINES,
  SUMS,
  TILE,
  UPPER,
} from './memory';
export { gradients, lowFrequencies } from './pdq';
export { findPeaks } from './peaks';
export { split } from './spectrum';
export { addBytes, addShorts, clearSums } from './sums';
export { loadTile, residual } from './tile';
