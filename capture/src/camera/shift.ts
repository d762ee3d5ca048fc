import type { Grey } from '../hints/picture.ts';

/**
 * Returns how far `after` moved sideways from `before`, in pixels of these small pictures. It is the shift of the column profiles with the
 * least mean absolute difference, up to a third of the width. 0 for pictures without structure.
 */
export function shiftBetween(before: Grey, after: Grey): number {
  const a = columnProfile(before);
  const b = columnProfile(after);
  const reach = Math.floor(a.length / 3);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  // Tries small shifts first, so that a flat picture, where all shifts fit equally, counts as unmoved.
  for (let distance = 0; distance <= reach; distance++) {
    for (const shift of distance === 0 ? [0] : [distance, -distance]) {
      let sum = 0;
      let n = 0;
      for (let x = Math.max(0, -shift); x < Math.min(a.length, a.length - shift); x++) {
        sum += Math.abs(a[x]! - b[x + shift]!);
        n++;
      }
      if (sum / n < least - 0.05) [best, least] = [shift, sum / n];
    }
  }
  return best;
}

/** Mean of each column minus the mean of all, which cancels brightness changes of the whole picture. */
function columnProfile({ width, height, data }: Grey): Float64Array {
  const profile = new Float64Array(width);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) profile[x]! += data[y * width + x]! / height;
  const mean = profile.reduce((sum, value) => sum + value, 0) / width;
  return profile.map(value => value - mean);
}
