import { N } from '../pixels/fft.ts';
import { COLOUR_RINGS } from '../pixels/kernels.ts';
import { cutOut, halved, type Part, type Picture } from '../pixels/picture.ts';
import { areaResize } from '../pixels/resize.ts';
import { mean, quantile } from '../pixels/statistics.ts';
import { APPEARANCE_SIDE, measureAppearance } from './appearance.ts';
import { type Bands, measureBands } from './bands.ts';
import { measureContext } from './context.ts';
import type { Features } from './feature-values.ts';
import { measureGlobalFeatures, SMALL_SIDE } from './global-features.ts';
import { withoutLetterbox } from './letterbox.ts';
import { findMoire } from './moire.ts';
import { measureTexture } from './texture.ts';
import { measureTiles, type Peak, type Tile, type TileGrid } from './tiles.ts';

/** Factors by which the picture is shrunk before tiles are cut, and the approximate number of tiles at each scale. */
const SCALES = [
  { factor: 1, tiles: 20 },
  { factor: 2, tiles: 12 },
  { factor: 4, tiles: 6 },
] as const;

/** Smallest long side, in pixels, of a picture that is measured. Smaller ones keep neither a display's grid nor its bands. */
const LEAST_SIDE = 480;

/** A peak above ln 30 is not chance. */
const RARE = Math.log(30);

export interface ScreenMeasurement {
  features: Features;
  /** One grid per scale, for the heat map. */
  grids: { factor: number; grid: TileGrid }[];
  /** The picture at 320 pixels, or at its own size if it is smaller. */
  small: Picture;
  /** Output of the network over the whole picture, by cell. Not of a picture that an early stage cleared. */
  bands?: Bands;
  /** The part of the picture that all of this is of: what is between the bars of a screenshot. */
  part: Part;
}

/** Whether the features measured so far suffice. */
export interface Stages {
  /** Asked with tiles, waves, tones and context. */
  first(features: Features): boolean;
  /** Asked with the appearance besides. */
  second(features: Features): boolean;
}

const ALL: Stages = { first: () => false, second: () => false };

/** True for a picture that is too small or too narrow for any tile, bars aside. */
export function isTooSmallToTile(whole: Picture): boolean {
  const { width, height } = withoutLetterbox(whole);
  return Math.max(width, height) < LEAST_SIDE || Math.min(width, height) < N;
}

/** Measures the features of the single-still detector, up to a stage that suffices. Undefined below 480 pixels, and when no scale yields a tile. */
export async function measureScreen(whole: Picture, stages: Stages = ALL): Promise<ScreenMeasurement | undefined> {
  const part = withoutLetterbox(whole);
  const picture = cutOut(whole, part);
  if (Math.max(picture.width, picture.height) < LEAST_SIDE) return undefined;
  const features: Features = { long_side: Math.max(picture.width, picture.height) };
  const grids: ScreenMeasurement['grids'] = [];
  let scaled = picture;
  let small = picture;
  let seen = picture;
  for (const { factor, tiles } of SCALES) {
    if (factor > 1) scaled = halved(scaled);
    const side = Math.max(scaled.width, scaled.height);
    if (side >= SMALL_SIDE) small = scaled;
    if (side >= APPEARANCE_SIDE) seen = scaled;
    const grid = measureTiles(scaled, tiles);
    grids.push({ factor, grid });
    if (grid.tiles.length > 0) summarize(grid, `s${factor}_`, features);
  }
  if (grids.every(({ grid }) => grid.tiles.length === 0)) return undefined;
  across(grids, features);
  waves(grids[0].grid, features);
  const coarsest = small === scaled;
  small = areaResize(small, SMALL_SIDE);
  measureGlobalFeatures(coarsest ? small : scaled, features);
  const context = measureContext(small);
  for (let i = 0; i < context.length; i++) features[`context${i}`] = context[i];
  if (stages.first(features)) return { features, grids, small, part };
  features.appearance = measureAppearance(seen);
  if (stages.second(features)) return { features, grids, small, part };
  const texture = measureTexture(picture);
  for (let i = 0; i < texture.length; i++) features[`texture${i}`] = texture[i];
  const bands = await measureBands(small);
  features.bands = bands.logOdds;
  return { features, grids, small, bands, part };
}

const top = (peaks: Peak[]): number => peaks[0]?.height ?? 0;
const shareAbove = (peaks: Peak[], height: number): number => (top(peaks) > height ? 1 : 0);

/** Of these the highest value, the third quartile and the median over all tiles are features. */
const SPREADS: Record<string, (tile: Tile) => number> = {
  luma: tile => top(tile.luma),
  slanted: tile => tile.luma.find(peak => !peak.axis)?.height ?? 0,
  opponent: tile => top(tile.opponent),
  lattice: tile => tile.lattice,
  third: tile => tile.luma[2]?.height ?? 0,
};

