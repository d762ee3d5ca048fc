import { COSINES, HANN, IM, N, RE, SINES, STRIP, STRIP_IM, STRIP_RE, SWAP_IM, SWAP_RE } from './memory';

const LINE: usize = (N * 4) as usize;
const STRIP_LINE: usize = (STRIP * 4) as usize;

/**
 * Forward transform of the N x N complex tile in `RE` and `IM`, in place and transposed: cell [x * N + y] of the result is the
 * frequency (x / N, y / N) cycles a pixel of cell [y * N + x] of the input. Unscaled.
 *
 * Both passes take sixteen columns at a time, which stay in the nearest cache for all four steps.
 */
export function transform(): void {
  for (let x = 0; x < N; x += STRIP) {
    copyStrip(RE + ((x * 4) as usize), STRIP_RE);
    copyStrip(IM + ((x * 4) as usize), STRIP_IM);
    columns();
    putTransposed(x);
  }
  second();
}

/**
 * Like `transform`, after subtracting the means from the tile and applying the window.
 *
 * @returns the sum of squares in `RE` after the mean was subtracted
 */
export function transformWindowed(mean: f32, opponentMean: f32): f64 {
  let squares: f64 = 0;
  for (let x = 0; x < N; x += STRIP) {
    const at = (x * 4) as usize;
    squares += windowStrip(RE + at, STRIP_RE, HANN + at, mean);
    windowStrip(IM + at, STRIP_IM, HANN + at, opponentMean);
    columns();
    putTransposed(x);
  }
  second();
  return squares;
}

function second(): void {
  for (let x = 0; x < N; x += STRIP) {
    const at = (x * 4) as usize;
    copyStrip(SWAP_RE + at, STRIP_RE);
    copyStrip(SWAP_IM + at, STRIP_IM);
    columns();
    for (let row = 0; row < N; row++) {
      const from = reversed(row) * STRIP_LINE;
      const to = at + (row as usize) * LINE;
      for (let i: usize = 0; i < STRIP_LINE; i += 16) {
        v128.store(RE + to + i, v128.load(STRIP_RE + from + i));
        v128.store(IM + to + i, v128.load(STRIP_IM + from + i));
      }
    }
  }
}

/** Index of the strip row, in the order that `columns` leaves, that belongs at row `i`: base-4 digit reversal of 256 = 4^4. */
function reversed(i: i32): usize {
  return (((i & 3) << 6) | ((i & 12) << 2) | ((i & 48) >> 2) | (i >> 6)) as usize;
}

function copyStrip(from: usize, to: usize): void {
  for (const end = to + (N as usize) * STRIP_LINE; to < end; to += STRIP_LINE, from += LINE) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    v128.store(to, v128.load(from, 32), 32);
    v128.store(to, v128.load(from, 48), 48);
  }
}

function windowStrip(from: usize, to: usize, across: usize, mean: f32): f64 {
  const means = f32x4.splat(mean);
  let squares = f32x4.splat(0);
  for (let row: usize = 0; row < (N as usize); row++, to += STRIP_LINE, from += LINE) {
    const down = v128.load32_splat(HANN + (row << 2));
    for (let i: usize = 0; i < STRIP_LINE; i += 16) {
      const value = f32x4.sub(v128.load(from + i), means);
      squares = f32x4.add(squares, f32x4.mul(value, value));
      v128.store(to + i, f32x4.mul(value, f32x4.mul(v128.load(across + i), down)));
    }
  }
  return (
    (f32x4.extract_lane(squares, 0) as f64) +
    (f32x4.extract_lane(squares, 1) as f64) +
    (f32x4.extract_lane(squares, 2) as f64) +
    (f32x4.extract_lane(squares, 3) as f64)
  );
}

/** Radix-4 decimation in frequency down the strip's columns; rows come out in digit-reversed order. */
function columns(): void {
  for (let span = N; span >= 4; span >>= 2) {
    const quarter = ((span >> 2) as usize) * STRIP_LINE;
    const step = ((N / span) * 4) as usize;
    const stride = (span as usize) * STRIP_LINE;
    const end = (N as usize) * STRIP_LINE;
    // The first butterflies of a block have the factor 1.
    const none = f32x4.splat(0);
    for (let at: usize = 0; at < end; at += stride) butterflies(at, quarter, false, none, none, none, none, none, none);
    for (let k: usize = 1; k < ((span >> 2) as usize); k++) {
      const c1 = v128.load32_splat(COSINES + k * step);
      const s1 = v128.load32_splat(SINES + k * step);
      const c2 = v128.load32_splat(COSINES + 2 * k * step);
      const s2 = v128.load32_splat(SINES + 2 * k * step);
      const c3 = v128.load32_splat(COSINES + 3 * k * step);
      const s3 = v128.load32_splat(SINES + 3 * k * step);
      for (let at = k * STRIP_LINE; at < end; at += stride) butterflies(at, quarter, true, c1, s1, c2, s2, c3, s3);
    }
  }
}

