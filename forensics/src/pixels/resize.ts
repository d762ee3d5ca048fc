import { buffers, kernels, ROW_PIXELS } from '../kernels.ts';
import type { Picture } from '../picture.ts';

/** Shrinks by area averaging to at most `side` pixels a side. Smaller pictures stay as they are. */
export function areaResize(picture: Picture, side: number): Picture {
  const ratio = Math.max(picture.width, picture.height) / side;
  if (ratio <= 1) return picture;
  const width = Math.max(1, Math.round(picture.width / ratio));
  const height = Math.max(1, Math.round(picture.height / ratio));
  const data = new Uint8Array(width * height * 3);
  const columnOf = (x: number): number => Math.floor((x * picture.width) / width);
  const rowOf = (y: number): number => Math.floor((y * picture.height) / height);
  /** Boxes of a row that are summed at once. */
  const boxes = Math.max(1, Math.floor((2 * ROW_PIXELS * width) / picture.width) - 1);
  for (let y = 0; y < height; y++) {
    const y0 = rowOf(y);
    const y1 = Math.max(y0 + 1, rowOf(y + 1));
    for (let left = 0; left < width; left += boxes) {
      const right = Math.min(width, left + boxes);
      const first = columnOf(left);
      const count = 3 * (Math.max(first + 1, columnOf(right)) - first);
      kernels.clearSums(count);
      for (let j = y0; j < y1; j++) {
        const from = 3 * (j * picture.width + first);
        buffers.upper.set(picture.data.subarray(from, from + count));
        kernels.addBytes(count);
      }
      for (let x = left, out = 3 * (y * width + left); x < right; x++, out += 3) {
        const x0 = columnOf(x);
        const x1 = Math.max(x0 + 1, columnOf(x + 1));
        let r = 0;
        let g = 0;
        let b = 0;
        for (let at = 3 * (x0 - first); at < 3 * (x1 - first); at += 3) {
          r += buffers.sums[at];
          g += buffers.sums[at + 1];
          b += buffers.sums[at + 2];
        }
        const n = (y1 - y0) * (x1 - x0);
        data[out] = r / n + 0.5;
        data[out + 1] = g / n + 0.5;
        data[out + 2] = b / n + 0.5;
      }
    }
  }
  return { width, height, data };
}
