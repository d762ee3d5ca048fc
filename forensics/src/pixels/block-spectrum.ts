/** Side of a block and length of its transform. */
export const BLOCK = 64;

const HALF = BLOCK / 2;
const LAST = BLOCK - 1;
const HANN = Float64Array.from({ length: BLOCK }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / BLOCK));
const COSINES = Float64Array.from({ length: HALF }, (_, k) => Math.cos((2 * Math.PI * k) / BLOCK));
const SINES = Float64Array.from({ length: HALF }, (_, k) => -Math.sin((2 * Math.PI * k) / BLOCK));
/** Where the bits of an index end up when they are reversed. */
const REVERSED = Uint8Array.from({ length: BLOCK }, (_, i) => {
  let reversed = 0;
  for (let bit = 1; bit < BLOCK; bit <<= 1) reversed = (reversed << 1) | (i & bit ? 1 : 0);
  return reversed;
});

/** The spectrum of a block by rows, zero frequency at [HALF, HALF]. */
export interface Spectrum {
  re: Float32Array;
  im: Float32Array;
  power: Float32Array;
}

const empty = (): Spectrum => ({
  re: new Float32Array(BLOCK * BLOCK),
  im: new Float32Array(BLOCK * BLOCK),
  power: new Float32Array(BLOCK * BLOCK),
});

/** Index of a frequency in cycles a block. */
export const cellAt = (kx: number, ky: number): number => (ky + HALF) * BLOCK + kx + HALF;

/** Writes the luma of a block by rows. */
export type Filler = (block: Float32Array) => void;

const re = new Float32Array(BLOCK * BLOCK);
const im = new Float32Array(BLOCK * BLOCK);
const spectra = [empty(), empty()] as const;

/** Transforms a block of each of two pictures at once, less its mean and under a Hann window. The next call overwrites the result. */
export function twoSpectra(first: Filler, second: Filler): readonly [Spectrum, Spectrum] {
  first(re);
  second(im);
  window(re);
  window(im);
  for (let i = 0; i < BLOCK; i++) transform(i * BLOCK, 1);
  for (let i = 0; i < BLOCK; i++) transform(i, BLOCK);
  const [a, b] = spectra;
  for (let i = 0; i < BLOCK; i++) {
    for (let j = 0; j < BLOCK; j++) {
      const at = i * BLOCK + j;
      const mirror = (-i & LAST) * BLOCK + (-j & LAST);
      const to = ((i + HALF) & LAST) * BLOCK + ((j + HALF) & LAST);
      // Two real blocks in one complex transform: the even part is the first, the odd part the second.
      a.re[to] = (re[at] + re[mirror]) / 2;
      a.im[to] = (im[at] - im[mirror]) / 2;
      b.re[to] = (im[at] + im[mirror]) / 2;
      b.im[to] = (re[mirror] - re[at]) / 2;
      a.power[to] = a.re[to] ** 2 + a.im[to] ** 2;
      b.power[to] = b.re[to] ** 2 + b.im[to] ** 2;
    }
  }
  return spectra;
}

function window(block: Float32Array): void {
  let sum = 0;
  for (let i = 0; i < block.length; i++) sum += block[i];
  const mean = sum / block.length;
  for (let y = 0; y < BLOCK; y++)
    for (let x = 0; x < BLOCK; x++) block[y * BLOCK + x] = (block[y * BLOCK + x] - mean) * HANN[y] * HANN[x];
}

/** Radix-2 transform of one line of `re` and `im`, in place (Cooley and Tukey 1965). */
function transform(start: number, stride: number): void {
  for (let i = 0; i < BLOCK; i++) {
    const j = REVERSED[i];
    if (j <= i) continue;
    const a = start + i * stride;
    const b = start + j * stride;
    const x = re[a];
    const y = im[a];
    re[a] = re[b];
    im[a] = im[b];
    re[b] = x;
    im[b] = y;
  }
  for (let length = 2; length <= BLOCK; length <<= 1) {
    const half = length >> 1;
    const every = BLOCK / length;
    for (let i = 0; i < BLOCK; i += length) {
      for (let k = 0; k < half; k++) {
        const a = start + (i + k) * stride;
        const b = a + half * stride;
        const c = COSINES[k * every];
        const s = SINES[k * every];
        const x = re[b] * c - im[b] * s;
        const y = re[b] * s + im[b] * c;
        re[b] = re[a] - x;
        im[b] = im[a] - y;
        re[a] += x;
        im[a] += y;
      }
    }
  }
}
