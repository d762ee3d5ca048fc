import type { Part, Picture } from '../pixels/picture.ts';

/** A row or column of a bar has no level above it: black, with the noise of recompression. */
const BLACK = 10;
/** Shares of a side: what bars must take together, and what must stay. */
const LEAST_BARS = 0.08;
const LEAST_REST = 0.25;
/** The most that lines within the bars may take, as of a phone's status bar. */
const MOST_BETWEEN = 0.1;

/**
 * Returns the part of the picture between the black bars of a screenshot, above and below it or to its sides. A picture without bars is returned
 * whole, and so is one with black on all four sides, as of a display in a dark room.
 */
export function withoutLetterbox(picture: Picture): Part {
  const { width, height, data } = picture;
  const rows: boolean[] = [];
  for (let y = 0; y < height; y++) rows.push(isBlack(data, y * width, width, 1));
  const [top, bottom] = rest(rows);
  const columns: boolean[] = [];
  for (let x = 0; x < width; x++) columns.push(isBlack(data, top * width + x, bottom - top, width));
  const [left, right] = rest(columns);
  const isCut = { rows: bottom - top < height, columns: right - left < width };
  if (isCut.rows === isCut.columns) return { left: 0, top: 0, width, height };
  return { left, top, width: right - left, height: bottom - top };
}

/** Whether all of `count` pixels, from the pixel `first` on and `step` apart, are black. */
function isBlack(data: Uint8Array, first: number, count: number, step: number): boolean {
  for (let i = 0, at = 3 * first; i < count; i++, at += 3 * step)
    if (data[at]! > BLACK || data[at + 1]! > BLACK || data[at + 2]! > BLACK) return false;
  return true;
}

/** The first line of the longest run of lines that are no bar, and the one after its last; all lines where there are no bars. */
function rest(bars: boolean[]): [number, number] {
  const lines = bars.length;
  let longest: [number, number] = [0, 0];
  let seen = 0;
  for (let from = 0; from < lines; from++) {
    let to = from;
    while (to < lines && !bars[to]) to++;
    seen += to - from;
    if (to - from > longest[1] - longest[0]) longest = [from, to];
    from = to;
  }
  const kept = longest[1] - longest[0];
  const isWhole = kept < LEAST_REST * lines || seen > (1 - LEAST_BARS) * lines || seen - kept > MOST_BETWEEN * lines;
  return isWhole ? [0, lines] : longest;
}
