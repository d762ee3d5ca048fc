import { type Plane, sampleAt, shrink } from './plane.ts';

/** A corner and what surrounds it, in a frame that turns and scales with the picture. */
export interface Keypoint {
  /** Fractions of the longer side. */
  x: number;
  y: number;
  /** Half the width of the described patch, as a fraction of the longer side. */
  size: number;
  /** Radians. */
  angle: number;
  /** The signs of the patch's low frequencies: bit i is that of frequency {@link ORDER}[i]. */
  low: number;
  high: number;
  /** The bits of `low` that a small change flips first. */
  weak: number[];
}

/** How many corners are taken from planes of each longest side. */
type Counts = readonly (readonly [side: number, count: number])[];
/** Of a stored picture: half an octave apart, without the finest detail, which a copy may lose. */
export const STORED: Counts = [
  [362, 64],
  [256, 48],
  [181, 32],
  [128, 16],
];
/** Of a searched picture: a quarter of an octave apart, so that every scale of a stored corner is near one. */
export const SEARCHED: Counts = [
  [512, 120],
  [431, 120],
  [362, 120],
  [304, 120],
  [256, 100],
  [215, 80],
  [181, 70],
  [152, 50],
  [128, 40],
  [108, 30],
  [91, 20],
];
/** Corners nearer than this to the edge have no whole patch; in samples of their plane. */
const REACH = 13;
/** Samples of a patch's side, and the frequencies taken from it. */
const PATCH = 16;
const FREQUENCIES = 9;
/** Bits of a word: the lowest frequencies, which survive compression, scaling and blur best. */
const WORD_BITS = 24;
const WEAK = 3;

/** Frequencies from low to high, without the mean: [across, down]. */
const ORDER = Array.from(
  { length: FREQUENCIES * FREQUENCIES },
  (_, i) => [i % FREQUENCIES, Math.floor(i / FREQUENCIES)] as const,
)
  .filter(([u, v]) => u + v > 0)
  .sort((a, b) => a[0] ** 2 + a[1] ** 2 - (b[0] ** 2 + b[1] ** 2) || a[0] - b[0])
  .slice(0, 56);

/** The bits that change their sign when the patch is mirrored across its own direction. */
const maskOf = (from: number, to: number): number =>
  ORDER.slice(from, to).reduce((mask, [, v], i) => (v % 2 === 1 ? mask | (1 << i) : mask), 0);
const MIRROR_LOW = maskOf(0, 28);
const MIRROR_HIGH = maskOf(28, 56);

const COSINES = Float64Array.from({ length: FREQUENCIES * PATCH }, (_, i) =>
  Math.cos((Math.PI * Math.floor(i / PATCH) * ((i % PATCH) + 0.5)) / PATCH),
);

/** Returns the strongest corners of each plane, spread over its area. Takes no plane larger than the picture. */
export function keypoints(full: Plane, counts: Counts): Keypoint[] {
  const longest = Math.max(full.width, full.height);
  return counts.flatMap(([side, count]) => {
    if (side > longest) return [];
    const soft = blurred(shrink(full, side));
    return corners(soft, count).map(({ x, y }) => describe(soft, x, y));
  });
}

/** The keypoint as it looks in the mirrored picture of this width (a fraction of the longer side). */
export const mirrored = (point: Keypoint, width: number): Keypoint => ({
  ...point,
  x: width - point.x,
  angle: Math.PI - point.angle,
  low: point.low ^ MIRROR_LOW,
  high: point.high ^ MIRROR_HIGH,
});

/** Binomial 1-2-1 filter, twice in both directions. */
function blurred(plane: Plane): Plane {
  const { width, height } = plane;
  const rows = new Float32Array(plane.data.length);
  let from = plane.data;
  for (let pass = 0; pass < 2; pass++) {
    const out = new Float32Array(from.length);
    for (let y = 0; y < height; y++) blurRow(from, rows, y * width, width);
    for (let y = 0; y < height; y++) {
      const at = y * width;
      const above = y > 0 ? at - width : at;
      const below = y + 1 < height ? at + width : at;
      for (let x = 0; x < width; x++) out[at + x] = (rows[above + x]! + 2 * rows[at + x]! + rows[below + x]!) / 4;
    }
    from = out;
  }
  return { data: from, width, height };
}

