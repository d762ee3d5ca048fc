import { type Plane, sampleAt } from './plane.ts';

/** x' = (a·x + b·y + c) / (g·x + h·y + 1), y' = (d·x + e·y + f) / (g·x + h·y + 1). */
export type Homography = readonly [number, number, number, number, number, number, number, number];

export function mapped([a, b, c, d, e, f, g, h]: Homography, x: number, y: number): [number, number] {
  const w = g * x + h * y + 1;
  return w > 0.05 ? [(a * x + b * y + c) / w, (d * x + e * y + f) / w] : [Number.NaN, Number.NaN];
}

/** How far each sample moves, in pixels. */
export interface Shifts {
  x: Float32Array;
  y: Float32Array;
}

export interface Overlaid {
  still: Float32Array;
  warped: Float32Array;
  mask: Uint8Array;
  count: number;
  correlation: number;
  gain: number;
}

/**
 * Puts the searched picture on the stored one and correlates the common area, both without their brightness. `by` moves each sample of the
 * stored picture, in pixels, before it is mapped.
 */
export function overlaid(still: Plane, moved: Plane, at: Homography, by?: Shifts): Overlaid {
  const { width, height } = still;
  const longest = Math.max(width, height);
  const side = Math.max(moved.width, moved.height);
  const put = new Float32Array(width * height);
  const mask = new Uint8Array(width * height);
  let count = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const [u, v] = mapped(at, (x + 0.5 + (by?.x[i] ?? 0)) / longest, (y + 0.5 + (by?.y[i] ?? 0)) / longest);
      const value = sampled(moved, u * side - 0.5, v * side - 0.5);
      if (Number.isNaN(value)) continue;
      put[i] = value;
      mask[i] = 1;
      count += 1;
    }
  const reach = Math.round(longest / 8);
  const a = highPass(still.data, mask, width, height, reach);
  const b = highPass(put, mask, width, height, reach);
  let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i]) continue;
    sa += a[i]!;
    sb += b[i]!;
    saa += a[i]! * a[i]!;
    sbb += b[i]! * b[i]!;
    sab += a[i]! * b[i]!;
  }
  const [va, vb, cov] = [saa - (sa * sa) / count, sbb - (sb * sb) / count, sab - (sa * sb) / count];
  const spread = Math.sqrt(va * vb);
  const correlation = count > 0 && spread > 1e-6 ? cov / spread : 0;
  return { still: a, warped: b, mask, count, correlation, gain: vb > 1e-6 ? cov / vb : 1 };
}

/** NaN outside the plane. */
function sampled(plane: Plane, x: number, y: number): number {
  const inside = x >= -0.5 && y >= -0.5 && x <= plane.width - 0.5 && y <= plane.height - 0.5;
  return inside ? sampleAt(plane, x, y) : Number.NaN;
}

/** Means over squares of the masked samples. */
export function means(
  data: Float32Array,
  mask: Uint8Array,
  width: number,
  height: number,
  reach: number,
): Float32Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  const counts = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let [sum, count] = [0, 0];
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (mask[i]) {
        sum += data[i]!;
        count += 1;
      }
      const to = (y + 1) * (width + 1) + x + 1;
      sums[to] = sums[to - width - 1]! + sum;
      counts[to] = counts[to - width - 1]! + count;
    }
  }
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [x0, x1] = [Math.max(0, x - reach), Math.min(width, x + reach + 1)];
      const [y0, y1] = [Math.max(0, y - reach), Math.min(height, y + reach + 1)];
      const over = (table: Float64Array) =>
        table[y1 * (width + 1) + x1]! -
        table[y0 * (width + 1) + x1]! -
        table[y1 * (width + 1) + x0]! +
        table[y0 * (width + 1) + x0]!;
      out[y * width + x] = over(sums) / Math.max(1, over(counts));
    }
  return out;
}

/** The difference between a light blur and the mean of the surroundings, within the mask. */
function highPass(data: Float32Array, mask: Uint8Array, width: number, height: number, reach: number): Float32Array {
  const fine = means(data, mask, width, height, 1);
  const coarse = means(data, mask, width, height, reach);
  return fine.map((value, i) => value - coarse[i]!);
}
