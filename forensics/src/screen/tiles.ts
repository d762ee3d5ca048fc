import type { Picture } from '../picture.ts';
import { fft2, HANN, N } from './fft.ts';

/**
 * Periodic structure in 256 x 256 tiles: the lattice of a display's pixels and the moire it makes with the sensor are lines
 * in the spectrum that stand far above their surroundings, in pairs at right angles, and much the same in neighbouring
 * tiles. A peak's height is ln(power / mean power around it); for noise the ratio is about exponential, so that ln 30 is rare.
 */

/** Half sides of the window a peak is compared with, and of the part around the peak left out of it. */
const WINDOW = 10;
const GUARD = 2;
const LUMA_BAND = [0.03, 0.47] as const;
const COLOUR_BAND = [0.02, 0.24] as const;
const BANDS = 8;
/** Rings in which colour is looked at: beyond a quarter cycle a pixel JPEG keeps none. */
const COLOUR_RINGS = 4;
const SECTORS = 16;

const HALF = N / 2;
const ROWS = HALF + 1 + 2 * WINDOW;

export interface Peak {
  /** Frequency, cycles a pixel; `fx` is never negative. */
  fx: number;
  fy: number;
  f: number;
  /** Within two cells of a frequency axis, where the edges of buildings and the blocks of JPEG lie too. */
  axis: boolean;
  /** ln(power / mean power around). */
  height: number;
  /** ln(opponent colour power / luma power) at the peak. */
  colour: number;
}

export interface Tile {
  column: number;
  row: number;
  /** Left upper corner, pixels of the scale it was cut at. */
  x: number;
  y: number;
  mean: number;
  deviation: number;
  /** Highest first, at most six, at least four cells apart. */
  luma: Peak[];
  /** The same of R - B; at most two. */
  opponent: Peak[];
  /** Smaller height of the best pair of luma peaks of similar length at right angles; 0 without one. */
  lattice: number;
  /** ln(mean power) in eight rings of frequency, less the second ring's. */
  bands: number[];
  /** ln(power of R - B / power of luma) in the four rings below a quarter cycle a pixel. */
  chroma: number[];
  /**
   * Share (0..1) of those rings' R - B that follows luma with one gain and phase. The colours of things change where their
   * brightness does; the colours of moire need not.
   */
  coherence: number[];
  /** Excess of the strongest sixteenth of directions in each of the four rings over their mean: ln(max / mean). */
  direction: number[];
  /** ln(mean |noise residual|), and the kurtosis of the residual (ln). */
  noise: number;
  kurtosis: number;
  /** ln(mean |residual of R - G|). */
  colourNoise: number;
}

export interface TileGrid {
  columns: number;
  rows: number;
  /** Tiles with something to see; dark and blown-out ones are left out. */
  tiles: Tile[];
}

const luma = new Float32Array(N * N);
const opponent = new Float32Array(N * N);
const redGreen = new Float32Array(N * N);
const re = new Float32Array(N * N);
const im = new Float32Array(N * N);
const lumaPower = new Float64Array(ROWS * N);
const opponentPower = new Float64Array(ROWS * N);
const integral = new Float64Array((ROWS + 1) * (N + 1));
const RING = Int8Array.from({ length: ROWS * N }, (_, i) => {
  const fx = Math.floor(i / N) - WINDOW;
  const fy = (i % N) - HALF;
  const f = Math.hypot(fx, fy) / N;
  return fx < 0 || fx > HALF || f >= 0.5 ? -1 : Math.min(BANDS - 1, Math.floor(f * 2 * BANDS));
});

const SECTOR = Uint8Array.from({ length: ROWS * N }, (_, i) => {
  const angle = Math.atan2((i % N) - HALF, Math.floor(i / N) - WINDOW) / Math.PI + 0.5;
  return Math.min(SECTORS - 1, Math.max(0, Math.floor(angle * SECTORS)));
});

/** Cuts about `count` tiles, spread evenly over the picture, and measures each. No tile where the picture is smaller. */
export function measureTiles(picture: Picture, count: number): TileGrid {
  const { width, height } = picture;
  if (width < N || height < N) return { columns: 0, rows: 0, tiles: [] };
  const columns = Math.min(Math.floor(width / N), Math.max(1, Math.round(Math.sqrt((count * width) / height))));
  const rows = Math.min(Math.floor(height / N), Math.max(1, Math.round(count / columns)));
  const tiles: Tile[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = columns > 1 ? Math.floor(((width - N) * column) / (columns - 1)) : (width - N) >> 1;
      const y = rows > 1 ? Math.floor(((height - N) * row) / (rows - 1)) : (height - N) >> 1;
      const tile = measureTile(picture, x, y);
      if (tile) tiles.push({ ...tile, column, row });
    }
  }
  return { columns, rows, tiles };
}

