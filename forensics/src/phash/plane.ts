/** A grey picture: luma 0..255 in rows from the top left. */
export interface Plane {
  data: Float32Array;
  width: number;
  height: number;
}

/** A part of a picture in fractions of its sides. */
export interface Region {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const WHOLE: Region = { left: 0, top: 0, right: 1, bottom: 1 };

/** Scales down by area averaging so that the longer side is at most `longest`; a smaller plane is returned as it is. */
export function shrink(plane: Plane, longest: number): Plane {
  const scale = longest / Math.max(plane.width, plane.height);
  if (scale >= 1) return plane;
  const width = Math.max(1, Math.round(plane.width * scale));
  const height = Math.max(1, Math.round(plane.height * scale));
  const rows = resample(plane.data, plane.width, plane.height, width);
  return {
    data: transposed(resample(transposed(rows, width, plane.height), plane.height, width, height), height, width),
    width,
    height,
  };
}

/** Area-averages every row of a plane to `to` samples. */
function resample(data: Float32Array, width: number, height: number, to: number): Float32Array {
  const out = new Float32Array(to * height);
  const ratio = width / to;
  for (let x = 0; x < to; x++) {
    const start = x * ratio;
    const end = Math.min(width, start + ratio);
    const first = Math.floor(start);
    const last = Math.min(width - 1, Math.ceil(end) - 1);
    const head = Math.min(first + 1, end) - start;
    const tail = last > first ? end - last : 0;
    for (let y = 0; y < height; y++) {
      const row = y * width;
      let sum = data[row + first]! * head;
      for (let i = first + 1; i < last; i++) sum += data[row + i]!;
      if (tail > 0) sum += data[row + last]! * tail;
      out[y * to + x] = sum / (end - start);
    }
  }
  return out;
}

function transposed(data: Float32Array, width: number, height: number): Float32Array {
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) out[x * height + y] = data[y * width + x]!;
  return out;
}

/** The pixels of a region, at least one each way. */
export function crop(plane: Plane, region: Region): Plane {
  const x0 = Math.min(plane.width - 1, Math.round(region.left * plane.width));
  const y0 = Math.min(plane.height - 1, Math.round(region.top * plane.height));
  const width = Math.max(1, Math.min(plane.width, Math.round(region.right * plane.width)) - x0);
  const height = Math.max(1, Math.min(plane.height, Math.round(region.bottom * plane.height)) - y0);
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++)
    data.set(plane.data.subarray((y0 + y) * plane.width + x0, (y0 + y) * plane.width + x0 + width), y * width);
  return { data, width, height };
}

/** Grey levels a border's line may spread (standard deviation) or drift from its neighbour's mean. */
const BORDER_SPREAD = 4;
const BORDER_DRIFT = 8;
/** A frame that leaves less than this of a side is taken for a plain picture, not for a border. */
const MIN_LEFT = 0.4;

/** The picture inside a frame of even colour, or undefined where there is none at least 1% wide on some side. */
export function insideBorder(plane: Plane): Region | undefined {
  const row = (y: number, x: number) => plane.data[y * plane.width + x]!;
  const left = evenLines(plane.width, plane.height, (line, i) => row(i, line));
  const right = evenLines(plane.width, plane.height, (line, i) => row(i, plane.width - 1 - line));
  const top = evenLines(plane.height, plane.width, (line, i) => row(line, i));
  const bottom = evenLines(plane.height, plane.width, (line, i) => row(plane.height - 1 - line, i));
  // The line after the last even one may be border in part.
  const past = (lines: number) => (lines > 0 ? lines + 1 : 0);
  const region = {
    left: past(left) / plane.width,
    top: past(top) / plane.height,
    right: 1 - past(right) / plane.width,
    bottom: 1 - past(bottom) / plane.height,
  };
  if (region.right - region.left < MIN_LEFT || region.bottom - region.top < MIN_LEFT) return undefined;
  const widest = Math.max(region.left, region.top, 1 - region.right, 1 - region.bottom);
  return widest >= 0.01 ? region : undefined;
}

function evenLines(lines: number, length: number, at: (line: number, index: number) => number): number {
  let first = 0;
  for (let line = 0; line < lines; line++) {
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < length; i++) {
      const value = at(line, i);
      sum += value;
      squares += value * value;
    }
    const mean = sum / length;
    if (line === 0) first = mean;
    if (squares / length - mean * mean > BORDER_SPREAD * BORDER_SPREAD || Math.abs(mean - first) > BORDER_DRIFT)
      return line;
  }
  return lines;
}

/** Left and right exchanged, and with `flip` top and bottom too. */
export function mirrored({ data, width, height }: Plane, mirror: boolean, flip: boolean): Plane {
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++) {
    const from = (flip ? height - 1 - y : y) * width;
    for (let x = 0; x < width; x++) out[y * width + x] = data[from + (mirror ? width - 1 - x : x)]!;
  }
  return { data: out, width, height };
}
