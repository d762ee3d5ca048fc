import { expect, it } from 'vitest';
import { N } from '../pixels/fft.ts';
import { random } from '../pixels/random.ts';
import { findMoire } from './moire.ts';
import type { Peak, Tile, TileGrid } from './tiles.ts';

const COLUMNS = 5;
const ROWS = 4;

/** Builds a grid of tiles with three random peaks each. `add` returns a tile's further peaks, in cells, by its column and row. */
function gridOf(add: (column: number, row: number) => { fx: number; fy: number; height: number }[]): TileGrid {
  const rng = random(7);
  const peak = (fx: number, fy: number, height: number): Peak => ({
    // As tiles give them: whole cells, fx never negative.
    fx: (fx < 0 ? -1 : 1) * (Math.round(fx) / N),
    fy: (fx < 0 ? -1 : 1) * (Math.round(fy) / N),
    f: Math.hypot(fx, fy) / N,
    axis: Math.min(Math.abs(fx), Math.abs(fy)) <= 2,
    height,
    colour: 0,
  });
  const tiles = Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
    const chance = [0, 1, 2].map(() => peak(rng.uniform(1, 120), rng.uniform(-120, 120), rng.uniform(1.8, 2.4)));
    const luma = [...add(column, row).map(({ fx, fy, height }) => peak(fx, fy, height)), ...chance];
    return { column, row, x: column * N, y: row * N, luma, opponent: [] as Peak[] } as Tile;
  });
  return { columns: COLUMNS, rows: ROWS, tiles };
}

it('findMoire follows a display in perspective through all tiles by peaks too weak for one', () => {
  const [wave] = findMoire(
    gridOf((column, row) => [{ fx: 60 + 3 * column, fy: 4 + 2 * row, height: 3 }]),
    'luma',
  );
  expect(wave?.share).toBe(1);
  expect(wave?.height).toBeCloseTo(3, 1);
  // 20 tiles, each 0.4 above the chance level.
  expect(wave?.strength).toBeCloseTo(20 * 0.4, 1);
});

it('findMoire follows a wave across the edge of the half plane', () => {
  const [wave] = findMoire(
    gridOf((column, row) => [{ fx: -4 + 2 * column, fy: 70 + row, height: 4 }]),
    'luma',
  );
  expect(wave?.share).toBe(1);
});

it('findMoire ignores constant frequencies on an axis, as in scaled files', () => {
  const still = gridOf(() => [{ fx: 80, fy: 0, height: 6 }]);
  const chance = findMoire(
    gridOf(() => []),
    'luma',
  );
  const found = findMoire(still, 'luma');
  expect(Math.max(0, ...found.map(({ strength }) => strength))).toBeLessThan(1);
  expect(Math.max(0, ...chance.map(({ strength }) => strength))).toBeLessThan(1);
});

it('findMoire finds nothing in random peaks, however high', () => {
  const rng = random(3);
  const waves = findMoire(
    gridOf(() => [{ fx: rng.uniform(12, 120), fy: rng.uniform(-120, 120), height: 5 }]),
    'luma',
  );
  expect(Math.max(0, ...waves.map(({ share }) => share))).toBeLessThan(0.4);
});

it('findMoire needs at least three tiles', () => {
  expect(findMoire({ columns: 0, rows: 0, tiles: [] }, 'luma')).toEqual([]);
  const { columns, rows, tiles } = gridOf(() => [{ fx: 60, fy: 30, height: 6 }]);
  expect(findMoire({ columns, rows, tiles: tiles.slice(0, 2) }, 'luma')).toEqual([]);
});
