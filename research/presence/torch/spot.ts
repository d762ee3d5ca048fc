import { quantile } from '@firsthand/forensics/pixels/statistics.ts';

/** Side of a block, in pixels of a frame of 480. */
export const BLOCK = 8;

/** Blocks of two frames laid on each other, linear light, 1 at most. */
export interface Blocks {
  columns: number;
  rows: number;
  off: Float64Array;
  on: Float64Array;
  /** 0: not in both frames. 1: something of it is at the sensor's limit. 2: whole. */
  state: Uint8Array;
}

/** Light that the torch added in one place. Lengths in blocks, light in shares of the median block's. */
export interface Spot {
  column: number;
  row: number;
  /** Standard deviation of a broad spot; the radius of a point of light. */
  width: number;
  /** Deviations by which it stands out of the frame. */
  clear: number;
  /** Light times blocks. */
  flux: number;
}

export interface BroadSpot extends Spot {
  /** How much better light that adds explains it than light that follows the picture, in squared deviations. Negative: worse. */
  additive: number;
  /** What a block gains per unit of the spot's peak. */
  shape: (block: number) => number;
}

const WIDTHS = [2, 3.5, 6, 10];
/** Blocks near each other err alike. */
const ALIKE = 3;

/**
 * Finds the broad spot that explains most of what the blocks gained: a Gaussian lobe whose light is added to the picture's, so dark blocks
 * gain the larger share. A near thing that reflects gains the same share everywhere.
 *
 * @param gained share that each used block gained, less what exposure and tone curve did
 */
export function broadSpot(
  { columns, rows, off }: Blocks,
  gained: ReadonlyMap<number, number>,
  level: number,
): BroadSpot {
  const field = new Float64Array(columns * rows);
  const lift = new Float64Array(columns * rows);
  for (const [block, share] of gained) {
    field[block] = Math.min(5, share);
    lift[block] = level / off[block]!;
  }
  const sizes = [...gained.values()].map(Math.abs).sort((p, q) => p - q);
  const noise = (ALIKE * quantile(sizes, 0.5)) / 0.6745 + 1e-6;
  let best = { explained: 0, peak: 0, column: 0, row: 0, width: WIDTHS[0]! };
  let follows = 0;
  for (const width of WIDTHS) {
    const lobe = lobeOf(width);
    for (let row = 0; row < rows; row += 2) {
      for (let column = 0; column < columns; column += 2) {
        let [added, addedSquares, followed, followedSquares] = [0, 0, 0, 0];
        for (const [i, j, height] of lobe) {
          const [x, y] = [column + i, row + j];
          if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
          const at = y * columns + x;
          if (lift[at] === 0) continue;
          const a = height * lift[at]!;
          added += a * field[at]!;
          addedSquares += a * a;
          followed += height * field[at]!;
          followedSquares += height * height;
        }
        if (followed > 0) follows = Math.max(follows, (followed * followed) / followedSquares);
        const explained = added > 0 ? (added * added) / addedSquares : 0;
        if (explained > best.explained) best = { explained, peak: added / addedSquares, column, row, width };
      }
    }
  }
  const { column, row, width, explained, peak } = best;
  return {
    column,
    row,
    width,
    clear: Math.sqrt(explained) / noise,
    flux: peak * 2 * Math.PI * width * width,
    additive: (explained - follows) / (noise * noise),
    shape: block =>
      Math.exp(-(((block % columns) - column) ** 2 + (Math.floor(block / columns) - row) ** 2) / (2 * width * width)) *
      (level / off[block]!),
  };
}

/** Columns and rows from the middle with the height there, out to two and a half deviations. */
function lobeOf(width: number): [number, number, number][] {
  const reach = Math.ceil(2.5 * width);
  const lobe: [number, number, number][] = [];
  for (let j = -reach; j <= reach; j++)
    for (let i = -reach; i <= reach; i++)
      if (Math.hypot(i, j) <= 2.5 * width) lobe.push([i, j, Math.exp(-(i * i + j * j) / (2 * width * width))]);
  return lobe;
}

/**
 * Finds a point of light: the mirror image of the torch. Blocks at the sensor's limit count with what the sensor could show, so its light is
 * at least this.
 */
export function pointSpot({ columns, rows, off, on, state }: Blocks, gain: number, level: number): Spot {
  const gained = off.map((value, i) => (state[i] === 0 ? 0 : on[i]! / gain - value));
  let top = { sum: 0, column: 0, row: 0 };
  const sums: number[] = [];
  for (let row = 1; row < rows - 1; row++) {
    for (let column = 1; column < columns - 1; column++) {
      let sum = 0;
      for (let j = -1; j <= 1; j++) for (let i = -1; i <= 1; i++) sum += gained[(row + j) * columns + column + i]!;
      sums.push(sum);
      if (sum > top.sum) top = { sum, column, row };
    }
  }
  sums.sort((p, q) => p - q);
  const spread = (quantile(sums, 0.75) - quantile(sums, 0.25)) / 1.35 + 1e-9;
  const { column, row } = top;
  return { column, row, width: 1.5, clear: (top.sum - quantile(sums, 0.5)) / spread, flux: top.sum / level };
}
