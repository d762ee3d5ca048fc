export { detail, putDetail } from './detail';

/*
 * Layers of a network of inverted residuals on one thread. Pictures lie row by row, a pixel's channels side by side. Pointwise layers read
 * 16-bit fixed point and sum in 32 bits, exactly; everything else is 32-bit floating point. The host chooses the addresses. Channels come in
 * eights. Every buffer has room for three pixels more than it holds.
 */

/** Bytes of pixels that are read again for each eight output channels: half of the nearest cache. */
const STRIP: i32 = 16384;

/**
 * Pointwise layer: `out[pixel][n] = clip(factor * sum over k of from[pixel][k] * weights[k][n] + bias[n])`.
 *
 * @param from 16-bit, `pixels` x `depth`
 * @param weights 16-bit, in groups of eight outputs; within a group, pairs of two inputs for each output
 * @param limit the result is clipped to 0..limit; 0: not clipped
 */
export function pointwise(
  from: usize,
  weights: usize,
  bias: usize,
  out: usize,
  pixels: i32,
  depth: i32,
  width: i32,
  factor: f32,
  limit: f32,
): void {
  const line = (depth * 2) as usize;
  const outLine = (width * 4) as usize;
  const strip = max(4, (STRIP / (depth * 2)) & ~3);
  for (let first = 0; first < pixels; first += strip) {
    const last = min(pixels, first + strip);
    for (let n = 0; n < width; n += 8) {
      const panel = weights + ((n * depth * 2) as usize);
      const bias0 = v128.load(bias + ((n * 4) as usize));
      const bias1 = v128.load(bias + ((n * 4) as usize), 16);
      for (let pixel = first; pixel < last; pixel += 4) {
        let a0 = from + (pixel as usize) * line;
        let a1 = a0 + line;
        let a2 = a1 + line;
        let a3 = a2 + line;
        let c00 = i32x4.splat(0);
        let c01 = i32x4.splat(0);
        let c10 = i32x4.splat(0);
        let c11 = i32x4.splat(0);
        let c20 = i32x4.splat(0);
        let c21 = i32x4.splat(0);
        let c30 = i32x4.splat(0);
        let c31 = i32x4.splat(0);
        let w = panel;
        for (const end = a0 + line; a0 < end; a0 += 8, a1 += 8, a2 += 8, a3 += 8, w += 64) {
          // Two pairs of inputs.
          let w0 = v128.load(w);
          let w1 = v128.load(w, 16);
          let p = v128.load32_splat(a0);
          c00 = i32x4.add(c00, i32x4.dot_i16x8_s(p, w0));
          c01 = i32x4.add(c01, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a1);
          c10 = i32x4.add(c10, i32x4.dot_i16x8_s(p, w0));
          c11 = i32x4.add(c11, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a2);
          c20 = i32x4.add(c20, i32x4.dot_i16x8_s(p, w0));
          c21 = i32x4.add(c21, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a3);
          c30 = i32x4.add(c30, i32x4.dot_i16x8_s(p, w0));
          c31 = i32x4.add(c31, i32x4.dot_i16x8_s(p, w1));
          w0 = v128.load(w, 32);
          w1 = v128.load(w, 48);
          p = v128.load32_splat(a0, 4);
          c00 = i32x4.add(c00, i32x4.dot_i16x8_s(p, w0));
          c01 = i32x4.add(c01, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a1, 4);
          c10 = i32x4.add(c10, i32x4.dot_i16x8_s(p, w0));
          c11 = i32x4.add(c11, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a2, 4);
          c20 = i32x4.add(c20, i32x4.dot_i16x8_s(p, w0));
          c21 = i32x4.add(c21, i32x4.dot_i16x8_s(p, w1));
          p = v128.load32_splat(a3, 4);
          c30 = i32x4.add(c30, i32x4.dot_i16x8_s(p, w0));
          c31 = i32x4.add(c31, i32x4.dot_i16x8_s(p, w1));
        }
        const to = out + (pixel as usize) * outLine + ((n * 4) as usize);
        put(to, c00, bias0, factor, limit);
        put(to + 16, c01, bias1, factor, limit);
        put(to + outLine, c10, bias0, factor, limit);
        put(to + outLine + 16, c11, bias1, factor, limit);
        put(to + 2 * outLine, c20, bias0, factor, limit);
        put(to + 2 * outLine + 16, c21, bias1, factor, limit);
        put(to + 3 * outLine, c30, bias0, factor, limit);
        put(to + 3 * outLine + 16, c31, bias1, factor, limit);
      }
    }
  }
}

function put(to: usize, sum: v128, bias: v128, factor: f32, limit: f32): void {
  let value = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.splat(factor)), bias);
  if (limit > 0) value = f32x4.pmin(f32x4.splat(limit), f32x4.pmax(f32x4.splat(0), value));
  v128.store(to, value);
}

