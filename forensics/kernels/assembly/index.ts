export { transform, transformWindowed } from './fft';
export { halveRow } from './halve';
export {
  BIN_OF,
  COSINES,
  CROSS_SUMS,
  HALVED,
  HANN,
  IM,
  LOWER,
  LUMA_BINS,
  OPPONENT_BINS,
  PEAKS,
  PIXELS,
  RE,
  ROW_PIXELS,
  SINES,
  TILE,
  UPPER,
} from './memory';
export { findPeaks } from './peaks';
export { split } from './spectrum';
export { loadTile, residual } from './tile';
