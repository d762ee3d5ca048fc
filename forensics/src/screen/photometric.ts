import type { Picture } from '../pixels/picture.ts';
import type { Features } from './feature-values.ts';

/** Measures the share of dark pixels along each side, relative to the middle. */
export function measureBorders(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const strip = Math.max(3, Math.round(0.06 * Math.min(width, height)));
  const dark = (x0: number, y0: number, x1: number, y1: number) => shareOfDark(grey, width, x0, y0, x1, y1);
  const sides = [
    dark(0, 0, width, Math.min(strip, height)),
    dark(0, Math.max(0, height - strip), width, height),
    dark(0, 0, Math.min(strip, width), height),
    dark(Math.max(0, width - strip), 0, width, height),
  ].sort((a, b) => a - b);
  const centre = dark(width >> 2, height >> 2, width - (width >> 2), height - (height >> 2));
  features.border_min = sides[0];
  features.border_second = sides[1];
  features.border_max = sides[3];
  features.border_mean = (sides[0] + sides[1] + sides[2] + sides[3]) / 4;
  features.centre_dark = centre;
  features.border_less_centre = features.border_mean - centre;
}

function shareOfDark(grey: Uint8Array, width: number, x0: number, y0: number, x1: number, y1: number): number {
  let count = 0;
  for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) if (grey[y * width + x]! < 45) count++;
  return count / Math.max(1, (x1 - x0) * (y1 - y0));
}

/** Measures tones, colours, colourfulness, haze and sharpness. */
export function measurePhotometrics(picture: Picture, grey: Uint8Array, features: Features): void {
  const n = grey.length;
  const histogram = new Uint32Array(256);
  let sum = 0;
  let squares = 0;
  for (const v of grey) {
    histogram[v]++;
    sum += v;
    squares += v * v;
  }
  const mean = sum / n;
  features.tone_deviation = Math.sqrt(Math.max(0, squares / n - mean * mean));
  for (const p of [1, 5, 25, 50, 75, 95, 99]) features[`tone_p${p}`] = percentile(histogram, n, p / 100);
  let saturation = 0;
  let rgSum = 0;
  let rgSquares = 0;
  let ybSum = 0;
  let ybSquares = 0;
  let highR = 0;
  let highB = 0;
  let highN = 0;
  const bright = features.tone_p95;
  for (let i = 0; i < n; i++) {
    const r = picture.data[3 * i];
    const g = picture.data[3 * i + 1];
    const b = picture.data[3 * i + 2];
    const max = Math.max(r, g, b);
    saturation += max > 0 ? (max - Math.min(r, g, b)) / max : 0;
    const rg = r - g;
    const yb = (r + g) / 2 - b;
    rgSum += rg;
    rgSquares += rg * rg;
    ybSum += yb;
    ybSquares += yb * yb;
    if (grey[i] >= bright) {
      highR += r - g;
      highB += b - g;
      highN++;
    }
  }
  features.saturation = saturation / n;
  haze(picture, features);
  const rgMean = rgSum / n;
  const ybMean = ybSum / n;
  const spread = Math.sqrt(Math.max(0, rgSquares / n - rgMean ** 2) + Math.max(0, ybSquares / n - ybMean ** 2));
  // Hasler and Susstrunk's colourfulness.
  features.colourfulness = spread + 0.3 * Math.hypot(rgMean, ybMean);
  features.cast_yellow = ybMean;
  features.highlight_red = highR / Math.max(1, highN);
  features.highlight_blue = highB / Math.max(1, highN);
}

/**
 * Measures the darkest channel in blocks of 8 x 8 pixels (the dark channel of haze removal): a lit panel, its reflections and glare raise
 * it everywhere. Also measures the distribution of sharpness, and how blue and bright the blocks are.
 */
function haze(picture: Picture, features: Features): void {
  const { width, height, data } = picture;
  const blocks = Math.floor(width / 8) * Math.floor(height / 8);
  const darkest = new Uint8Array(blocks);
  const activity = new Float64Array(blocks);
  for (let y = 0, block = 0; y + 8 <= height; y += 8) {
    for (let x = 0; x + 8 <= width; x += 8, block++) {
      let low = 255;
      let change = 0;
      for (let j = 0; j < 8; j++) {
        for (let i = 0, at = ((y + j) * width + x) * 3; i < 8; i++, at += 3) {
          low = Math.min(low, data[at], data[at + 1], data[at + 2]);
          if (i > 0) change += Math.abs(data[at + 1] - data[at - 2]);
        }
      }
      darkest[block] = low;
      activity[block] = change / 56;
    }
  }
  darkest.sort();
  activity.sort();
  const at = (values: Uint8Array | Float64Array, p: number): number => values[Math.floor((values.length - 1) * p)] ?? 0;
  features.haze_p5 = at(darkest, 0.05);
  features.haze_p50 = at(darkest, 0.5);
  features.haze_p95 = at(darkest, 0.95);
  features.activity_p10 = Math.log(at(activity, 0.1) + 0.3);
  features.activity_p50 = Math.log(at(activity, 0.5) + 0.3);
  features.activity_p90 = Math.log(at(activity, 0.9) + 0.3);
}

function percentile(histogram: Uint32Array, n: number, p: number): number {
  let seen = 0;
  for (let v = 0; v < 256; v++) {
    seen += histogram[v];
    if (seen >= p * n) return v;
  }
  return 255;
}
