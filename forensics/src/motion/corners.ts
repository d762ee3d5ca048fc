import { boxBlur } from '../pixels/blur.ts';
/** One channel, floating point, row by row. */
export interface Plane {
  width: number;
  height: number;
  data: Float32Array;
}

export interface Corner {
  x: number;
  y: number;
  strength: number;
}

const CELLS = 14;
const PER_CELL = 5;
const MARGIN = 24;
const STRENGTH = 12;

/**
 * Finds corners where both gradients are strong (smaller eigenvalue of the structure tensor, Shi and Tomasi 1994).
 * Keeps the best few of every grid cell, so that they cover all parts of the picture with detail.
 */
export function findCorners(plane: Plane, least = STRENGTH): Corner[] {
  const { width, height, data } = plane;
  const xx = new Float32Array(width * height);
  const xy = new Float32Array(width * height);
  const yy = new Float32Array(width * height);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const gx = data[at + 1] - data[at - 1];
      const gy = data[at + width] - data[at - width];
      xx[at] = gx * gx;
      xy[at] = gx * gy;
      yy[at] = gy * gy;
    }
  }
  for (const tensor of [xx, xy, yy]) boxBlur(tensor, width, height, 3);
  const response = new Float32Array(width * height);
  for (let i = 0; i < response.length; i++) {
    const half = (xx[i] - yy[i]) / 2;
    response[i] = (xx[i] + yy[i]) / 2 - Math.sqrt(half * half + xy[i] * xy[i]);
  }
  const cell = Math.max(16, Math.ceil(Math.max(width, height) / CELLS));
  const corners: Corner[] = [];
  for (let top = MARGIN; top < height - MARGIN; top += cell) {
    for (let left = MARGIN; left < width - MARGIN; left += cell) {
      const found: Corner[] = [];
      for (let y = top; y < Math.min(top + cell, height - MARGIN); y++) {
        for (let x = left; x < Math.min(left + cell, width - MARGIN); x++) {
          const at = y * width + x;
          const strength = response[at];
          if (strength < least || !isPeak(response, at, width)) continue;
          found.push({ x, y, strength });
        }
      }
      found.sort((a, b) => b.strength - a.strength);
      const kept: Corner[] = [];
      for (const corner of found) {
        if (kept.length >= PER_CELL) break;
        if (kept.every(other => Math.hypot(other.x - corner.x, other.y - corner.y) >= 8)) kept.push(corner);
      }
      corners.push(...kept);
    }
  }
  return corners;
}

function isPeak(response: Float32Array, at: number, width: number): boolean {
  const here = response[at];
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) if (response[at + dy * width + dx] > here) return false;
  }
  return true;
}
