import { buffers, kernels } from './kernels.ts';
import type { Picture } from './picture.ts';

/** Shrinks by area averaging to at most `side` pixels a side. Smaller pictures stay as they are. */
export function areaResize(picture: Picture, side: number): Picture {
  const ratio = Math.max(picture.width, picture.height) / side;
  if (ratio <= 1) return picture;
  const width = Math.max(1, Math.round(picture.width / ratio));
  const height = Math.max(1, Math.round(picture.height / ratio));
  const data = new Uint8Array(width * height * 3);
  /** Sums over the rows of one row of boxes. */
  const sums = new Uint32Array(picture.width * 3);
  for (let y = 0, out = 0; y < height; y++) {
    const y0 = Math.floor((y * picture.height) / height);
    const y1 = Math.max(y0 + 1, Math.floor(((y + 1) * picture.height) / height));
    sumRows(picture.data, y0, y1, sums);
    for (let x = 0; x < width; x++, out += 3) {
      const x0 = Math.floor((x * picture.width) / width);
      const x1 = Math.max(x0 + 1, Math.floor(((x + 1) * picture.width) / width));
      let r = 0;
      let g = 0;
      let b = 0;
      for (let at = x0 * 3; at < x1 * 3; at += 3) {
        r += sums[at];
        g += sums[at + 1];
        b += sums[at + 2];
      }
      const n = (y1 - y0) * (x1 - x0);
      data[out] = r / n + 0.5;
      data[out + 1] = g / n + 0.5;
      data[out + 2] = b / n + 0.5;
    }
  }
  return { width, height, data };
}

/** Sums rows `first` to `last`, without the latter, byte by byte. A row has as many bytes as there are sums, and may be longer than the kernel's buffers. */
function sumRows(data: Uint8Array, first: number, last: number, sums: Uint32Array): void {
  for (let from = 0; from < sums.length; from += buffers.upper.length) {
    const count = Math.min(buffers.upper.length, sums.length - from);
    kernels.clearSums(count);
    for (let row = first; row < last; row++) {
      const at = row * sums.length + from;
      buffers.upper.set(data.subarray(at, at + count));
      kernels.addBytes(count);
    }
    sums.set(buffers.sums.subarray(0, count), from);
  }
}