/** One row of a strip's butterflies. If the constant `turned` is set, multiplies all outputs but the first by the three twiddle factors. */
function butterflies(
  block: usize,
  quarter: usize,
  turned: bool,
  c1: v128,
  s1: v128,
  c2: v128,
  s2: v128,
  c3: v128,
  s3: v128,
): void {
  for (let at = block, last = block + STRIP_LINE; at < last; at += 16) {
    const a = STRIP_RE + at;
    const b = a + quarter;
    const c = b + quarter;
    const d = c + quarter;
    const e = STRIP_IM + at;
    const f = e + quarter;
    const g = f + quarter;
    const h = g + quarter;
    const evenR = f32x4.add(v128.load(a), v128.load(c));
    const oddR = f32x4.sub(v128.load(a), v128.load(c));
    const sumR = f32x4.add(v128.load(b), v128.load(d));
    const difR = f32x4.sub(v128.load(b), v128.load(d));
    const evenI = f32x4.add(v128.load(e), v128.load(g));
    const oddI = f32x4.sub(v128.load(e), v128.load(g));
    const sumI = f32x4.add(v128.load(f), v128.load(h));
    const difI = f32x4.sub(v128.load(f), v128.load(h));
    v128.store(a, f32x4.add(evenR, sumR));
    v128.store(e, f32x4.add(evenI, sumI));
    put(b, f, f32x4.add(oddR, difI), f32x4.sub(oddI, difR), turned, c1, s1);
    put(c, g, f32x4.sub(evenR, sumR), f32x4.sub(evenI, sumI), turned, c2, s2);
    put(d, h, f32x4.sub(oddR, difI), f32x4.add(oddI, difR), turned, c3, s3);
  }
}

function put(re: usize, im: usize, r: v128, i: v128, turned: bool, cosine: v128, sine: v128): void {
  if (turned) {
    v128.store(re, f32x4.sub(f32x4.mul(r, cosine), f32x4.mul(i, sine)));
    v128.store(im, f32x4.add(f32x4.mul(r, sine), f32x4.mul(i, cosine)));
  } else {
    v128.store(re, r);
    v128.store(im, i);
  }
}

/** Writes the strip's columns from `x` on as rows, and puts its digit-reversed rows in order as columns. */
function putTransposed(x: i32): void {
  for (let y = 0; y < N; y += 4) {
    const row = reversed(y) * STRIP_LINE;
    for (let i = 0; i < STRIP; i += 4) {
      const from = row + ((i * 4) as usize);
      const to = ((x + i) as usize) * LINE + ((y * 4) as usize);
      transposeBlock(STRIP_RE + from, SWAP_RE + to);
      transposeBlock(STRIP_IM + from, SWAP_IM + to);
    }
  }
}

/** Transposes 4 x 4 values. The rows of four consecutive frequencies are a quarter of the strip apart. */
function transposeBlock(from: usize, to: usize): void {
  const apart: usize = 64 * STRIP_LINE;
  const a = v128.load(from);
  const b = v128.load(from + apart);
  const c = v128.load(from + 2 * apart);
  const d = v128.load(from + 3 * apart);
  const ab0 = i32x4.shuffle(a, b, 0, 4, 1, 5);
  const ab1 = i32x4.shuffle(a, b, 2, 6, 3, 7);
  const cd0 = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const cd1 = i32x4.shuffle(c, d, 2, 6, 3, 7);
  v128.store(to, i64x2.shuffle(ab0, cd0, 0, 2));
  v128.store(to + LINE, i64x2.shuffle(ab0, cd0, 1, 3));
  v128.store(to + 2 * LINE, i64x2.shuffle(ab1, cd1, 0, 2));
  v128.store(to + 3 * LINE, i64x2.shuffle(ab1, cd1, 1, 3));
}
