import { type Homography, means, type Overlaid, overlaid, type Shifts } from './overlay.ts';
import type { Plane } from './plane.ts';

/** Windows of the steps, as fractions of the longer side: from the course of a wave to its detail. */
const WINDOWS = [12, 12, 12, 24, 24, 24, 48, 48];
/** Farthest that a sample may move, as a fraction of the longer side. */
const FARTHEST = 0.03;
/** Weight of standing still, as a fraction of the mean contrast: places without contrast stay where they are. */
const INERTIA = 0.05;

/**
 * The correlation of two pictures after the one is bent onto the other by a smooth field of shifts. Estimates optical flow in windows that
 * shrink (Lucas and Kanade, "An iterative image registration technique", IJCAI 1981). `start` is what `overlaid` returns for `at`.
 */
export function bentCorrelation(still: Plane, moved: Plane, at: Homography, start: Overlaid): number {
  const { width, height } = still;
  const longest = Math.max(width, height);
  const everywhere = new Uint8Array(width * height).fill(1);
  const smooth = (field: Float32Array, mask: Uint8Array, reach: number) => means(field, mask, width, height, reach);
  const farthest = longest * FARTHEST;
  const clamp = (value: number) => Math.max(-farthest, Math.min(farthest, value));
  let shifts: Shifts = { x: new Float32Array(width * height), y: new Float32Array(width * height) };
  let overlay = start;
  for (const window of WINDOWS) {
    const reach = Math.max(1, Math.round(longest / window));
    const { mask } = overlay;
    const [xx, xy, yy, xr, yr] = gradientProducts(overlay, width, height).map(product =>
      smooth(smooth(product, mask, reach), mask, reach),
    ) as Products;
    const contrast = xx.reduce((sum, value, i) => sum + value + yy[i]!, 0) / xx.length;
    const inertia = contrast * INERTIA + 1e-6;
    for (let i = 0; i < xx.length; i++) {
      const [a, b, c] = [xx[i]! + inertia, xy[i]!, yy[i]! + inertia];
      const determinant = a * c - b * b;
      shifts.x[i] = clamp(shifts.x[i]! + (c * xr[i]! - b * yr[i]!) / determinant);
      shifts.y[i] = clamp(shifts.y[i]! + (a * yr[i]! - b * xr[i]!) / determinant);
    }
    const half = Math.max(1, reach >> 1);
    shifts = { x: smooth(shifts.x, everywhere, half), y: smooth(shifts.y, everywhere, half) };
    overlay = overlaid(still, moved, at, shifts);
  }
  return overlay.correlation;
}

type Products = [xx: Float32Array, xy: Float32Array, yy: Float32Array, xr: Float32Array, yr: Float32Array];

/** Products of the warped picture's gradients with each other and with the residual, 0 outside the common area. */
function gradientProducts({ still, warped, mask, gain }: Overlaid, width: number, height: number): Products {
  const products = Array.from({ length: 5 }, () => new Float32Array(width * height)) as Products;
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      if (!(mask[i] && mask[i - 1] && mask[i + 1] && mask[i - width] && mask[i + width])) continue;
      const gx = ((warped[i + 1]! - warped[i - 1]!) / 2) * gain;
      const gy = ((warped[i + width]! - warped[i - width]!) / 2) * gain;
      const residual = still[i]! - gain * warped[i]!;
      for (const [at, product] of [gx * gx, gx * gy, gy * gy, gx * residual, gy * residual].entries())
        products[at]![i] = product;
    }
  return products;
}
