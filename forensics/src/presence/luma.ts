import type { Plane } from '../motion/corners.ts';
import { lumaOf } from '../pixels/luma.ts';
import type { Picture } from '../pixels/picture.ts';

/** Several checks read the luma of the same frames. */
const known = new WeakMap<Picture, Plane>();

/** Returns the luma of a frame. The caller must not change it. */
export function frameLuma(picture: Picture): Plane {
  const before = known.get(picture);
  if (before) return before;
  const { width, height, data } = picture;
  const plane = { width, height, data: lumaOf(data, width * height) };
  known.set(picture, plane);
  return plane;
}

/** Shrinks by area averaging to at most `side` pixels a side. Always a copy. */
export function shrunkTo(plane: Plane, side: number): Plane {
  const { data } = plane;
  const ratio = Math.max(plane.width, plane.height) / side;
  if (ratio <= 1) return { ...plane, data: data.slice() };
  const width = Math.max(1, Math.round(plane.width / ratio));
  const height = Math.max(1, Math.round(plane.height / ratio));
  const out = new Float32Array(width * height);
  const columns = Array.from({ length: width + 1 }, (_, x) => Math.floor((x * plane.width) / width));
  for (let y = 0; y < height; y++) {
    const y0 = Math.floor((y * plane.height) / height);
    const y1 = Math.floor(((y + 1) * plane.height) / height);
    for (let x = 0; x < width; x++) {
      const [x0, x1] = [columns[x]!, columns[x + 1]!];
      let sum = 0;
      for (let j = y0; j < y1; j++)
        for (let at = j * plane.width + x0, end = j * plane.width + x1; at < end; at++) sum += data[at]!;
      out[y * width + x] = sum / ((y1 - y0) * (x1 - x0));
    }
  }
  return { width, height, data: out };
}
