import sharp from 'sharp';
import { N } from '../pixels/fft.ts';
import type { Part, Picture } from '../pixels/picture.ts';
import type { Bands } from './bands.ts';
import type { ScreenMeasurement } from './features.ts';
import type { Tile } from './tiles.ts';

/** A part of the picture that looks like a display. Sides are shares of the picture's, from its upper left corner. */
export interface HotTile {
  x: number;
  y: number;
  width: number;
  height: number;
  /** 0 to 1: how far its pattern is from what nature has. */
  strength: number;
}

type Size = Pick<Picture, 'width' | 'height'>;

/** Most tiles that are named, so that the list stays readable. */
const MOST_TILES = 12;

/** Returns the tiles with a lattice or rare peaks, strongest first. Of two that cover the same place, the stronger stays. */
export function hotTiles(picture: Size, { grids, part }: ScreenMeasurement): HotTile[] {
  const share = (pixels: number, side: number) => Math.round((1e4 * pixels) / side) / 1e4;
  const found = grids.flatMap(({ factor, grid }) =>
    grid.tiles.flatMap(tile => {
      const strength = strengthOf(tile);
      if (strength <= 0) return [];
      const x = Math.min(tile.x * factor, part.width);
      const y = Math.min(tile.y * factor, part.height);
      const width = Math.min(N * factor, part.width - x);
      const height = Math.min(N * factor, part.height - y);
      return [{ x: part.left + x, y: part.top + y, width, height, strength }];
    }),
  );
  const kept: typeof found = [];
  for (const tile of found.toSorted((a, b) => b.strength - a.strength)) {
    if (kept.length === MOST_TILES) break;
    if (!kept.some(other => overlap(tile, other) > 0.5)) kept.push(tile);
  }
  return kept.map(({ x, y, width, height, strength }) => ({
    x: share(x, picture.width),
    y: share(y, picture.height),
    width: share(width, picture.width),
    height: share(height, picture.height),
    strength: Math.round(100 * strength) / 100,
  }));
}

type Box = Omit<HotTile, 'strength'>;

/** The common area as a share of the smaller one's. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width <= 0 || height <= 0 ? 0 : (width * height) / Math.min(a.width * a.height, b.width * b.height);
}

/**
 * Draws a small PNG to lay over the picture: clear where nothing was found, red to yellow where tiles have a lattice or rare peaks, and where
 * cells of the whole picture have log odds above `bandsFrom`. Where several overlap, the strongest counts.
 */
export async function drawHeatmap(
  picture: Size,
  measured: ScreenMeasurement,
  bandsFrom = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const { grids, small, bands, part } = measured;
  const { width, height } = small;
  const heat = new Float32Array(width * height);
  for (const { factor, grid } of grids) {
    for (const tile of grid.tiles) {
      const strength = strengthOf(tile);
      if (strength <= 0) continue;
      const sx = (width * factor) / part.width;
      const sy = (height * factor) / part.height;
      const cx = (tile.x + N / 2) * sx;
      const cy = (tile.y + N / 2) * sy;
      const rx = Math.max(1, (N / 2) * sx);
      const ry = Math.max(1, (N / 2) * sy);
      for (let y = Math.max(0, Math.floor(cy - ry)); y < Math.min(height, cy + ry); y++) {
        for (let x = Math.max(0, Math.floor(cx - rx)); x < Math.min(width, cx + rx); x++) {
          const fall = 1 - 0.5 * Math.max(Math.abs(x - cx) / rx, Math.abs(y - cy) / ry);
          heat[y * width + x] = Math.max(heat[y * width + x], strength * fall);
        }
      }
    }
  }
  for (let i = 0; bands && bandsFrom < Number.POSITIVE_INFINITY && i < heat.length; i++) {
    const cell = cellAt(bands, ((i % width) + 0.5) / width, (Math.floor(i / width) + 0.5) / height);
    if (cell > bandsFrom) heat[i] = Math.max(heat[i], Math.min(1, (cell - bandsFrom) / 3));
  }
  const whole = {
    width: Math.round((picture.width * width) / part.width),
    height: Math.round((picture.height * height) / part.height),
  };
  if (isBlank(heat)) return blank(whole.width, whole.height);
  return encode(placed(heat, { width, height }, part, whole), whole.width, whole.height);
}

function isBlank(heat: Float32Array): boolean {
  for (let i = 0; i < heat.length; i++) if (heat[i] !== 0) return false;
  return true;
}

/** Puts the heat of a part of the picture where the part lies in the heat map of the whole. */
function placed(heat: Float32Array, { width, height }: Size, part: Part, whole: Size): Float32Array {
  if (width === whole.width && height === whole.height) return heat;
  const left = Math.min(whole.width - width, Math.round((part.left * width) / part.width));
  const top = Math.min(whole.height - height, Math.round((part.top * height) / part.height));
  const out = new Float32Array(whole.width * whole.height);
  for (let y = 0; y < height; y++) out.set(heat.subarray(y * width, (y + 1) * width), (top + y) * whole.width + left);
  return out;
}

const blanks = new Map<string, Promise<Uint8Array>>();
/** Number of cached blank heat maps. Pictures come in few shapes. */
const MAX_BLANKS = 64;

/** Returns the heat map of a picture where nothing was found. */
function blank(width: number, height: number): Promise<Uint8Array> {
  const key = `${width}x${height}`;
  const known = blanks.get(key) ?? encode(new Float32Array(width * height), width, height);
  if (blanks.size >= MAX_BLANKS) blanks.clear();
  blanks.set(key, known);
  return known;
}

/** Steps of heat that a heat map shows. */
const HEATS = 64;
/** The pixel of each step, as R, G, B, A. */
const COLOURS = new Uint32Array(
  Uint8Array.from({ length: 4 * (HEATS + 1) }, (_, i) => {
    const heat = Math.floor(i / 4) / HEATS;
    return [255, 30 + 190 * heat * heat, 20, 200 * Math.sqrt(heat)][i % 4];
  }).buffer,
);

function encode(heat: Float32Array, width: number, height: number): Promise<Uint8Array> {
  const pixels = new Uint32Array(heat.length);
  for (let i = 0; i < heat.length; i++) pixels[i] = COLOURS[Math.round(HEATS * heat[i])];
  return (
    sharp(new Uint8Array(pixels.buffer), { raw: { width, height, channels: 4 } })
      // A palette would halve the file, but take three times as long.
      .png({ compressionLevel: 3 })
      .toBuffer()
  );
}

/** Log odds at a place (0..1), between the centres of the four cells around it. */
function cellAt({ cells, columns, rows }: Bands, x: number, y: number): number {
  const column = Math.max(0, Math.min(columns - 1, x * columns - 0.5));
  const row = Math.max(0, Math.min(rows - 1, y * rows - 0.5));
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(columns - 1, left + 1), Math.min(rows - 1, top + 1)];
  const at = (j: number, i: number): number => cells[j * columns + i];
  const upper = at(top, left) + (column - left) * (at(top, right) - at(top, left));
  const lower = at(bottom, left) + (column - left) * (at(bottom, right) - at(bottom, left));
  return upper + (row - top) * (lower - upper);
}

/** Returns 0 for an ordinary tile, up to 1 for a lattice that does not occur in nature. */
function strengthOf(tile: Tile): number {
  const height = Math.max(
    tile.lattice * 1.4,
    tile.luma.find(peak => !peak.axis)?.height ?? 0,
    tile.opponent[0]?.height ?? 0,
  );
  return Math.max(0, Math.min(1, (height - Math.log(30)) / 3.5));
}
