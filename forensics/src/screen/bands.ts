import { network } from '../networks/network.ts';
import type { Picture } from '../pixels/picture.ts';
import { landscape } from './landscape.ts';

/** Size at which the network reads a picture,  landscape. A band of 40 cycles a picture is six pixels wide. */
const WIDTH = 256;
const HEIGHT = 192;
/** The network's grid of answers. */
const COLUMNS = 16;
const ROWS = 12;

export interface Bands {
  /** Log odds of a photographed display, for the whole picture. */
  logOdds: number;
  /** Log odds by cell, row by row, for the picture as it stands. */
  cells: Float32Array;
  columns: number;
  rows: number;
}

const run = network(new URL('./bands.generated.onnx', import.meta.url));

/**
 * Measures what a person sees on a thumbnail: coloured bands and rings that do not follow the scene, contrast, black level and casts of a
 * display (`bands.generated.onnx`, see `CARD.md`). Takes a picture of at least 256 pixels a side or shrinks a larger one.
 */
export async function measureBands(picture: Picture): Promise<Bands> {
  const standing = picture.height > picture.width;
  const { data } = landscape(picture, WIDTH, HEIGHT);
  const count = WIDTH * HEIGHT;
  const planes = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) for (let c = 0; c < 3; c++) planes[c * count + i] = data[3 * i + c];
  const cells = (await run(planes, WIDTH, HEIGHT)).slice();
  return {
    logOdds: pool(cells),
    cells: standing ? turnBack(cells) : cells,
    columns: standing ? ROWS : COLUMNS,
    rows: standing ? COLUMNS : ROWS,
  };
}

/** Half the mean over all cells, half that over the highest quarter. */
function pool(cells: Float32Array): number {
  const sorted = cells.slice().sort();
  const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return (mean(sorted) + mean(sorted.subarray((sorted.length * 3) / 4))) / 2;
}

function turnBack(cells: Float32Array): Float32Array {
  const back = new Float32Array(cells.length);
  for (let y = 0; y < COLUMNS; y++)
    for (let x = 0; x < ROWS; x++) back[y * ROWS + x] = cells[(ROWS - 1 - x) * COLUMNS + y];
  return back;
}
