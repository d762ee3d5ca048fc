import type { Picture } from '../picture.ts';
import { network } from './network.ts';

/** Side of a crop in pixels, and the approximate number of places for crops. */
const SIDE = 256;
const PLACES = 8;
/** Above this number of places only every other one is cropped: all of them change the log odds by 0.2 and double the cost. */
const MOST = 4;
/** Margin at each edge of the picture, as a share of the side. Crops avoid it because a display's frame may be there. */
const MARGIN = 0.06;
/** Half side of the square whose mean is subtracted, in pixels. */
const RADIUS = 4;
/** Standard deviation to which green is scaled, in levels. */
const CONTRAST = 32;
/** Channels of the layer. */
const CHANNELS = 144;

const AREA = SIDE * SIDE;
const WIDTH = 2 * RADIUS + 1;

const planes = new Float32Array(3 * AREA);
/** For one channel of a crop: sums over each pixel's neighbours in its row, then over the rows around the output row. */
const rowSums = new Int32Array(AREA);
const sums = new Int32Array(SIDE);

const run = network('./texture.generated.onnx');

/**
 * Measures fine detail at full size: crops minus their coarse content, at equal contrast, through an early layer of the
 * trunk that `context.ts` reads (stride 4). Returns the mean of each of its 144 channels over all crops. Needs a picture
 * of at least 256 x 256 pixels; some 60 milliseconds whatever its size.
 */
export async function measureTexture(picture: Picture): Promise<Float64Array> {
  const places = cropPlaces(picture);
  const means = new Float64Array(CHANNELS);
  for (const [x, y] of places) {
    const channels = await run(fineDetail(picture, x, y), SIDE, SIDE);
    for (let c = 0; c < CHANNELS; c++) means[c] += channels[c] / places.length;
  }
  return means;
}

/** Returns the upper left corners, spaced evenly in rows and columns inside the margins; of many, one colour of a chessboard. */
function cropPlaces({ width, height }: Picture): [number, number][] {
  const columns = Math.min(Math.floor(width / SIDE), Math.max(1, Math.round(Math.sqrt((PLACES * width) / height))));
  const rows = Math.min(Math.floor(height / SIDE), Math.max(1, Math.round(PLACES / columns)));
  const along = (length: number, count: number): number[] => {
    const free = (length - SIDE) / 2;
    if (count === 1) return [Math.floor(free)];
    const margin = Math.min(MARGIN * length, free);
    return Array.from({ length: count }, (_, i) =>
      Math.floor(margin + ((length - SIDE - 2 * margin) * i) / (count - 1)),
    );
  };
  const xs = along(width, columns);
  const chosen = (row: number, column: number): boolean => columns * rows <= MOST || (row + column) % 2 === 1;
  return along(height, rows).flatMap((y, row) =>
    xs.map((x): [number, number] => [x, y]).filter((_, column) => chosen(row, column)),
  );
}

/**
 * Returns R, G, B planes of a crop: each pixel minus the mean of the square around it, scaled by the gain that green needs, centred on 128.
 * Valid until the next call.
 */
function fineDetail({ data, width }: Picture, left: number, top: number): Float32Array {
  let squares = 0;
  for (let c = 0; c < 3; c++) {
    for (let y = 0; y < SIDE; y++) sumAlongRow(data, ((top + y) * width + left) * 3 + c, y * SIDE);
    sums.fill(0);
    for (let y = -RADIUS; y < RADIUS; y++) addRow(Math.max(0, y), 1);
    for (let y = 0; y < SIDE; y++) {
      addRow(Math.min(SIDE - 1, y + RADIUS), 1);
      const out = c * AREA + y * SIDE;
      for (let x = 0, at = ((top + y) * width + left) * 3 + c; x < SIDE; x++, at += 3) {
        const detail = data[at] - sums[x] / (WIDTH * WIDTH);
        planes[out + x] = detail;
        if (c === 1) squares += detail * detail;
      }
      addRow(Math.max(0, y - RADIUS), -1);
    }
  }
  const gain = CONTRAST / Math.sqrt(squares / AREA + 1);
  for (let i = 0; i < planes.length; i++) {
    const value = 128 + gain * planes[i];
    planes[i] = value < 0 ? 0 : value > 255 ? 255 : value;
  }
  return planes;
}

/** Sums each pixel's neighbours in one row. Repeats the first and last pixel beyond the edges. */
function sumAlongRow(data: Uint8Array, from: number, to: number): void {
  const last = from + (SIDE - 1) * 3;
  const reach = RADIUS * 3;
  let sum = RADIUS * data[from];
  for (let at = from; at < from + reach; at += 3) sum += data[at];
  for (let at = from, out = to; at <= last; at += 3, out++) {
    sum += data[at + reach < last ? at + reach : last];
    rowSums[out] = sum;
    sum -= data[at - reach > from ? at - reach : from];
  }
}

function addRow(y: number, sign: 1 | -1): void {
  const from = y * SIDE;
  if (sign > 0) for (let x = 0; x < SIDE; x++) sums[x] += rowSums[from + x];
  else for (let x = 0; x < SIDE; x++) sums[x] -= rowSums[from + x];
}