/** Of these the mean. */
const MEANS: Record<string, (tile: Tile) => number> = {
  share30: tile => shareAbove(tile.luma, RARE),
  share100: tile => shareAbove(tile.luma, Math.log(100)),
  colour30: tile => shareAbove(tile.opponent, RARE),
  peaks: tile => tile.luma.filter(peak => peak.height > RARE).length,
  peakcolour: tile => tile.luma[0]?.colour ?? 0,
  frequency: tile => tile.luma[0]?.f ?? 0,
  deviation: tile => tile.deviation,
  noise: tile => tile.noise,
  kurtosis: tile => tile.kurtosis,
  colournoise: tile => tile.colourNoise,
};
for (const band of [0, 2, 3, 4, 5, 6, 7]) MEANS[`band${band}`] = tile => tile.bands[band];
for (let ring = 0; ring < COLOUR_RINGS; ring++) {
  SPREADS[`chroma${ring}`] = tile => tile.chroma[ring];
  MEANS[`coherence${ring}`] = tile => tile.coherence[ring];
  MEANS[`direction${ring}`] = tile => tile.direction[ring];
}

function summarize(grid: TileGrid, prefix: string, features: Features): void {
  const { tiles } = grid;
  const put = (name: string, value: number): void => {
    features[prefix + name] = value;
  };
  for (const [name, of] of Object.entries(SPREADS)) {
    const sorted = tiles.map(of).sort((a, b) => a - b);
    put(`${name}_max`, sorted[sorted.length - 1]);
    put(`${name}_p75`, quantile(sorted, 0.75));
    put(`${name}_med`, quantile(sorted, 0.5));
  }
  for (const [name, of] of Object.entries(MEANS)) put(name, mean(tiles.map(of)));
  put('noise_min', Math.min(...tiles.map(tile => tile.noise)));
  put(
    'agree',
    agreement(grid, tile => tile.luma.slice(0, 3)),
  );
  put(
    'agreecolour',
    agreement(grid, tile => tile.opponent),
  );
}

/** Takes the strongest lattice and agreement over all scales, because a display's period may fall into any of them. */
function across(grids: ScreenMeasurement['grids'], features: Features): void {
  for (const name of [
    'lattice_max',
    'lattice_p75',
    'lattice_med',
    'slanted_p75',
    'opponent_p75',
    'agree',
    'share30',
    'peaks',
  ]) {
    features[`any_${name}`] = Math.max(0, ...grids.map(({ factor }) => features[`s${factor}_${name}`] ?? 0));
  }
}

/**
 * Measures waves through all tiles at full size: the strongest in R - B, and the strongest common to luma and R - B. A display's rows and
 * columns appear in both, because its subpixels are side by side. Cloth of one colour has equally strong waves, but only in luma.
 */
function waves(grid: TileGrid, features: Features): void {
  const luma = Math.log1p(findMoire(grid, 'luma')[0]?.strength ?? 0);
  const [first, second] = findMoire(grid, 'opponent');
  const opponent = Math.log1p(first?.strength ?? 0);
  features.wave1_both = Math.min(luma, 1.5 * opponent);
  features.wave1_opponent_strength = opponent;
  features.wave1_opponent_second = Math.log1p(second?.strength ?? 0);
  features.wave1_opponent_share = first?.share ?? 0;
  features.wave1_opponent_height = first?.height ?? 0;
}

/** Returns the share of neighbouring tiles with a common rare peak (within 0.03 cycles a pixel). */
function agreement(grid: TileGrid, peaksOf: (tile: Tile) => Peak[]): number {
  const byPlace = new Map(grid.tiles.map(tile => [tile.row * grid.columns + tile.column, tile]));
  let pairs = 0;
  let agreeing = 0;
  for (const tile of grid.tiles) {
    const neighbours = [
      tile.column + 1 < grid.columns ? byPlace.get(tile.row * grid.columns + tile.column + 1) : undefined,
      byPlace.get((tile.row + 1) * grid.columns + tile.column),
    ];
    for (const neighbour of neighbours) {
      if (!neighbour) continue;
      pairs++;
      const shared = peaksOf(tile).some(
        a =>
          a.height > RARE - 0.4 &&
          peaksOf(neighbour).some(
            b =>
              b.height > RARE - 0.4 &&
              Math.min(Math.hypot(a.fx - b.fx, a.fy - b.fy), Math.hypot(a.fx + b.fx, a.fy + b.fy)) < 0.03,
          ),
      );
      if (shared) agreeing++;
    }
  }
  return pairs > 0 ? agreeing / pairs : 0;
}
