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

/** 64×64 samples of the filtered luma. `luma` is overwritten. */
function samples(luma: Float32Array, width: number, height: number): Float32Array {
  const across = windowOf(width);
  const down = windowOf(height);
  let from: Float32Array = luma;
  let to: Float32Array = new Float32Array(luma.length);
  for (let pass = 0; pass < 2; pass++) {
    boxRows(from, to, width, height, across);
    boxColumns(to, from, width, height, down);
  }
  if (from !== luma) [from, to] = [to, from];
  const out = new Float32Array(SAMPLES * SAMPLES);
  for (let i = 0; i < SAMPLES; i++) {
    const row = Math.floor(((i + 0.5) * height) / SAMPLES) * width;
    for (let j = 0; j < SAMPLES; j++) out[i * SAMPLES + j] = from[row + Math.floor(((j + 0.5) * width) / SAMPLES)]!;
  }
  return out;
}

const windowOf = (size: number): number => Math.floor((size + 2 * SAMPLES - 1) / (2 * SAMPLES));

/** The reference's box filter: the window shrinks at both ends, and an even one leans forward. */
function boxRows(from: Float32Array, to: Float32Array, width: number, height: number, window: number): void {
  const half = (window + 2) >> 1;
  for (let y = 0; y < height; y++) {
    const start = y * width;
    const end = start + width;
    let right = start;
    let left = start;
    let out = start;
    let sum = 0;
    let count = 0;
    for (let k = 1; k < half; k++, count++) sum += from[right++]!;
    for (let k = half; k <= window; k++) {
      sum += from[right++]!;
      count += 1;
      to[out++] = sum / count;
    }
    while (right < end) {
      sum += from[right++]! - from[left++]!;
      to[out++] = sum / count;
    }
    while (out < end) {
      sum -= from[left++]!;
      count -= 1;
      to[out++] = sum / count;
    }
  }
}

/** The same down the columns, a row at a time so that memory is read in order. */
function boxColumns(from: Float32Array, to: Float32Array, width: number, height: number, window: number): void {
  const half = (window + 2) >> 1;
  const sums = new Float64Array(width);
  let right = 0;
  let left = 0;
  let out = 0;
  const add = () => {
    const row = right++ * width;
    for (let x = 0; x < width; x++) sums[x] = sums[x]! + from[row + x]!;
  };
  const drop = () => {
    const row = left++ * width;
    for (let x = 0; x < width; x++) sums[x] = sums[x]! - from[row + x]!;
  };
  const emit = () => {
    const row = out++ * width;
    const count = right - left;
    for (let x = 0; x < width; x++) to[row + x] = sums[x]! / count;
  };
  for (let k = 1; k < half; k++) add();
  for (let k = half; k <= window; k++) {
    add();
    emit();
  }
  while (right < height) {
    add();
    drop();
    emit();
  }
  while (out < height) {
    drop();
    emit();
  }
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
