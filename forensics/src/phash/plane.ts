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

/**
 * Interpolates between the four pixels around a place, given in pixels from the centre of the first. A place outside the plane
 * gives the nearest value inside. The plane has at least two rows and columns.
 */
export function sampleAt({ data, width, height }: Plane, x: number, y: number): number {
  const x0 = Math.max(0, Math.min(width - 2, Math.floor(x)));
  const y0 = Math.max(0, Math.min(height - 2, Math.floor(y)));
  const fx = Math.max(0, Math.min(1, x - x0));
  const fy = Math.max(0, Math.min(1, y - y0));
  const i = y0 * width + x0;
  return (
    (data[i]! * (1 - fx) + data[i + 1]! * fx) * (1 - fy) +
    (data[i + width]! * (1 - fx) + data[i + width + 1]! * fx) * fy
  );
}

/** Scales down by area averaging so that the longer side is at most `longest`; a smaller plane is returned as it is. */
export function shrink(plane: Plane, longest: number): Plane {
  const scale = longest / Math.max(plane.width, plane.height);
  if (scale >= 1) return plane;
  const width = Math.max(1, Math.round(plane.width * scale));
  const height = Math.max(1, Math.round(plane.height * scale));
  const across = areas(plane.width, width);
  const down = areas(plane.height, height);
  const data = new Float32Array(width * height);
  const line = new Float64Array(plane.width);
  const { data: from } = plane;
  for (let y = 0; y < height; y++) {
    const top = down.first[y]!;
    const bottom = down.last[y]!;
    for (let i = 0, at = top * plane.width; i < line.length; i++, at++) line[i] = down.head[y]! * from[at]!;
    for (let row = top + 1; row <= bottom; row++) {
      const weight = row === bottom ? down.tail[y]! : 1;
      for (let i = 0, at = row * plane.width; i < line.length; i++, at++) line[i] = line[i]! + weight * from[at]!;
    }
    for (let x = 0; x < width; x++) {
      const first = across.first[x]!;
      const last = across.last[x]!;
      let sum = line[first]! * across.head[x]!;
      for (let i = first + 1; i < last; i++) sum += line[i]!;
      if (last > first) sum += line[last]! * across.tail[x]!;
      data[y * width + x] = sum / (across.size * down.size);
    }
  }
  return { data, width, height };
}

/** The pixels that each sample of a smaller side averages: first..last, complete except for fractions at both ends. */
interface Areas {
  first: Int32Array;
  last: Int32Array;
  head: Float64Array;
  tail: Float64Array;
  /** Pixels per sample. */
  size: number;
}

function areas(pixels: number, samples: number): Areas {
  const size = pixels / samples;
  const found: Areas = {
    first: new Int32Array(samples),
    last: new Int32Array(samples),
    head: new Float64Array(samples),
    tail: new Float64Array(samples),
    size,
  };
  for (let i = 0; i < samples; i++) {
    const start = i * size;
    const end = Math.min(pixels, start + size);
    const first = Math.floor(start);
    const last = Math.max(first, Math.min(pixels, Math.ceil(end)) - 1);
    found.first[i] = first;
    found.last[i] = last;
    found.head[i] = Math.min(first + 1, end) - start;
    found.tail[i] = end - last;
  }
  return found;
}

/** A part of a plane in whole pixels. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the pixels of a region, at least one in each direction. */
export function partOf({ width, height }: Plane, region: Region): Part {
  const x = Math.min(width - 1, Math.round(region.left * width));
  const y = Math.min(height - 1, Math.round(region.top * height));
  return {
    x,
    y,
    width: Math.max(1, Math.min(width, Math.round(region.right * width)) - x),
    height: Math.max(1, Math.min(height, Math.round(region.bottom * height)) - y),
  };
}

/** Returns the region, cut out. */
export function crop(plane: Plane, region: Region): Plane {
  const { x, y, width, height } = partOf(plane, region);
  const data = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * plane.width + x;
    data.set(plane.data.subarray(from, from + width), row * width);
  }
  return { data, width, height };
}

/** Maximum standard deviation of a border line, and maximum difference from the next line's mean, in grey levels. */
const BORDER_SPREAD = 4;
const BORDER_DRIFT = 8;
/** If the border would leave less than this share of a side, the picture counts as plain, without a border. */
const MIN_LEFT = 0.4;

/** Returns the area inside a border of even colour; undefined when no side has a border of at least 1%. */
export function insideBorder(plane: Plane): Region | undefined {
  const { data, width, height } = plane;
  const last = width * height - 1;
  const columns = { count: width, length: height, along: width };
  const rows = { count: height, length: width, along: 1 };
  const left = evenLines(data, { ...columns, first: 0, next: 1 });
  const right = evenLines(data, { ...columns, first: width - 1, next: -1 });
  const top = evenLines(data, { ...rows, first: 0, next: width });
  const bottom = evenLines(data, { ...rows, first: last - width + 1, next: -width });
  // The line after the last even one may be partly border.
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

/** Rows or columns from one side of a plane on: the index of the first pixel, and the steps to the next pixel and the next line. */
interface Lines {
  first: number;
  along: number;
  next: number;
  count: number;
  length: number;
}

/** Returns the number of even lines before the first that is not. */
function evenLines(data: Float32Array, { count, length, along, next, first: start }: Lines): number {
  let first = 0;
  for (let line = 0; line < count; line++) {
    let sum = 0;
    let squares = 0;
    for (let i = 0, at = start + line * next; i < length; i++, at += along) {
      const value = data[at]!;
      sum += value;
      squares += value * value;
    }
    const mean = sum / length;
    if (line === 0) first = mean;
    if (squares / length - mean * mean > BORDER_SPREAD * BORDER_SPREAD || Math.abs(mean - first) > BORDER_DRIFT)
      return line;
  }
  return count;
}
