/** Side of a tile and length of its transform. */
export const N = 256;

/** Hann window of a tile's side. */
export const HANN = Float32Array.from({ length: N }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / N));

// Twiddle factors exp(-2 pi i k / N).
const COS = Float64Array.from({ length: N }, (_, k) => Math.cos((2 * Math.PI * k) / N));
const SIN = Float64Array.from({ length: N }, (_, k) => -Math.sin((2 * Math.PI * k) / N));

/** Row `REVERSED[i]` of the radix-4 result belongs at row i: base-4 digit reversal of 256 = 4^4. */
const REVERSED = Uint8Array.from(
  { length: N },
  (_, i) => ((i & 3) << 6) | ((i & 12) << 2) | ((i & 48) >> 2) | (i >> 6),
);

const swapRe = new Float32Array(N * N);
const swapIm = new Float32Array(N * N);

/**
 * Forward transform of an N x N complex tile, in place and transposed: cell [x * N + y] of the result is the frequency
 * (x / N, y / N) cycles a pixel of cell [y * N + x] of the input. Unscaled.
 *
 * Both passes run down the columns, so that the inner loop walks along memory with one twiddle factor for a whole row.
 */
export function fft2(re: Float32Array, im: Float32Array): void {
  columns(re, im);
  transpose(re, swapRe);
  transpose(im, swapIm);
  columns(swapRe, swapIm);
  for (let i = 0; i < N; i++) {
    re.set(swapRe.subarray(REVERSED[i] * N, REVERSED[i] * N + N), i * N);
    im.set(swapIm.subarray(REVERSED[i] * N, REVERSED[i] * N + N), i * N);
  }
}

/** Radix-4 decimation in frequency down every column; rows come out in digit-reversed order. */
function columns(re: Float32Array, im: Float32Array): void {
  for (let span = N; span >= 4; span >>= 2) {
    const quarter = span >> 2;
    const step = N / span;
    for (let k = 0; k < quarter; k++) {
      const c1 = COS[k * step];
      const s1 = SIN[k * step];
      const c2 = COS[2 * k * step];
      const s2 = SIN[2 * k * step];
      const c3 = COS[3 * k * step];
      const s3 = SIN[3 * k * step];
      for (let block = k; block < N; block += span) {
        const a = block * N;
        const b = a + quarter * N;
        const c = b + quarter * N;
        const d = c + quarter * N;
        for (let x = 0; x < N; x++) {
          const ar = re[a + x];
          const ai = im[a + x];
          const br = re[b + x];
          const bi = im[b + x];
          const cr = re[c + x];
          const ci = im[c + x];
          const dr = re[d + x];
          const di = im[d + x];
          const evenR = ar + cr;
          const evenI = ai + ci;
          const oddR = ar - cr;
          const oddI = ai - ci;
          const sumR = br + dr;
          const sumI = bi + di;
          const difR = br - dr;
          const difI = bi - di;
          re[a + x] = evenR + sumR;
          im[a + x] = evenI + sumI;
          let tr = oddR + difI;
          let ti = oddI - difR;
          re[b + x] = tr * c1 - ti * s1;
          im[b + x] = tr * s1 + ti * c1;
          tr = evenR - sumR;
          ti = evenI - sumI;
          re[c + x] = tr * c2 - ti * s2;
          im[c + x] = tr * s2 + ti * c2;
          tr = oddR - difI;
          ti = oddI + difR;
          re[d + x] = tr * c3 - ti * s3;
          im[d + x] = tr * s3 + ti * c3;
        }
      }
    }
  }
}

/** Transposes, putting the digit-reversed rows of the first pass in order on the way. */
function transpose(from: Float32Array, to: Float32Array): void {
  const block = 16;
  for (let y = 0; y < N; y += block) {
    for (let x = 0; x < N; x += block) {
      for (let j = 0; j < block; j++) {
        const row = REVERSED[y + j] * N + x;
        for (let i = 0; i < block; i++) to[(x + i) * N + y + j] = from[row + i];
      }
    }
  }
}