function measureTile(picture: Picture, x: number, y: number): Omit<Tile, 'column' | 'row'> | undefined {
  const { mean, deviation, opponentMean, clipped } = load(picture, x, y);
  if (clipped > 0.5 || mean < 12) return undefined;
  for (let j = 0; j < N; j++) {
    for (let i = 0, at = j * N; i < N; i++, at++) {
      const weight = HANN[j] * HANN[i];
      re[at] = (luma[at] - mean) * weight;
      im[at] = (opponent[at] - opponentMean) * weight;
    }
  }
  fft2(re, im);
  split();
  const rings = ringPower();
  const lumaPeaks = findPeaks(lumaPower, LUMA_BAND, 6);
  return {
    x,
    y,
    mean,
    deviation,
    luma: lumaPeaks,
    opponent: findPeaks(opponentPower, COLOUR_BAND, 2),
    lattice: latticeScore(lumaPeaks),
    ...rings,
    ...residual(),
  };
}

function load(picture: Picture, left: number, top: number) {
  const { data, width } = picture;
  let sum = 0;
  let squares = 0;
  let opponentSum = 0;
  let clipped = 0;
  for (let j = 0, at = 0; j < N; j++) {
    let from = ((top + j) * width + left) * 3;
    for (let i = 0; i < N; i++, at++, from += 3) {
      const r = data[from];
      const g = data[from + 1];
      const b = data[from + 2];
      const l = 0.299 * r + 0.587 * g + 0.114 * b;
      luma[at] = l;
      opponent[at] = r - b;
      redGreen[at] = r - g;
      sum += l;
      squares += l * l;
      opponentSum += r - b;
      if (g > 250 || g < 4) clipped++;
    }
  }
  const n = N * N;
  const mean = sum / n;
  const deviation = Math.sqrt(Math.max(0, squares / n - mean * mean));
  return { mean, deviation, opponentMean: opponentSum / n, clipped: clipped / n };
}

const crossRe = new Float64Array(COLOUR_RINGS);
const crossIm = new Float64Array(COLOUR_RINGS);

/** Separates the spectra of the two real signals that went through one complex transform; keeps their powers. */
function split(): void {
  crossRe.fill(0);
  crossIm.fill(0);
  for (let row = 0; row < ROWS; row++) {
    const fx = row - WINDOW;
    const a = ((fx + N) & (N - 1)) * N;
    const b = ((N - fx) & (N - 1)) * N;
    const inside = fx >= 0 && fx <= N / 4;
    for (let column = 0; column < N; column++) {
      const fy = (column + HALF) & (N - 1);
      const p = a + fy;
      const q = b + ((N - fy) & (N - 1));
      const sumR = re[p] + re[q];
      const difI = im[p] - im[q];
      const sumI = im[p] + im[q];
      const difR = re[q] - re[p];
      const at = row * N + column;
      lumaPower[at] = 0.25 * (sumR * sumR + difI * difI);
      opponentPower[at] = 0.25 * (sumI * sumI + difR * difR);
      if (!inside) continue;
      const ring = RING[at];
      if (ring < 0 || ring >= COLOUR_RINGS) continue;
      crossRe[ring] += 0.25 * (sumR * sumI + difI * difR);
      crossIm[ring] += 0.25 * (difI * sumI - sumR * difR);
    }
  }
}

/** Sums over rings of frequency, luma and R - B. */
function ringPower(): Pick<Tile, 'bands' | 'chroma' | 'coherence' | 'direction'> {
  const sums = new Float64Array(BANDS);
  const counts = new Float64Array(BANDS);
  const colours = new Float64Array(BANDS);
  const sectors = new Float64Array(COLOUR_RINGS * SECTORS);
  const sectorCounts = new Float64Array(COLOUR_RINGS * SECTORS);
  for (let i = WINDOW * N; i < (WINDOW + HALF + 1) * N; i++) {
    const ring = RING[i];
    if (ring < 0) continue;
    sums[ring] += lumaPower[i];
    colours[ring] += opponentPower[i];
    counts[ring]++;
    if (ring < COLOUR_RINGS) {
      sectors[ring * SECTORS + SECTOR[i]] += lumaPower[i];
      sectorCounts[ring * SECTORS + SECTOR[i]]++;
    }
  }
  const levels = Array.from(sums, (sum, ring) => Math.log(sum / counts[ring] + 1));
  const chroma: number[] = [];
  const coherence: number[] = [];
  const direction: number[] = [];
  for (let ring = 0; ring < COLOUR_RINGS; ring++) {
    chroma.push(Math.log((colours[ring] + counts[ring]) / (sums[ring] + counts[ring])));
    const cross = crossRe[ring] ** 2 + crossIm[ring] ** 2;
    coherence.push(cross / (sums[ring] * colours[ring] + 1));
    const densities = Array.from({ length: SECTORS }, (_, k) => {
      const at = ring * SECTORS + k;
      return sectors[at] / Math.max(1, sectorCounts[at]);
    });
    direction.push(Math.log((Math.max(...densities) + 1) / (sums[ring] / counts[ring] + 1)));
  }
  return { bands: levels.map(level => level - levels[1]), chroma, coherence, direction };
}

