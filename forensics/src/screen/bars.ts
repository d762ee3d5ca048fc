import type { Picture } from '../picture.ts';

/** A row or column of a bar has no level above it: black, with the noise of recompression. */
const BLACK = 24;
/** Shares of a side: what bars at both ends must take together, and what must stay. */
const LEAST_BARS = 0.08;
const LEAST_REST = 0.25;

/** Cuts off the black bars of a screenshot, above and below the picture or to its sides. A picture without them stays as it is. */
export function withoutBars(picture: Picture): Picture {
  const { width, height, data } = picture;
  const black = (x: number, y: number): boolean => {
    const at = 3 * (y * width + x);
    return data[at]! <= BLACK && data[at + 1]! <= BLACK && data[at + 2]! <= BLACK;
  };
  const blackRow = (y: number): boolean => every(width, x => black(x, y));
  const blackColumn = (x: number): boolean => every(height, y => black(x, y));
  const [top, bottom] = rest(height, blackRow);
  const [left, right] = rest(width, blackColumn);
  if (right - left === width && bottom - top === height) return picture;
  const out = new Uint8Array(3 * (right - left) * (bottom - top));
  for (let y = top; y < bottom; y++)
    out.set(data.subarray(3 * (y * width + left), 3 * (y * width + right)), 3 * (y - top) * (right - left));
  return { width: right - left, height: bottom - top, data: out };
}

function every(count: number, holds: (i: number) => boolean): boolean {
  for (let i = 0; i < count; i++) if (!holds(i)) return false;
  return true;
}

/** The first line that is no bar, and the one after the last. */
function rest(lines: number, bar: (line: number) => boolean): [number, number] {
  let from = 0;
  let to = lines;
  while (from < to && bar(from)) from++;
  while (to > from && bar(to - 1)) to--;
  const kept = to - from;
  return kept < LEAST_REST * lines || kept > (1 - LEAST_BARS) * lines ? [0, lines] : [from, to];
}
