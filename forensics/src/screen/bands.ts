import type { Picture } from '../picture.ts';
import { network } from './network.ts';

/** Size at which the network reads a picture, lying. A band of 40 cycles a picture is six pixels wide. */
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

const run = network('./bands.generated.onnx');

/**
 * Measures what a person sees on a thumbnail: coloured bands and rings that do not follow the scene, contrast, black level and casts of a
 * display (`bands.generated.onnx`, see `CARD.md`). Takes a picture of at least 256 pixels a side or shrinks a larger one.
 */
export async function measureBands(picture: Picture): Promise<Bands> {
  const standing = picture.height > picture.width;
  const { data } = boxResize(standing ? quarterTurn(picture) : picture, WIDTH, HEIGHT);
  const count = WIDTH * HEIGHT;
  const planes = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) for (let c = 0; c < 3; c++) planes[c * count + i] = data[3 * i + c];
  const lying = (await run(planes, WIDTH, HEIGHT)).slice();
  return {
    logOdds: pool(lying),
    cells: standing ? turnBack(lying) : lying,
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

/** Turns a picture by 90 degrees counterclockwise. */
function quarterTurn({ data, width, height }: Picture): Picture {
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 3;
      const to = ((width - 1 - x) * height + y) * 3;
      for (let c = 0; c < 3; c++) turned[to + c] = data[from + c];
    }
  }
  return { width: height, height: width, data: turned };
}

function turnBack(cells: Float32Array): Float32Array {
  const back = new Float32Array(cells.length);
  for (let y = 0; y < COLUMNS; y++)
    for (let x = 0; x < ROWS; x++) back[y * ROWS + x] = cells[(ROWS - 1 - x) * COLUMNS + y];
  return back;
}

/** Resizes by exact area averaging: a pixel counts by the share of it that lies in the box. */
export function boxResize(picture: Picture, width: number, height: number): Picture {
  const across = alongAxis(picture.width, width);
  const down = alongAxis(picture.height, height);
  const rows = new Float32Array(width * picture.height * 3);
  for (let y = 0; y < picture.height; y++)
    for (let x = 0; x < width; x++)
      for (const [from, share] of across[x])
        for (let c = 0; c < 3; c++)
          rows[(y * width + x) * 3 + c] += share * picture.data[(y * picture.width + from) * 3 + c];
  const data = new Uint8Array(width * height * 3);
  const row = new Float32Array(width * 3);
  for (let y = 0; y < height; y++) {
    row.fill(0);
    for (const [from, share] of down[y])
      for (let i = 0; i < row.length; i++) row[i] += share * rows[from * row.length + i];
    for (let i = 0; i < row.length; i++) data[y * row.length + i] = row[i] + 0.5;
  }
  return { width, height, data };
}

/** Returns, for each output pixel, the input pixels under it and their shares. */
function alongAxis(before: number, after: number): [number, number][][] {
  const ratio = before / after;
  return Array.from({ length: after }, (_, i) => {
    const [start, end] = [i * ratio, Math.min(before, (i + 1) * ratio)];
    const parts: [number, number][] = [];
    for (let at = Math.floor(start); at < end - 1e-9; at++)
      parts.push([at, (Math.min(at + 1, end) - Math.max(at, start)) / (end - start)]);
    return parts;
  });
}
