import { type Input, STEPS, trunk, ZERO } from '../networks/trunk.ts';
import type { Picture } from '../pixels/picture.ts';

/** Side of a crop in pixels, and the approximate number of places for crops. */
const SIDE = 256;
const PLACES = 8;
/** Above this number of places only every other one is cropped: all of them change the log odds by 0.2 and double the cost. */
const MOST = 4;
/** Margin at each edge of the picture, as a share of the side. Crops avoid it because a display's frame may be there. */
const MARGIN = 0.06;
/** Standard deviation to which green is scaled, in levels. */
const CONTRAST = 32;
/** Channels of the layer. */
const CHANNELS = 144;

/** Pixels of a crop, and of the square whose mean is subtracted. */
const AREA = SIDE * SIDE;
const SQUARE = 9 * 9;

const run = trunk(new URL('./texture.generated.onnx', import.meta.url));

/**
 * Measures fine detail at full size: crops minus their coarse content, at equal contrast, through an early layer of the
 * trunk that `context.ts` reads (stride 4). Returns the mean of each of its 144 channels over all crops. Needs a picture
 * of at least 256 x 256 pixels; some 30 milliseconds whatever its size.
 */
export function measureTexture(picture: Picture): Float64Array {
  const places = cropPlaces(picture);
  const means = new Float64Array(CHANNELS);
  for (const [x, y] of places) {
    const channels = run(fineDetail(picture, x, y), SIDE, SIDE);
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

/** Fills the input with a crop: each pixel minus the mean of the square around it, scaled by the gain that green needs, around mid grey. */
const fineDetail =
  ({ data, width }: Picture, left: number, top: number) =>
  ({ layers, take, memory, at, line }: Input): void => {
    const [crop, sums, detail] = [take(3 * AREA), take(6 * (SIDE + 8)), take(6 * AREA)];
    const bytes = new Uint8Array(memory());
    for (let y = 0; y < SIDE; y++) {
      const from = ((top + y) * width + left) * 3;
      bytes.set(data.subarray(from, from + 3 * SIDE), crop + y * 3 * SIDE);
    }
    const squares = layers.detail(crop, sums, detail) / SQUARE ** 2;
    const gain = CONTRAST / Math.sqrt(squares / AREA + 1);
    layers.putDetail(detail, at, line, (gain * STEPS) / SQUARE, -ZERO * STEPS, (255 - ZERO) * STEPS);
  };