function blurRow(from: Float32Array, rows: Float32Array, start: number, width: number): void {
  const last = start + width - 1;
  rows[start] = (3 * from[start]! + from[Math.min(last, start + 1)]!) / 4;
  for (let at = start + 1; at < last; at++) rows[at] = (from[at - 1]! + 2 * from[at]! + from[at + 1]!) / 4;
  rows[last] = (from[Math.max(start, last - 1)]! + 2 * from[last]! + from[last]!) / 4;
}

/** Half the side of the squares over which the structure tensor is summed. */
const AROUND = 2;
const ROWS = 2 * AROUND + 1;

/**
 * The strength of a corner at each place (Shi and Tomasi: the smaller eigenvalue of the structure tensor, summed over 5×5 squares). Sums of
 * the last five rows suffice.
 */
function strengths({ data, width, height }: Plane): Float32Array {
  const strength = new Float32Array(data.length);
  const [dxx, dyy, dxy] = [new Float32Array(width), new Float32Array(width), new Float32Array(width)];
  const [xx, yy, xy] = [0, 1, 2].map(() => new Float32Array(ROWS * width)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let y = 1; y < height; y++) {
    if (y === height - 1) for (const row of [dxx, dyy, dxy]) row.fill(0);
    else
      for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
        const dx = data[at + 1]! - data[at - 1]!;
        const dy = data[at + width]! - data[at - width]!;
        dxx[x] = dx * dx;
        dyy[x] = dy * dy;
        dxy[x] = dx * dy;
      }
    const newest = (y % ROWS) * width;
    sumRow(dxx, xx, newest);
    sumRow(dyy, yy, newest);
    sumRow(dxy, xy, newest);
    if (y < ROWS - 1) continue;
    const a = ((y + 1) % ROWS) * width;
    const b = ((y + 2) % ROWS) * width;
    const c = ((y + 3) % ROWS) * width;
    const d = ((y + 4) % ROWS) * width;
    for (let x = AROUND, at = (y - AROUND) * width + AROUND; x < width - AROUND; x++, at++) {
      const sxx = Math.fround(xx[a + x]! + xx[b + x]! + xx[c + x]! + xx[d + x]! + xx[newest + x]!);
      const syy = Math.fround(yy[a + x]! + yy[b + x]! + yy[c + x]! + yy[d + x]! + yy[newest + x]!);
      const sxy = Math.fround(xy[a + x]! + xy[b + x]! + xy[c + x]! + xy[d + x]! + xy[newest + x]!);
      const half = (sxx - syy) / 2;
      strength[at] = (sxx + syy) / 2 - Math.sqrt(half * half + sxy * sxy);
    }
  }
  return strength;
}

/** Sums of five neighbours in a row. */
function sumRow(row: Float32Array, sums: Float32Array, start: number): void {
  const end = row.length - AROUND;
  for (let x = AROUND; x < end; x++) sums[start + x] = row[x - 2]! + row[x - 1]! + row[x]! + row[x + 1]! + row[x + 2]!;
}

