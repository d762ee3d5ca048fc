import { buffers, kernels } from '../pixels/kernels.ts';
import { lumaOf } from '../pixels/luma.ts';
import { type Part, type Plane, partOf, type Region, WHOLE } from './plane.ts';

/**
 * PDQ, the 256-bit perceptual hash of facebook/ThreatExchange (`pdq/`, "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing
 * Algorithm", 2019): luma, two passes of a box filter in each direction, 64×64 samples, the 16×16 lowest non-constant DCT frequencies, and
 * one bit per frequency: above the median or not.
 */

/** Pixels in rows from the top left: 8 bits a channel; 1 is luma, 3 and 4 are RGB(A), alpha ignored. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray | Float32Array;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
}

export interface Pdq {
  /** 32 bytes, most significant first, as in the reference's hexadecimal output. */
  hash: Uint8Array;
  /** 0..100 from the gradients of the 64×64 samples. Below 50 the picture has too little detail for a useful hash. */
  quality: number;
  /** The 16×16 frequencies behind the bits, row by row. Transformed hashes are computed from them. */
  frequencies: Float32Array;
}

const SAMPLES = 64;
const FREQUENCIES = 16;

for (let k = 0; k < FREQUENCIES; k++)
  for (let n = 0; n < SAMPLES; n++)
    buffers.pdqCosines[k * SAMPLES + n] =
      Math.sqrt(2 / SAMPLES) * Math.cos((Math.PI / (2 * SAMPLES)) * (k + 1) * (2 * n + 1));

/**
 * Returns hash and quality of a picture of any size. The cost grows with its pixels; a decode shrunk to 512 pixels gives a hash within a
 * few bits.
 */
export function pdq(pixels: Pixels): Pdq {
  return hasherOf(planeOf(pixels))(WHOLE);
}

/** Returns a hasher for parts of a plane, with left and right (mirror) or top and bottom (flip) exchanged as asked. */
export function hasherOf(plane: Plane): (region: Region, mirror?: boolean, flip?: boolean) => Pdq {
  // Caches the vertical samples, which serve all parts of the same height and both horizontal directions.
  const sampled = new Map<string, Float32Array>();
  return (region, mirror = false, flip = false) => {
    const part = partOf(plane, region);
    const key = `${part.y} ${part.height} ${flip}`;
    const columns = sampled.get(key) ?? sampleDown(plane, part, flip);
    sampled.set(key, columns);
    sampleAcross(columns, part, mirror, buffers.block);
    kernels.lowFrequencies();
    const frequencies = buffers.frequencies.slice();
    const quality = Math.min(100, Math.floor(kernels.gradients() / 90));
    return { hash: bitsOf(frequencies), quality, frequencies };
  };
}

/** Returns the luma of the pixels by Rec. 601, as the reference does. */
export const planeOf = ({ data, width, height, channels }: Pixels): Plane => ({
  data: channels === 1 ? Float32Array.from(data.subarray(0, width * height)) : lumaOf(data, width * height, channels),
  width,
  height,
});

/*
 * The reference's two box filter passes in each direction amount to one weighted sum per sample. This code computes only those sums and not
 * the whole filtered picture.
 */

/** Returns, column after column, the 64 samples of each of the plane's columns between the part's top and bottom. */
function sampleDown({ data, width }: Plane, part: Part, flip: boolean): Float32Array {
  const kernel = kernelOf(part.height);
  const columns = new Float32Array(SAMPLES * width);
  const row = new Float32Array(width);
  for (let i = 0; i < SAMPLES; i++) {
    row.fill(0);
    for (let k = 0; k < kernel.length; k++) {
      const weight = kernel.weights[i * kernel.length + k]!;
      const y = kernel.first[i]! + k;
      const from = (part.y + (flip ? part.height - 1 - y : y)) * width;
      for (let x = 0; x < width; x++) row[x] = row[x]! + weight * data[from + x]!;
    }
    for (let x = 0; x < width; x++) columns[x * SAMPLES + i] = row[x]!;
  }
  return columns;
}

/** Writes the 64×64 samples of a part to `block`, row by row, from its columns. */
function sampleAcross(columns: Float32Array, part: Part, mirror: boolean, block: Float32Array): void {
  const kernel = kernelOf(part.width);
  for (let j = 0; j < SAMPLES; j++) {
    samples.fill(0);
    for (let k = 0; k < kernel.length; k++) {
      const x = kernel.first[j]! + k;
      const from = (part.x + (mirror ? part.width - 1 - x : x)) * SAMPLES;
      addColumn(columns, from, kernel.weights[j * kernel.length + k]!);
    }
    for (let i = 0; i < SAMPLES; i++) block[i * SAMPLES + j] = samples[i]!;
  }
}

/** One column of samples; outlasts no call. */
const samples = new Float64Array(SAMPLES);

/** Adds a column to the samples, times its weight. */
function addColumn(columns: Float32Array, from: number, weight: number): void {
  for (let i = 0; i < SAMPLES; i++) samples[i] = samples[i]! + weight * columns[from + i]!;
}

/** The weights of a side's pixels in each of its 64 samples. */
interface Kernel {
  /** The first pixel that each sample reads. */
  first: Int32Array;
  /** The number of pixels that each sample reads. */
  length: number;
  /** `length` weights per sample. */
  weights: Float32Array;
}

const kept = new Map<number, Kernel>();
/** Number of cached kernels. Pictures come in few sizes. */
const MAX_KERNELS = 256;

/** The reference's box filter, applied twice. Its window shrinks at both ends, and an even window is off centre towards the end. */
function kernelOf(size: number): Kernel {
  const known = kept.get(size);
  if (known) return known;
  const window = Math.floor((size + 2 * SAMPLES - 1) / (2 * SAMPLES));
  const ahead = (window + 2) >> 1;
  const begin = (at: number) => Math.max(0, at - (window - ahead));
  const end = (at: number) => Math.min(size, at + ahead);
  const length = Math.min(size, 2 * window - 1);
  const kernel: Kernel = { first: new Int32Array(SAMPLES), length, weights: new Float32Array(SAMPLES * length) };
  for (let j = 0; j < SAMPLES; j++) {
    const at = Math.floor(((j + 0.5) * size) / SAMPLES);
    const first = Math.min(begin(begin(at)), size - length);
    kernel.first[j] = first;
    for (let k = begin(at); k < end(at); k++) {
      const share = 1 / ((end(at) - begin(at)) * (end(k) - begin(k)));
      for (let i = begin(k); i < end(k); i++) {
        const to = j * length + i - first;
        kernel.weights[to] = kernel.weights[to]! + share;
      }
    }
  }
  if (kept.size >= MAX_KERNELS) kept.clear();
  kept.set(size, kernel);
  return kernel;
}

/** Returns one bit per frequency, set when it is above the median of all. */
export function bitsOf(frequencies: Float32Array): Uint8Array {
  const median = inOrder(frequencies.slice(), frequencies.length / 2 - 1);
  const hash = new Uint8Array(frequencies.length / 8);
  for (let k = 0; k < frequencies.length; k++)
    if (frequencies[k]! > median) hash[hash.length - 1 - (k >> 3)]! |= 1 << (k & 7);
  return hash;
}

/** Returns the value at this place in ascending order (Hoare's selection), and reorders the values on the way. */
function inOrder(values: Float32Array, place: number): number {
  for (let [low, high] = [0, values.length - 1]; low < high; ) {
    const pivot = values[place]!;
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const swapped = values[left]!;
      values[left++] = values[right]!;
      values[right--] = swapped;
    }
    if (right < place) low = left;
    if (left > place) high = right;
  }
  return values[place]!;
}
