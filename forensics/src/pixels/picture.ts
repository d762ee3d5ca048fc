import { buffers, kernels, ROW_PIXELS } from './kernels.ts';

/** An upright picture in memory: 8-bit sRGB, interleaved R, G, B, row by row from the top left. */
export interface Picture {
  width: number;
  height: number;
  /** `width * height * 3` bytes. */
  data: Uint8Array;
}

const halves = new WeakMap<Uint8Array, Picture>();

/** Returns the picture at half size, as `shrink` makes it. Cached, so that all detectors share it. */
export function halved(picture: Picture): Picture {
  const known = halves.get(picture.data);
  if (known) return known;
  const half = shrink(picture, 2);
  halves.set(picture.data, half);
  return half;
}

/**
 * Frees the memory of a picture and of its halves, which are empty afterwards. The garbage collector would free it later, and every 60 MB of
 * pixels make it walk the whole heap. The memory of halves serves later halves of this thread.
 */
export function release({ data }: Picture): void {
  for (let half = halves.get(data); half; half = halves.get(half.data)) {
    const { buffer } = half.data;
    if (buffer instanceof ArrayBuffer) keepSpare(buffer);
  }
  // The pixels may be a part of a buffer that others use.
  if (data.buffer instanceof ArrayBuffer && data.byteLength === data.buffer.byteLength) data.buffer.transfer(0);
}

/** Memory of released halves, for later ones: a picture has one of a quarter of its pixels and one of a sixteenth. */
const spare: ArrayBuffer[] = [];
const MOST_SPARE = 2;
/** Largest buffer that is kept, in bytes: half of a picture of 16 megapixels. */
const MOST_SPARE_BYTES = 12_000_000;

function keepSpare(buffer: ArrayBuffer): void {
  if (buffer.byteLength > MOST_SPARE_BYTES) {
    buffer.transfer(0);
    return;
  }
  // The same memory in a new buffer: whoever still holds the old one sees nothing of the next picture.
  spare.push(buffer.transfer());
  spare.sort((a, b) => a.byteLength - b.byteLength);
  if (spare.length > MOST_SPARE) spare.shift()?.transfer(0);
}

/** Returns memory of this many bytes, whatever it contains. */
function memoryOf(bytes: number): Uint8Array {
  const at = spare.findIndex(({ byteLength }) => byteLength >= bytes);
  if (at < 0) return Buffer.allocUnsafeSlow(bytes);
  const [buffer] = spare.splice(at, 1);
  return new Uint8Array(buffer!, 0, bytes);
}

/**
 * Shrinks by a whole factor with a box filter (the mean of `factor` x `factor` pixels). Rows and columns that do not
 * fill a box are dropped; a side shorter than the box becomes one pixel. Rounds to nearest.
 */
export function shrink(picture: Picture, factor: number): Picture {
  if (factor === 1) return picture;
  const [across, down] = [Math.min(factor, picture.width), Math.min(factor, picture.height)];
  const width = Math.floor(picture.width / across);
  const height = Math.floor(picture.height / down);
  const source = picture.data;
  const stride = picture.width * 3;
  if (across === 2 && down === 2) return { width, height, data: halveRows(source, stride, width, height) };
  const data = new Uint8Array(width * height * 3);
  const n = across * down;
  const half = n >> 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let r = half;
      let g = half;
      let b = half;
      for (let j = 0; j < down; j++) {
        let at = (y * down + j) * stride + x * across * 3;
        for (let i = 0; i < across; i++, at += 3) {
          r += source[at];
          g += source[at + 1];
          b += source[at + 2];
        }
      }
      const out = (y * width + x) * 3;
      data[out] = r / n;
      data[out + 1] = g / n;
      data[out + 2] = b / n;
    }
  }
  return { width, height, data };
}

function halveRows(source: Uint8Array, stride: number, width: number, height: number): Uint8Array {
  // Every byte is written below.
  const data = memoryOf(width * height * 3);
  for (let y = 0; y < height; y++) {
    const row = 2 * y * stride;
    for (let x = 0; x < width; x += ROW_PIXELS) {
      const pixels = Math.min(ROW_PIXELS, width - x);
      const from = row + 6 * x;
      buffers.upper.set(source.subarray(from, from + 6 * pixels));
      buffers.lower.set(source.subarray(from + stride, from + stride + 6 * pixels));
      kernels.halveRow(pixels);
      data.set(buffers.halved.subarray(0, 3 * pixels), (y * width + x) * 3);
    }
  }
  return data;
}

/** A part of a picture, in pixels. */
export interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Cuts a part out. The whole stays as it is. */
export function cutOut(picture: Picture, { left, top, width, height }: Part): Picture {
  if (width === picture.width && height === picture.height) return picture;
  const data = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * ((top + y) * picture.width + left);
    data.set(picture.data.subarray(from, from + 3 * width), 3 * y * width);
  }
  return { width, height, data };
}