/** The strongest corners, at most one in a cell of a grid at first. */
function corners(plane: Plane, count: number): { x: number; y: number }[] {
  const { width, height } = plane;
  const strength = strengths(plane);
  const cell = Math.max(6, Math.sqrt((width * height) / count) * 0.8);
  const columns = Math.ceil(width / cell);
  const peaks: { x: number; y: number; strength: number }[] = [];
  for (let y = REACH; y < height - REACH; y++)
    for (let x = REACH, at = y * width + REACH; x < width - REACH; x++, at++) {
      const value = strength[at]!;
      if (value < MIN_STRENGTH) continue;
      // Most places end here.
      let peak = strength[at - 1]! <= value && strength[at + 1]! <= value;
      for (let dy = -2; peak && dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) if (strength[at + dy * width + dx]! > value) peak = false;
      if (!peak) continue;
      const offset = (low: number, high: number): number => {
        const curve = low + high - 2 * value;
        return curve < 0 ? Math.max(-0.5, Math.min(0.5, (low - high) / (2 * curve))) : 0;
      };
      peaks.push({
        x: x + offset(strength[at - 1]!, strength[at + 1]!),
        y: y + offset(strength[at - width]!, strength[at + width]!),
        strength: value,
      });
    }
  peaks.sort((a, b) => b.strength - a.strength);
  const held = new Map<number, number>();
  const rank = new Map(
    peaks.map(peak => {
      const key = Math.floor(peak.y / cell) * columns + Math.floor(peak.x / cell);
      const place = held.get(key) ?? 0;
      held.set(key, place + 1);
      return [peak, place];
    }),
  );
  return peaks.sort((a, b) => rank.get(a)! - rank.get(b)! || b.strength - a.strength).slice(0, count);
}
const MIN_STRENGTH = 150;

function describe(plane: Plane, x: number, y: number): Keypoint {
  const angle = direction(plane, x, y);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const patch = new Float64Array(PATCH * PATCH);
  const step = (2 * REACH) / PATCH / Math.SQRT2;
  for (let j = 0; j < PATCH; j++)
    for (let i = 0; i < PATCH; i++) {
      const u = (i - (PATCH - 1) / 2) * step;
      const v = (j - (PATCH - 1) / 2) * step;
      patch[j * PATCH + i] = sampleAt(plane, x + u * cos - v * sin, y + u * sin + v * cos);
    }
  const rows = new Float64Array(PATCH * FREQUENCIES);
  for (let j = 0; j < PATCH; j++)
    for (let u = 0; u < FREQUENCIES; u++) {
      let sum = 0;
      for (let i = 0; i < PATCH; i++) sum += patch[j * PATCH + i]! * COSINES[u * PATCH + i]!;
      rows[j * FREQUENCIES + u] = sum;
    }
  const values = ORDER.map(([u, v]) => {
    let sum = 0;
    for (let j = 0; j < PATCH; j++) sum += rows[j * FREQUENCIES + u]! * COSINES[v * PATCH + j]!;
    return sum;
  });
  const bits = (from: number, to: number) =>
    values.slice(from, to).reduce((all, value, i) => (value > 0 ? all | (1 << i) : all), 0);
  const weak = Array.from({ length: WORD_BITS }, (_, i) => i)
    .sort((a, b) => Math.abs(values[a]!) - Math.abs(values[b]!))
    .slice(0, WEAK);
  const scale = 1 / Math.max(plane.width, plane.height);
  return {
    x: (x + 0.5) * scale,
    y: (y + 0.5) * scale,
    size: REACH * scale,
    angle,
    low: bits(0, 28),
    high: bits(28, 56),
    weak,
  };
}

/** The direction from a corner to the centre of brightness around it (Rosin 1999). */
function direction(plane: Plane, x: number, y: number): number {
  let [mx, my] = [0, 0];
  const [cx, cy] = [Math.round(x), Math.round(y)];
  for (let dy = -REACH + 1; dy < REACH; dy++)
    for (let dx = -REACH + 1; dx < REACH; dx++) {
      if (dx * dx + dy * dy >= (REACH - 1) ** 2) continue;
      const value = plane.data[(cy + dy) * plane.width + cx + dx]!;
      mx += dx * value;
      my += dy * value;
    }
  return Math.atan2(my, mx);
}

export const wordOf = ({ low }: Pick<Keypoint, 'low'>): number => low & ((1 << WORD_BITS) - 1);

/** The words under which a keypoint may be stored: its own, and those with some of its weak bits flipped. */
export function probeWords(point: Keypoint): number[] {
  const words = [wordOf(point)];
  for (const bit of point.weak) for (const word of words.slice()) words.push(word ^ (1 << bit));
  return words;
}
