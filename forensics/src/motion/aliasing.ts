import { fft2, HANN, N } from '../pixels/fft.ts';
import { lumaAt } from '../pixels/luma.ts';
import type { Picture } from '../pixels/picture.ts';
import type { Matrix3 } from './geometry.ts';

/**
 * Tests whether fine periodic structure moves with the picture. A pattern that belongs to the subject (cloth, bricks, a
 * resolved halftone) has, in the second frame, the frequency that the registration predicts. Moire between the
 * subject's own lattice and the camera's pixels does not: its frequency is the difference of two, and only one follows
 * the camera's move. The test compares tiles of both frames that show the same place by the peaks of their spectra. A
 * tile counts against the subject when each frame shows a peak that the other frame lacks at the predicted place.
 */
export interface AliasingTest {
  /** Tiles seen in both frames. */
  tiles: number;
  /** Tiles with peaks in both frames that do not correspond. */
  tiles_moved_wrongly: number;
  /** Tiles with peaks that correspond. */
  tiles_moved_rightly: number;
  /** Sum over the three clearest tiles of the lower of their two unmatched peaks, each as ln(power / mean power around). */
  strength: number;
}

const HALF = N / 2;
/** Half sides of the window whose mean a peak is compared with, and of the excluded area around the peak. */
const WINDOW = 10;
const GUARD = 2;
/** For noise, the ratio of a cell to its surroundings is about exponential, so one cell in 10^13 exceeds this. */
const LEAST_RATIO = 30;
/** A peak counts as found in the other frame when the ratio there reaches this value near the expected place. */
const FOLLOWED = 7;
/**
 * Search radius around that place, in cells: allows for the transform's resolution and for surfaces that turn differently than the plane.
 */
const NEAR = 2;
const NEAR_SHARE = 0.06;
const PEAKS = 4;
/** Maximum number of tiles along the longer side. */
const TILES_ACROSS = 4;

interface Band {
  /** Cycles a pixel. */
  low: number;
  high: number;
  /** Opponent colour R - B instead of luma. */
  colour: boolean;
}
const BANDS: readonly Band[] = [
  { low: 0.03, high: 0.46, colour: false },
  { low: 0.02, high: 0.24, colour: true },
];

const re = new Float32Array(N * N);
const im = new Float32Array(N * N);
const powers = [new Float32Array(N * N), new Float32Array(N * N)] as const;
const sums = [new Float64Array((N + 1) * (N + 1)), new Float64Array((N + 1) * (N + 1))] as const;

interface Peak {
  /** Cells from the centre of the spectrum. */
  kx: number;
  ky: number;
  /** ln(power / mean power around). */
  height: number;
}

/**
 * @param toSecond homography from pixels of the first frame to pixels of the second
 */
export function testAliasing(first: Picture, second: Picture, toSecond: Matrix3): AliasingTest {
  const test: AliasingTest = { tiles: 0, tiles_moved_wrongly: 0, tiles_moved_rightly: 0, strength: 0 };
  const strengths: number[] = [];
  for (const [x, y] of tileCorners(first)) {
    const place = apply(toSecond, x + HALF, y + HALF);
    if (!place) continue;
    const [x1, y1] = [Math.round(place[0]) - HALF, Math.round(place[1]) - HALF];
    if (x1 < 0 || y1 < 0 || x1 + N > second.width || y1 + N > second.height) continue;
    test.tiles += 1;
    const turn = jacobian(toSecond, x + HALF, y + HALF);
    let wrong = 0;
    let right = false;
    for (const band of BANDS) {
      transform({ picture: first, x, y }, { picture: second, x: x1, y: y1 }, band.colour);
      const [a, b] = [findPeaks(0, band), findPeaks(1, band)];
      const strayA = a.filter(peak => !follows(peak, 1, inverseTransposed(turn)));
      const strayB = b.filter(peak => !follows(peak, 0, transposed(turn)));
      if (strayA.length < a.length || strayB.length < b.length) right = true;
      wrong = Math.max(wrong, Math.min(strayA[0]?.height ?? 0, strayB[0]?.height ?? 0));
    }
    if (right) test.tiles_moved_rightly += 1;
    if (wrong > 0) {
      test.tiles_moved_wrongly += 1;
      strengths.push(wrong);
    }
  }
  strengths.sort((p, q) => q - p);
  test.strength = strengths.slice(0, 3).reduce((sum, value) => sum + value, 0);
  return test;
}

