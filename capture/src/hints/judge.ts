import { isTooSmallToClear } from '@firsthand/contract/capture/sizes.ts';
import type { Grey } from './grey.ts';
import type { Hint } from './hint.ts';

/** Below this short side, small print is unreadable. */
const SMALL_PX = 600;
/** Below this median grey level, a person would turn on a light. */
const DARK_LEVEL = 38;
const BRIGHT_LEVEL = 96;

/** Computes the hints from a small grey picture and the original's size in pixels. */
export function judge(grey: Grey, full: { width: number; height: number }): Hint[] {
  // First: this one changes what the check can say.
  const hints: Hint[] = isTooSmallToClear(full) ? ['tooSmall'] : [];
  const dark = isDark(grey);
  if (dark) hints.push('dark');
  // A dark picture has no detail to judge.
  else if (isBlurred(grey)) hints.push('blurred');
  if (!dark && hasFinger(grey)) hints.push('finger');
  if (!isTooSmallToClear(full) && Math.min(full.width, full.height) < SMALL_PX) hints.push('small');
  if (hints.length === 0 && isTilted(grey)) hints.push('tilted');
  return hints;
}

/** Half of the picture is nearly black, and hardly anything is bright. */
export function isDark({ data }: Grey): boolean {
  const counts = new Uint32Array(256);
  for (const value of data) counts[Math.max(0, Math.min(255, value | 0))]!++;
  const darker = (level: number) => counts.subarray(0, level).reduce((sum, count) => sum + count, 0) / data.length;
  return darker(DARK_LEVEL) > 0.5 && darker(BRIGHT_LEVEL) > 0.9;
}

/**
 * Sharp edges change within one or two pixels, blurred ones over many. Compares the steepest second difference with the local contrast
 * around it. A picture without content (a white wall) does not count as blurred.
 */
function isBlurred({ width, height, data }: Grey): boolean {
  const ratios: number[] = [];
  const cell = 24;
  for (let y0 = 1; y0 + cell < height; y0 += cell) {
    for (let x0 = 1; x0 + cell < width; x0 += cell) {
      let low = 255;
      let high = 0;
      let steepest = 0;
      for (let y = y0; y < y0 + cell; y++) {
        for (let x = x0; x < x0 + cell; x++) {
          const at = y * width + x;
          const here = data[at]!;
          low = Math.min(low, here);
          high = Math.max(high, here);
          const bend = Math.abs(4 * here - data[at - 1]! - data[at + 1]! - data[at - width]! - data[at + width]!);
          steepest = Math.max(steepest, bend);
        }
      }
      if (high - low > 40) ratios.push(steepest / (high - low));
    }
  }
  if (ratios.length < 6) return false;
  ratios.sort((a, b) => a - b);
  return ratios[Math.floor(ratios.length * 0.9)]! < 0.28;
}

/** Detects a finger on the lens: a smooth region in a corner, larger than a sixth of the picture and unlike the rest. */
function hasFinger({ width, height, data }: Grey): boolean {
  const columns = 6;
  const rows = 6;
  const mean: number[] = [];
  const spread: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      let squares = 0;
      let n = 0;
      for (let y = Math.floor((row * height) / rows); y < Math.floor(((row + 1) * height) / rows); y += 2) {
        for (let x = Math.floor((column * width) / columns); x < Math.floor(((column + 1) * width) / columns); x += 2) {
          const value = data[y * width + x]!;
          sum += value;
          squares += value * value;
          n++;
        }
      }
      mean.push(sum / n);
      spread.push(Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2)));
    }
  }
  const detailed = spread.filter(s => s > 14).length / spread.length;
  if (detailed < 0.35) return false;
  for (const [r, c] of [
    [0, 0],
    [0, columns - 1],
    [rows - 1, 0],
    [rows - 1, columns - 1],
  ] as const) {
    // Grows from the corner over smooth cells of similar level.
    const seen = new Set<number>();
    const queue = [r * columns + c];
    const level = mean[queue[0]!]!;
    if (level > 120) continue;
    while (queue.length > 0) {
      const at = queue.pop()!;
      if (seen.has(at) || spread[at]! > 9 || Math.abs(mean[at]! - level) > 26) continue;
      seen.add(at);
      const [row, column] = [Math.floor(at / columns), at % columns];
      if (row > 0) queue.push(at - columns);
      if (row < rows - 1) queue.push(at + columns);
      if (column > 0) queue.push(at - 1);
      if (column < columns - 1) queue.push(at + 1);
    }
    const rest = mean.filter((_, at) => !seen.has(at));
    const average = rest.reduce((sum, value) => sum + value, 0) / Math.max(1, rest.length);
    if (seen.size >= 5 && seen.size <= 22 && average - level > 45) return true;
  }
  return false;
}

/**
 * A page's edges lie along two directions at right angles. The page is tilted when most strong edges agree on such a pair and it is turned
 * by 8 to 37 degrees. Scenes without such a pair get no hint.
 */
function isTilted({ width, height, data }: Grey): boolean {
  const bins = new Float64Array(90);
  let total = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      // The Sobel operator gives more accurate directions than plain differences.
      const dx =
        data[at - width + 1]! -
        data[at - width - 1]! +
        data[at + width + 1]! -
        data[at + width - 1]! +
        2 * (data[at + 1]! - data[at - 1]!);
      const dy =
        data[at + width - 1]! -
        data[at - width - 1]! +
        data[at + width + 1]! -
        data[at - width + 1]! +
        2 * (data[at + width]! - data[at - width]!);
      const strength = Math.hypot(dx, dy);
      if (strength < 160) continue;
      const angle = ((Math.atan2(dy, dx) * 180) / Math.PI + 360) % 90;
      bins[Math.floor(angle)]! += strength;
      total += strength;
    }
  }
  if (total < width * height * 6) return false;
  let best = 0;
  let share = 0;
  for (let at = 0; at < 90; at++) {
    let sum = 0;
    for (let d = -3; d <= 3; d++) sum += bins[(at + d + 90) % 90]!;
    if (sum > share) [best, share] = [at, sum];
  }
  const off = Math.min(best, 90 - best);
  return share / total > 0.5 && off >= 8 && off <= 37;
}