/** Adds `count` numbers, a multiple of four, to those at `to`. */
export function add(to: usize, from: usize, count: i32): void {
  for (const end = to + ((count * 4) as usize); to < end; to += 16, from += 16)
    v128.store(to, f32x4.add(v128.load(to), v128.load(from)));
}

/** Outputs side by side of which four channels are computed before the next four: their input stays in the nearest cache. */
const SEGMENT: i32 = 64;

/**
 * Depthwise 3 x 3 layer over a strip of rows, clipped to 0..limit. Beyond the picture lie zeros.
 *
 * @param from floating point; its first row is row `top` of the picture
 * @param weights floating point, nine times `depth`
 * @param out 16-bit, the result times `factor`; its first row is `first` and its last before `last`
 * @param step 1, or 2 for every second row and column
 * @param beforeRows rows above the picture that the first output reads, 0 or 1; `beforeColumns`: columns to its left, 1 at step 1
 */
export function depthwise(
  from: usize,
  weights: usize,
  bias: usize,
  out: usize,
  top: i32,
  height: i32,
  width: i32,
  depth: i32,
  step: i32,
  beforeRows: i32,
  beforeColumns: i32,
  first: i32,
  last: i32,
  columns: i32,
  limit: f32,
  factor: f32,
): void {
  const pixel = (depth * 4) as usize;
  const row = (width as usize) * pixel;
  const zero = f32x4.splat(0);
  for (let y = first; y < last; y++, out += ((columns * depth) as usize) * 2) {
    const upper = y * step - beforeRows;
    const middle = from + ((upper + 1 - top) as usize) * row;
    // Rows beyond the picture: the middle one instead, with weights of 0.
    const above = upper >= 0;
    const below = upper + 2 < height;
    const up = above ? middle - row : middle;
    const down = below ? middle + row : middle;
    for (let x = 0; x < columns; x += SEGMENT) {
      const until = min(columns, x + SEGMENT);
      for (let c: usize = 0; c < pixel; c += 16) {
        const w = weights + c;
        const w00 = above ? v128.load(w) : zero;
        const w01 = above ? v128.load(w + pixel) : zero;
        const w02 = above ? v128.load(w + 2 * pixel) : zero;
        const w10 = v128.load(w + 3 * pixel);
        const w11 = v128.load(w + 4 * pixel);
        const w12 = v128.load(w + 5 * pixel);
        const w20 = below ? v128.load(w + 6 * pixel) : zero;
        const w21 = below ? v128.load(w + 7 * pixel) : zero;
        const w22 = below ? v128.load(w + 8 * pixel) : zero;
        const constant = v128.load(bias + c);
        const left = x * step - beforeColumns;
        let at = c + ((left < 0 ? 0 : left) as usize) * pixel;
        let to = out + (x as usize) * (pixel >> 1) + (c >> 1);
        // The output at `to`, less the columns still to come; `next`, at step 1, the one after it.
        let sum = constant;
        if (left >= 0) {
          sum = f32x4.add(sum, three(up + at, middle + at, down + at, w00, w10, w20));
          at += pixel;
        }
        let rest = until - x;
        if (step === 1) {
          let next = f32x4.add(constant, three(up + at, middle + at, down + at, w00, w10, w20));
          sum = f32x4.add(sum, three(up + at, middle + at, down + at, w01, w11, w21));
          at += pixel;
          if (until === columns) rest--;
          for (; rest > 0; rest--, at += pixel, to += pixel >> 1) {
            const a = v128.load(up + at);
            const b = v128.load(middle + at);
            const d = v128.load(down + at);
            putFixed(to, f32x4.add(sum, products(a, b, d, w02, w12, w22)), limit, factor);
            sum = f32x4.add(next, products(a, b, d, w01, w11, w21));
            next = f32x4.add(constant, products(a, b, d, w00, w10, w20));
          }
          if (until === columns) putFixed(to, sum, limit, factor);
        } else {
          const short = until === columns && (columns - 1) * 2 - beforeColumns + 2 >= width;
          if (short) rest--;
          for (; rest > 0; rest--, at += 2 * pixel, to += pixel >> 1) {
            sum = f32x4.add(sum, three(up + at, middle + at, down + at, w01, w11, w21));
            const a = v128.load(up + at + pixel);
            const b = v128.load(middle + at + pixel);
            const d = v128.load(down + at + pixel);
            putFixed(to, f32x4.add(sum, products(a, b, d, w02, w12, w22)), limit, factor);
            sum = f32x4.add(constant, products(a, b, d, w00, w10, w20));
          }
          if (short) {
            if ((columns - 1) * 2 - beforeColumns + 1 < width)
              sum = f32x4.add(sum, three(up + at, middle + at, down + at, w01, w11, w21));
            putFixed(to, sum, limit, factor);
          }
        }
      }
    }
  }
}