/** Returns the upper left corners of evenly spread tiles that overlap by at most half. */
function tileCorners({ width, height }: Picture): [number, number][] {
  if (width < N || height < N) return [];
  const longer = Math.max(width, height);
  const along = (size: number): number[] => {
    const most = Math.max(1, Math.round((TILES_ACROSS * size) / longer));
    const count = Math.max(1, Math.min(most, Math.floor((size - N) / HALF) + 1));
    return Array.from({ length: count }, (_, i) => Math.round(((size - N) * (i + 0.5)) / count));
  };
  return along(height).flatMap(y => along(width).map((x): [number, number] => [x, y]));
}

function apply(h: Matrix3, x: number, y: number): [number, number] | undefined {
  const w = h[6] * x + h[7] * y + h[8];
  if (Math.abs(w) < 1e-9) return undefined;
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

type Matrix2 = readonly [number, number, number, number];

function jacobian(h: Matrix3, x: number, y: number): Matrix2 {
  const w = h[6] * x + h[7] * y + h[8];
  const u = (h[0] * x + h[1] * y + h[2]) / w;
  const v = (h[3] * x + h[4] * y + h[5]) / w;
  return [(h[0] - u * h[6]) / w, (h[1] - u * h[7]) / w, (h[3] - v * h[6]) / w, (h[4] - v * h[7]) / w];
}

const transposed = ([a, b, c, d]: Matrix2): Matrix2 => [a, c, b, d];

/** A wave k.x in the first frame is k'.x' in the second, with k' = J^-T k. */
function inverseTransposed([a, b, c, d]: Matrix2): Matrix2 {
  const determinant = a * d - b * c;
  return [d / determinant, -c / determinant, -b / determinant, a / determinant];
}

interface Tile {
  picture: Picture;
  /** Its upper left corner. */
  x: number;
  y: number;
}

/** Power spectra of a tile of each frame from one transform, zero frequency in the middle, and their running sums. */
function transform(first: Tile, second: Tile, colour: boolean): void {
  load(re, first, colour);
  load(im, second, colour);
  fft2(re, im);
  const [ofFirst, ofSecond] = powers;
  const last = N - 1;
  // The spectrum of a real tile is symmetric, so half of the rows suffice.
  for (let i = 0; i <= HALF; i++) {
    const row = i * N;
    const mirrorRow = (-i & last) * N;
    const to = ((i + HALF) & last) * N;
    const toMirror = ((HALF - i) & last) * N;
    for (let j = 0; j < N; j++) {
      const at = row + j;
      const mirror = mirrorRow + (-j & last);
      // Separates two real tiles in one complex transform: the even part is the first, the odd part the second.
      const ar = re[at] + re[mirror];
      const ai = im[at] - im[mirror];
      const br = im[at] + im[mirror];
      const bi = re[mirror] - re[at];
      const a = (ar * ar + ai * ai) / 4;
      const b = (br * br + bi * bi) / 4;
      ofFirst[to + ((j + HALF) & last)] = a;
      ofSecond[to + ((j + HALF) & last)] = b;
      ofFirst[toMirror + ((HALF - j) & last)] = a;
      ofSecond[toMirror + ((HALF - j) & last)] = b;
    }
  }
  for (const [index, power] of powers.entries()) {
    const table = sums[index];
    for (let i = 0; i < N; i++) {
      let row = 0;
      for (let j = 0; j < N; j++) {
        row += power[i * N + j];
        table[(i + 1) * (N + 1) + j + 1] = table[i * (N + 1) + j + 1] + row;
      }
    }
  }
}

function load(to: Float32Array, { picture: { width, data }, x: x0, y: y0 }: Tile, colour: boolean): void {
  let mean = 0;
  for (let y = 0; y < N; y++) {
    for (let x = 0, from = ((y0 + y) * width + x0) * 3; x < N; x++, from += 3) {
      const value = colour ? data[from] - data[from + 2] : lumaAt(data, from);
      to[y * N + x] = value;
      mean += value;
    }
  }
  mean /= N * N;
  for (let y = 0; y < N; y++) for (let x = 0; x < N; x++) to[y * N + x] = (to[y * N + x] - mean) * HANN[y] * HANN[x];
}

/** Ratio of a cell's power to the mean power around it. Cells count from the corner. */
function ratioAt(frame: 0 | 1, i: number, j: number): number {
  const table = sums[frame];
  const outer = boxSum(table, i, j, WINDOW) - boxSum(table, i, j, GUARD);
  const cells = boxCells(i, j, WINDOW) - boxCells(i, j, GUARD);
  // Power of 0.1 squared grey levels: the rounding error of a picture without noise.
  const floor = 0.1 * N * N * 0.14;
  return powers[frame][i * N + j] / (outer / cells + floor);
}

function boxSum(table: Float64Array, i: number, j: number, reach: number): number {
  const top = Math.max(0, i - reach) * (N + 1);
  const low = Math.min(N, i + reach + 1) * (N + 1);
  const left = Math.max(0, j - reach);
  const right = Math.min(N, j + reach + 1);
  return table[low + right] - table[top + right] - table[low + left] + table[top + left];
}

function boxCells(i: number, j: number, reach: number): number {
  const rows = Math.min(N, i + reach + 1) - Math.max(0, i - reach);
  return rows * (Math.min(N, j + reach + 1) - Math.max(0, j - reach));
}

/** Finds the highest peaks of one half plane. Skips the axes, where edges of buildings and JPEG blocks peak. */
function findPeaks(frame: 0 | 1, { low, high }: Band): Peak[] {
  const power = powers[frame];
  const found: Peak[] = [];
  const [least, most] = [low * N, high * N];
  for (let kx = 3; kx <= most; kx++) {
    for (let ky = -Math.floor(most); ky <= most; ky++) {
      const length = kx * kx + ky * ky;
      if (Math.abs(ky) < 3 || length < least * least || length > most * most) continue;
      const [i, j] = [kx + HALF, ky + HALF];
      const at = i * N + j;
      const here = power[at];
      if (here <= power[at - 1] || here <= power[at + 1] || here <= power[at - N] || here <= power[at + N]) continue;
      const ratio = ratioAt(frame, i, j);
      if (ratio >= LEAST_RATIO) found.push({ kx, ky, height: Math.log(ratio) });
    }
  }
  return found.sort((a, b) => b.height - a.height).slice(0, PEAKS);
}

/** True when the other frame has a peak at the expected place. */
function follows({ kx, ky }: Peak, other: 0 | 1, [a, b, c, d]: Matrix2): boolean {
  const [px, py] = [a * kx + b * ky + HALF, c * kx + d * ky + HALF];
  const reach = NEAR + NEAR_SHARE * Math.hypot(kx, ky);
  // The other frame cannot show a place beyond the highest frequency.
  if (px < reach || py < reach || px >= N - reach || py >= N - reach) return true;
  for (let i = Math.ceil(px - reach); i <= px + reach; i++) {
    for (let j = Math.ceil(py - reach); j <= py + reach; j++) {
      if ((i - px) ** 2 + (j - py) ** 2 <= reach * reach && ratioAt(other, i, j) >= FOLLOWED) return true;
    }
  }
  return false;
}
