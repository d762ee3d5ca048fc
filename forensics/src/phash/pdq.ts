/**
 * PDQ, the 256-bit perceptual hash of facebook/ThreatExchange (`pdq/`, "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing
 * Algorithm", 2019): luma, two passes of a box filter each way, 64×64 samples, the 16×16 lowest frequencies of the DCT without
 * the constant ones, and one bit a frequency: above the median or not.
 */

/** Pixels in rows from the top left: 8 bits a channel; 1 is luma, 3 and 4 are RGB(A), alpha ignored. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray | Float32Array;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
}

export interface Pdq {
  /** 32 bytes, the most significant first: the hexadecimal form the reference prints. */
  hash: Uint8Array;
  /** 0..100 from the gradients of the 64×64 samples; below 50 a picture has too little in it for its hash to mean anything. */
  quality: number;
  /** The 16×16 frequencies the bits are made of, row by row: turned and mirrored hashes come from it. */
  frequencies: Float32Array;
}

const SAMPLES = 64;
const FREQUENCIES = 16;

const COSINES = (() => {
  const table = new Float32Array(FREQUENCIES * SAMPLES);
  const scale = Math.sqrt(2 / SAMPLES);
  for (let k = 0; k < FREQUENCIES; k++)
    for (let n = 0; n < SAMPLES; n++)
      table[k * SAMPLES + n] = scale * Math.cos((Math.PI / (2 * SAMPLES)) * (k + 1) * (2 * n + 1));
  return table;
})();

/** Hash and quality of a picture of any size. The work grows with its pixels: a decode shrunk to 512 across hashes alike within a few bits. */
export function pdq(pixels: Pixels): Pdq {
  return pdqOfSamples(samples(lumaOf(pixels), pixels.width, pixels.height));
}

/** Luma by Rec. 601, as the reference weighs it. */
export function lumaOf({ data, width, height, channels }: Pixels): Float32Array {
  const luma = new Float32Array(width * height);
  if (channels === 1) {
    luma.set(data.length === luma.length ? data : data.subarray(0, luma.length));
    return luma;
  }
  for (let i = 0, at = 0; i < luma.length; i++, at += channels)
    luma[i] = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  return luma;
}

/**
 * 64×64 samples of the filtered luma. The two passes of the reference's box filter each way are one weighted sum a sample, so only
 * the samples are computed and not the filtered picture between them.
 */
function samples(luma: Float32Array, width: number, height: number): Float32Array {
  const across = kernelOf(width);
  const down = kernelOf(height);
  const columns = new Float32Array(SAMPLES * height);
  for (let y = 0; y < height; y++) {
    for (let j = 0; j < SAMPLES; j++) {
      const from = y * width + across.first[j]!;
      const weights = j * across.length;
      let sum = 0;
      for (let i = 0; i < across.length; i++) sum += across.weights[weights + i]! * luma[from + i]!;
      columns[y * SAMPLES + j] = sum;
    }
  }
  const out = new Float32Array(SAMPLES * SAMPLES);
  for (let i = 0; i < SAMPLES; i++) {
    for (let k = 0; k < down.length; k++) {
      const weight = down.weights[i * down.length + k]!;
      const row = (down.first[i]! + k) * SAMPLES;
      for (let j = 0; j < SAMPLES; j++) out[i * SAMPLES + j] = out[i * SAMPLES + j]! + weight * columns[row + j]!;
    }
  }
  return out;
}

/** How each of the 64 samples of a side is weighed from the pixels of that side. */
interface Kernel {
  /** The first pixel each sample reads. */
  first: Int32Array;
  /** How many pixels it reads. */
  length: number;
  /** `length` weights a sample. */
  weights: Float32Array;
}

const kernels = new Map<number, Kernel>();
/** Kernels that are kept: pictures come in few sizes. */
const MAX_KERNELS = 256;

/** The reference's box filter, twice: its window shrinks at both ends, and an even one leans forward. */
function kernelOf(size: number): Kernel {
  const known = kernels.get(size);
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
  if (kernels.size >= MAX_KERNELS) kernels.clear();
  kernels.set(size, kernel);
  return kernel;
}

function pdqOfSamples(block: Float32Array): Pdq {
  const frequencies = transform(block);
  return { hash: bitsOf(frequencies), quality: qualityOf(block), frequencies };
}

/** The sixteen lowest frequencies each way: D·A·Dᵀ. */
function transform(block: Float32Array): Float32Array {
  const half = new Float32Array(FREQUENCIES * SAMPLES);
  for (let k = 0; k < FREQUENCIES; k++)
    for (let n = 0; n < SAMPLES; n++) {
      const weight = COSINES[k * SAMPLES + n]!;
      const row = n * SAMPLES;
      for (let j = 0; j < SAMPLES; j++) half[k * SAMPLES + j] = half[k * SAMPLES + j]! + weight * block[row + j]!;
    }
  const out = new Float32Array(FREQUENCIES * FREQUENCIES);
  for (let i = 0; i < FREQUENCIES; i++)
    for (let j = 0; j < FREQUENCIES; j++) {
      let sum = 0;
      for (let n = 0; n < SAMPLES; n++) sum += half[i * SAMPLES + n]! * COSINES[j * SAMPLES + n]!;
      out[i * FREQUENCIES + j] = sum;
    }
  return out;
}

/** One bit a frequency, set where it is above the median of all. */
export function bitsOf(frequencies: Float32Array): Uint8Array {
  const median = frequencies.toSorted()[frequencies.length / 2 - 1]!;
  const hash = new Uint8Array(frequencies.length / 8);
  for (let k = 0; k < frequencies.length; k++)
    if (frequencies[k]! > median) hash[hash.length - 1 - (k >> 3)]! |= 1 << (k & 7);
  return hash;
}

function qualityOf(block: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < SAMPLES; i++)
    for (let j = 0; j < SAMPLES; j++) {
      const here = block[i * SAMPLES + j]!;
      if (i + 1 < SAMPLES) sum += Math.abs(Math.trunc(((here - block[(i + 1) * SAMPLES + j]!) * 100) / 255));
      if (j + 1 < SAMPLES) sum += Math.abs(Math.trunc(((here - block[i * SAMPLES + j + 1]!) * 100) / 255));
    }
  return Math.min(100, Math.floor(sum / 90));
}
