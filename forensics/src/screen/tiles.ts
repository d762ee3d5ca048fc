import { N } from '../pixels/fft.ts';
import { buffers, COLOUR_RINGS, kernels, SECTORS, SUMMED_BINS } from '../pixels/kernels.ts';
import type { Picture } from '../pixels/picture.ts';

/**
 * Finds periodic structure in 256 x 256 tiles. The lattice of a display's pixels, and its moire with the sensor, are
 * lines in the spectrum far above their surroundings. They come in pairs at right angles and are similar in
 * neighbouring tiles. A peak's height is ln(power / mean power around it); for noise the ratio is about exponential, so
 * that ln 30 is rare.
 */

const LUMA_BAND = [0.03, 0.47] as const;
const COLOUR_BAND = [0.02, 0.24] as const;
const HALF = N / 2;

export interface Peak {
  /** Frequency, cycles a pixel; `fx` is never negative. */
  fx: number;
  fy: number;
  f: number;
  /** Within two cells of a frequency axis, where edges of buildings and JPEG blocks also peak. */
  axis: boolean;
  /** ln(power / mean power around). */
  height: number;
  /** ln(opponent colour power / luma power) at the peak. */
  colour: number;
}

export interface Tile {
  column: number;
  row: number;
  /** Upper left corner, in pixels of the tile's scale. */
  x: number;
  y: number;
  mean: number;
  deviation: number;
  /** Highest first, at most six, at least four cells apart. */
  luma: Peak[];
  /** The same for R - B; at most two. */
  opponent: Peak[];
  /** Height of the lower peak in the best pair of luma peaks at right angles with similar length; 0 without a pair. */
  lattice: number;
  /** ln(mean power) in eight rings of frequency, less the second ring's. */
  bands: number[];
  /** ln(power of R - B / power of luma) in the four rings below a quarter cycle a pixel. */
  chroma: number[];
  /**
   * Share (0..1) of those rings' R - B that follows luma with one gain and phase. Colours of objects change where their brightness changes;
   * colours of moire may not.
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
  /** Tiles with content. Dark and overexposed ones are omitted. */
  tiles: Tile[];
}

/**
 * Power sums are kept per sector in the rings where colour is measured, per ring above those, and not at all in the corners. JPEG keeps no
 * colour beyond a quarter cycle a pixel.
 */
const RING_BINS = COLOUR_RINGS * SECTORS;
const BANDS = COLOUR_RINGS + SUMMED_BINS - RING_BINS;

/** Bin of the cell at column `i % N` of the row of frequency `i / N`. */
const BIN_OF = Uint8Array.from({ length: (HALF + 1) * N }, (_, i) => {
  const fx = Math.floor(i / N);
  const fy = (i % N) - HALF;
  const f = Math.hypot(fx, fy) / N;
  if (f >= 0.5) return SUMMED_BINS;
  const ring = Math.min(BANDS - 1, Math.floor(f * 2 * BANDS));
  if (ring >= COLOUR_RINGS) return RING_BINS + ring - COLOUR_RINGS;
  const angle = Math.atan2(fy, fx) / Math.PI + 0.5;
  return ring * SECTORS + Math.min(SECTORS - 1, Math.max(0, Math.floor(angle * SECTORS)));
});
/** Cells of each bin. */
const BIN_CELLS = new Uint32Array(SUMMED_BINS);
for (const bin of BIN_OF) if (bin < SUMMED_BINS) BIN_CELLS[bin]++;
buffers.binOf.set(BIN_OF);

/** Cuts about `count` tiles, spread evenly over the picture, and measures each. No tiles when the picture is smaller than one. */
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

function measureTile({ data, width }: Picture, x: number, y: number): Omit<Tile, 'column' | 'row'> | undefined {
  for (let row = 0; row < N; row++) {
    const from = ((y + row) * width + x) * 3;
    buffers.pixels.set(data.subarray(from, from + N * 3), row * N * 3);
  }
  kernels.loadTile();
  const [mean, opponentMean, clipped] = buffers.tile;
  if (clipped > 0.5 || mean < 12) return undefined;
  kernels.residual();
  const deviation = Math.sqrt(kernels.transformWindowed(mean, opponentMean) / (N * N));
  kernels.split();
  const luma = findPeaks(LUMA_BAND, 6, false);
  return {
    x,
    y,
    mean,
    deviation,
    luma,
    opponent: findPeaks(COLOUR_BAND, 2, true),
    lattice: latticeScore(luma),
    ...ringPower(),
    ...residual(),
  };
}

/** Computes the sums over frequency rings of luma and R - B. */
function ringPower(): Pick<Tile, 'bands' | 'chroma' | 'coherence' | 'direction'> {
  const sums = new Float64Array(BANDS);
  const counts = new Float64Array(BANDS);
  const colours = new Float64Array(BANDS);
  for (let bin = 0; bin < SUMMED_BINS; bin++) {
    const ring = bin < RING_BINS ? Math.floor(bin / SECTORS) : bin - RING_BINS + COLOUR_RINGS;
    sums[ring] += buffers.lumaBins[bin];
    colours[ring] += buffers.opponentBins[bin];
    counts[ring] += BIN_CELLS[bin];
  }
  const levels = Array.from(sums, (sum, ring) => Math.log(sum / counts[ring] + 1));
  const chroma: number[] = [];
  const coherence: number[] = [];
  const direction: number[] = [];
  for (let ring = 0; ring < COLOUR_RINGS; ring++) {
    chroma.push(Math.log((colours[ring] + counts[ring]) / (sums[ring] + counts[ring])));
    const cross = buffers.crossSums[2 * ring] ** 2 + buffers.crossSums[2 * ring + 1] ** 2;
    coherence.push(cross / (sums[ring] * colours[ring] + 1));
    let strongest = 0;
    for (let bin = ring * SECTORS; bin < (ring + 1) * SECTORS; bin++)
      strongest = Math.max(strongest, buffers.lumaBins[bin] / Math.max(1, BIN_CELLS[bin]));
    direction.push(Math.log((strongest + 1) / (sums[ring] / counts[ring] + 1)));
  }
  return { bands: levels.map(level => level - levels[1]), chroma, coherence, direction };
}

function findPeaks(band: readonly [number, number], limit: number, colour: boolean): Peak[] {
  const last = Math.min(HALF - 3, Math.floor(band[1] * N));
  const count = kernels.findPeaks(colour, (band[0] * N) ** 2, (band[1] * N) ** 2, last, limit);
  return Array.from({ length: count }, (_, i) => {
    const [gx, gy, ratio, luma, opponent] = buffers.peaks.subarray(5 * i, 5 * i + 5);
    return {
      fx: gx / N,
      fy: gy / N,
      f: Math.hypot(gx, gy) / N,
      axis: gx <= 2 || Math.abs(gy) <= 2,
      height: Math.log(ratio),
      colour: Math.log((opponent + 1) / (luma + 1)),
    };
  });
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

/** Computes the residual of luma and of R - G after removing planes. */
function residual(): Pick<Tile, 'noise' | 'kurtosis' | 'colourNoise'> {
  const count = ((N - 2) * (N - 2)) / 2;
  const [first, second, fourth, colour] = buffers.tile.subarray(3);
  const variance = second / count;
  return {
    noise: Math.log(first / count + 0.05),
    kurtosis: Math.log(fourth / count / (variance * variance + 1e-6) + 1e-3),
    colourNoise: Math.log(colour / count + 0.05),
  };
}