function findPeaks(power: Float64Array, band: readonly [number, number], limit: number): Peak[] {
  const last = Math.min(HALF - 3, Math.floor(band[1] * N));
  for (let row = 0; row <= last + 2 * WINDOW; row++) {
    let line = 0;
    const above = row * (N + 1);
    const here = above + N + 1;
    for (let column = 0; column < N; column++) {
      line += power[row * N + column];
      integral[here + column + 1] = integral[above + column + 1] + line;
    }
  }
  const box = (r0: number, c0: number, r1: number, c1: number): number =>
    integral[r1 * (N + 1) + c1] -
    integral[r0 * (N + 1) + c1] -
    integral[r1 * (N + 1) + c0] +
    integral[r0 * (N + 1) + c0];
  const low2 = (band[0] * N) ** 2;
  const high2 = (band[1] * N) ** 2;
  const found: (Peak & { gx: number; gy: number })[] = [];
  for (let gx = 0; gx <= last; gx++) {
    const row = gx + WINDOW;
    for (let gy = gx === 0 ? 1 : -HALF + 3; gy < HALF - 3; gy++) {
      const d2 = gx * gx + gy * gy;
      if (d2 < low2 || d2 > high2) continue;
      const at = row * N + gy + HALF;
      const p = power[at];
      if (
        power[at - 1] > p ||
        power[at + 1] > p ||
        power[at - N] > p ||
        power[at + N] > p ||
        power[at - N - 1] > p ||
        power[at - N + 1] > p ||
        power[at + N - 1] > p ||
        power[at + N + 1] > p
      ) {
        continue;
      }
      const axis = gx <= 2 || Math.abs(gy) <= 2;
      if (axis && blockHarmonic(Math.max(gx, Math.abs(gy)))) continue;
      const column = gy + HALF;
      const c0 = Math.max(0, column - WINDOW);
      const c1 = Math.min(N, column + WINDOW + 1);
      const g0 = Math.max(0, column - GUARD);
      const g1 = Math.min(N, column + GUARD + 1);
      const cells = (2 * WINDOW + 1) * (c1 - c0) - (2 * GUARD + 1) * (g1 - g0);
      const around = (box(row - WINDOW, c0, row + WINDOW + 1, c1) - box(row - GUARD, g0, row + GUARD + 1, g1)) / cells;
      const height = Math.log((p + 1e-9) / (around + 1e-3));
      if (height < 1) continue;
      const colour = Math.log((opponentPower[at] + 1) / (lumaPower[at] + 1));
      found.push({ fx: gx / N, fy: gy / N, f: Math.sqrt(d2) / N, axis, height, colour, gx, gy });
    }
  }
  found.sort((a, b) => b.height - a.height);
  const kept: typeof found = [];
  for (const peak of found) {
    if (kept.some(other => Math.hypot(other.gx - peak.gx, other.gy - peak.gy) < 4)) continue;
    kept.push(peak);
    if (kept.length >= limit) break;
  }
  return kept.map(({ gx, gy, ...peak }) => peak);
}

/** Multiples of 1/8 cycle a pixel: the 8 x 8 blocks of JPEG. */
function blockHarmonic(cells: number): boolean {
  return cells >= N / 8 - 1 && Math.abs(cells - Math.round(cells / (N / 8)) * (N / 8)) <= 1;
}

function latticeScore(peaks: Peak[]): number {
  let best = 0;
  for (let i = 0; i < peaks.length; i++) {
    for (let j = i + 1; j < peaks.length; j++) {
      const a = peaks[i];
      const b = peaks[j];
      const cosine = Math.abs(a.fx * b.fx + a.fy * b.fy) / (a.f * b.f);
      if (cosine < 0.17 && Math.min(a.f, b.f) / Math.max(a.f, b.f) > 0.8)
        best = Math.max(best, Math.min(a.height, b.height));
    }
  }
  return best;
}

/** Second difference both ways (3 x 3, zero on any plane) of luma and of R - G. */
function residual(): { noise: number; kurtosis: number; colourNoise: number } {
  let first = 0;
  let second = 0;
  let fourth = 0;
  let colour = 0;
  let count = 0;
  for (let y = 1; y < N - 1; y += 2) {
    for (let x = 1, at = y * N + 1; x < N - 1; x++, at++) {
      const l = kernel(luma, at);
      const l2 = l * l;
      first += Math.abs(l);
      second += l2;
      fourth += l2 * l2;
      colour += Math.abs(kernel(redGreen, at));
      count++;
    }
  }
  const variance = second / count;
  return {
    noise: Math.log(first / count + 0.05),
    kurtosis: Math.log(fourth / count / (variance * variance + 1e-6) + 1e-3),
    colourNoise: Math.log(colour / count + 0.05),
  };
}

function kernel(plane: Float32Array, at: number): number {
  return (
    plane[at - N - 1] -
    2 * plane[at - N] +
    plane[at - N + 1] -
    2 * plane[at - 1] +
    4 * plane[at] -
    2 * plane[at + 1] +
    plane[at + N - 1] -
    2 * plane[at + N] +
    plane[at + N + 1]
  );
}