/** Three pixels, one below another, times their weights. */
function three(a: usize, b: usize, d: usize, wa: v128, wb: v128, wd: v128): v128 {
  return products(v128.load(a), v128.load(b), v128.load(d), wa, wb, wd);
}

/** Three values times their weights. */
function products(a: v128, b: v128, d: v128, wa: v128, wb: v128, wd: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(a, wa), f32x4.mul(b, wb)), f32x4.mul(d, wd));
}

/** Added to a number from 0 to 2^22, this leaves it, rounded, in the lower bits of the sum. */
const ROUNDING: f32 = 8_388_608;

/** Clips four numbers to 0..limit and writes them, times `factor` and rounded, as 16 bits: at most 32,767. */
function putFixed(to: usize, value: v128, limit: f32, factor: f32): void {
  const clipped = f32x4.pmin(f32x4.splat(limit), f32x4.pmax(f32x4.splat(0), value));
  const whole = f32x4.add(f32x4.mul(clipped, f32x4.splat(factor)), f32x4.splat(ROUNDING));
  v128.store64_lane(to, i16x8.shuffle(whole, whole, 0, 2, 4, 6, 0, 2, 4, 6), 0);
}

/**
 * Lists the 3 x 3 neighbourhoods, every second pixel, of rows `first` to `last`: 32 numbers of 16 bits each, ten for a row of three pixels.
 * `from` has a margin already and `line` bytes a row.
 */
export function neighbourhoods(from: usize, line: usize, out: usize, first: i32, last: i32, columns: i32): void {
  for (let y = first; y < last; y++) {
    let at = from + ((2 * y) as usize) * line;
    for (let x = 0; x < columns; x++, at += 12, out += 64) {
      for (let j: usize = 0; j < 3; j++) {
        v128.store(out + 20 * j, v128.load(at + j * line));
        store<i32>(out + 20 * j, load<i32>(at + j * line, 16), 16);
      }
      store<i32>(out, 0, 60);
    }
  }
}

/** Returns the largest absolute value of `count` numbers, a multiple of four. */
export function largest(from: usize, count: i32): f32 {
  let most = f32x4.splat(0);
  for (const end = from + ((count * 4) as usize); from < end; from += 16)
    most = f32x4.pmax(most, f32x4.abs(v128.load(from)));
  return max(
    max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
  );
}

/** Rounds `count` numbers, a multiple of eight, times `factor` to 16 bits. */
export function toFixed(from: usize, out: usize, count: i32, factor: f32): void {
  const scale = f32x4.splat(factor);
  for (const end = from + ((count * 4) as usize); from < end; from += 32, out += 16) {
    const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from), scale)));
    const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from, 16), scale)));
    v128.store(out, i16x8.narrow_i32x4_s(low, high));
  }
}

/**
 * Adds each channel over `pixels` pixels to `sums`, and its squares to the `depth` numbers after; raises the `depth` numbers after those to its
 * highest value.
 */
export function gather(from: usize, sums: usize, pixels: i32, depth: i32): void {
  const pixel = (depth * 4) as usize;
  for (let c: usize = 0; c < pixel; c += 32, sums += 32) {
    const highest = sums + 2 * pixel;
    let sum0 = f32x4.splat(0);
    let sum1 = f32x4.splat(0);
    let squares0 = f32x4.splat(0);
    let squares1 = f32x4.splat(0);
    let most0 = v128.load(highest);
    let most1 = v128.load(highest, 16);
    for (let at = from + c, end = at + (pixels as usize) * pixel; at < end; at += pixel) {
      const value0 = v128.load(at);
      const value1 = v128.load(at, 16);
      sum0 = f32x4.add(sum0, value0);
      sum1 = f32x4.add(sum1, value1);
      squares0 = f32x4.add(squares0, f32x4.mul(value0, value0));
      squares1 = f32x4.add(squares1, f32x4.mul(value1, value1));
      most0 = f32x4.pmax(most0, value0);
      most1 = f32x4.pmax(most1, value1);
    }
    v128.store(sums, f32x4.add(v128.load(sums), sum0));
    v128.store(sums, f32x4.add(v128.load(sums, 16), sum1), 16);
    v128.store(sums + pixel, f32x4.add(v128.load(sums + pixel), squares0));
    v128.store(sums + pixel, f32x4.add(v128.load(sums + pixel, 16), squares1), 16);
    v128.store(highest, most0);
    v128.store(highest, most1, 16);
  }
}
