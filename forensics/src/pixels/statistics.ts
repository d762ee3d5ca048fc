export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the value below which a share `p` (0..1) of ascending values falls, interpolated between neighbours. */
export function quantile(sorted: number[], p: number): number {
  const place = (sorted.length - 1) * p;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (place - low);
}
