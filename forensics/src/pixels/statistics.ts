type Numbers = readonly number[] | Float32Array;

const sumOf = (values: Numbers, of: (value: number) => number): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += of(values[i]!);
  return sum;
};

export const mean = (values: Numbers): number => sumOf(values, value => value) / values.length;

export const rootMeanSquare = (values: Numbers): number =>
  Math.sqrt(sumOf(values, value => value * value) / Math.max(1, values.length));

/** Sums of products of two lists less their means. */
export function momentsOf(a: Numbers, b: Numbers): { ab: number; aa: number; bb: number } {
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i]! - ma) * (b[i]! - mb);
    aa += (a[i]! - ma) ** 2;
    bb += (b[i]! - mb) ** 2;
  }
  return { ab, aa, bb };
}

/** Returns the value below which a share `p` (0..1) of ascending values falls, interpolated between neighbours. */
export function quantile(sorted: number[], p: number): number {
  const place = (sorted.length - 1) * p;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (place - low);
}
