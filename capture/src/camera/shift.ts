import type { Grey } from '../hints/grey.ts';

/** Longest side of the finest level, in pixels. Larger ones cost more than the precision they add. */
const FINEST = 120;
const LEVELS = 3;
/** Farthest shift that is looked for, as a share of the longer side. */
const REACH = 0.25;

type Plane = { width: number; height: number; data: Float32Array };

/** A picture's edges at three sizes, coarsest first: without brightness and shading, so that a change of light is no movement. */
export type Outline = {
  levels: Plane[];
  /** Contrast of the edges: root mean square in grey levels. Near 0 for an even wall. */
  detail: number;
};

export type Shift = {
  /** Movement of the content as a share of the longer side; x to the right, y down. */
  x: number;
  y: number;
  /** Correlation of the pictures when laid on each other, -1..1. */
  fit: number;
};

export function outlineOf(grey: Grey): Outline {
  let plane = shrunk(grey, FINEST);
  const levels = [plane];
  while (levels.length < LEVELS) {
    plane = shrunk(plane, Math.round(Math.max(plane.width, plane.height) / 2));
    levels.unshift(plane);
  }
  const edges = levels.map(highPass);
  const { data } = edges[LEVELS - 1]!;
  return { levels: edges, detail: Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length) };
}

/**
 * Returns how far the content moved from `before` to `after`: the shift with the highest correlation, searched from coarse to fine, then to a
 * fraction of a pixel by the parabola through its neighbours. 0 for pictures without structure.
 */
export function shiftBetween(before: Outline, after: Outline): Shift {
  let [x, y, fit] = [0, 0, 0];
  for (let level = 0; level < LEVELS; level++) {
    const [a, b] = [before.levels[level]!, after.levels[level]!];
    const side = Math.max(a.width, a.height);
    const reach = level === 0 ? Math.round(REACH * side) : 1;
    // A small overlap fits easily. Finer levels look around one place only, where the overlap would pull to the middle.
    const agreement = level === 0 ? overlapping : correlation;
    const [cx, cy] = [Math.round(x * side), Math.round(y * side)];
    let best = { dx: cx, dy: cy, fit: agreement(a, b, cx, cy) };
    for (let dy = cy - reach; dy <= cy + reach; dy++) {
      for (let dx = cx - reach; dx <= cx + reach; dx++) {
        const found = agreement(a, b, dx, dy);
        if (found > best.fit + 1e-6) best = { dx, dy, fit: found };
      }
    }
    const { dx, dy } = best;
    fit = best.fit;
    x = (dx + peak(agreement(a, b, dx - 1, dy), fit, agreement(a, b, dx + 1, dy))) / side;
    y = (dy + peak(agreement(a, b, dx, dy - 1), fit, agreement(a, b, dx, dy + 1))) / side;
  }
  return { x, y, fit };
}

/** Place of the parabola's peak between -0.5 and 0.5, from its values at -1, 0 and 1. */
function peak(low: number, middle: number, high: number): number {
  const bend = low - 2 * middle + high;
  return bend < -1e-9 ? Math.max(-0.5, Math.min(0.5, (low - high) / (2 * bend))) : 0;
}

/** Correlation, lowered where little overlaps. */
function overlapping(a: Plane, b: Plane, dx: number, dy: number): number {
  const share = (1 - Math.abs(dx) / a.width) * (1 - Math.abs(dy) / a.height);
  return correlation(a, b, dx, dy) * (0.7 + 0.3 * share);
}

/** Correlation at a whole shift. */
function correlation(a: Plane, b: Plane, dx: number, dy: number): number {
  const { width, height } = a;
  const [left, right] = [Math.max(0, -dx), Math.min(width, width - dx)];
  let [ab, aa, bb, n] = [0, 0, 0, 0];
  for (let y = Math.max(0, -dy); y < Math.min(height, height - dy); y++) {
    const to = (y + dy) * width + dx;
    for (let x = left; x < right; x++) {
      const p = a.data[y * width + x]!;
      const q = b.data[to + x]!;
      ab += p * q;
      aa += p * p;
      bb += q * q;
      n++;
    }
  }
  // One grey level of noise in each picture is no agreement.
  return n === 0 ? 0 : ab / (Math.sqrt(aa * bb) + n);
}

/** Averages whole and partial pixels until the longer side has `side` pixels. */
function shrunk({ width, height, data }: Plane, side: number): Plane {
  const scale = Math.min(1, side / Math.max(width, height));
  if (scale === 1) return { width, height, data };
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const sums = new Float32Array(w * h);
  const counts = new Float32Array(w * h);
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * h) / height) * w;
    for (let x = 0; x < width; x++) {
      const at = row + Math.floor((x * w) / width);
      sums[at]! += data[y * width + x]!;
      counts[at]!++;
    }
  }
  return { width: w, height: h, data: sums.map((sum, i) => sum / Math.max(1, counts[i]!)) };
}

/** Subtracts the mean of the surroundings, an eighth of the longer side in each direction. */
function highPass({ width, height, data }: Plane): Plane {
  const radius = Math.max(2, Math.round(Math.max(width, height) / 8));
  // Sums of all above and to the left: the mean of any rectangle takes four of them.
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += data[y * width + x]!;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  const edges = new Float32Array(data.length);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - radius) * (width + 1), Math.min(height, y + radius + 1) * (width + 1)];
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.max(0, x - radius), Math.min(width, x + radius + 1)];
      const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!;
      const count = ((bottom - top) / (width + 1)) * (right - left);
      edges[y * width + x] = data[y * width + x]! - sum / count;
    }
  }
  return { width, height, data: edges };
}
