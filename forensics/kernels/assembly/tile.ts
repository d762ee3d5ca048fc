import { COLOUR_DIFFERENCES, DIFFERENCES, IM, N, PIXELS, RE, RED_GREEN, TILE } from './memory';

/**
 * Converts the tile in `PIXELS`: luma into `RE`, R - B into `IM`, R - G into `RED_GREEN`. Writes to `TILE` the mean of luma, the mean of R
 * - B, and the share of pixels with clipped green (below 4 or above 250).
 */
export function loadTile(): void {
  const zero = i32x4.splat(0);
  let lumaTotal: i64 = 0;
  let opponentTotal: i64 = 0;
  let clipped = zero;
  let from = PIXELS;
  let at: usize = 0;
  for (let row = 0; row < N; row++) {
    let lumaSum = zero;
    let opponentSum = zero;
    for (let i = 0; i < N; i += 8, from += 24, at += 32) {
      let redGreens = zero;
      for (let k: usize = 0; k < 2; k++) {
        const four = v128.load(from + 12 * k);
        // Pairs of 16-bit values: R and G, B and zero.
        const rg = i8x16.shuffle(four, zero, 0, 16, 1, 16, 3, 16, 4, 16, 6, 16, 7, 16, 9, 16, 10, 16);
        const b = i8x16.shuffle(four, zero, 2, 16, 16, 16, 5, 16, 16, 16, 8, 16, 16, 16, 11, 16, 16, 16);
        const luma = i32x4.add(
          i32x4.dot_i16x8_s(rg, i16x8(299, 587, 299, 587, 299, 587, 299, 587)),
          i32x4.dot_i16x8_s(b, i16x8(114, 0, 114, 0, 114, 0, 114, 0)),
        );
        const opponent = i32x4.sub(i32x4.dot_i16x8_s(rg, i16x8(1, 0, 1, 0, 1, 0, 1, 0)), b);
        const redGreen = i32x4.dot_i16x8_s(rg, i16x8(1, -1, 1, -1, 1, -1, 1, -1));
        const green = i32x4.shr_u(rg, 16);
        clipped = i32x4.sub(clipped, i32x4.gt_u(i32x4.sub(green, i32x4.splat(4)), i32x4.splat(246)));
        lumaSum = i32x4.add(lumaSum, luma);
        opponentSum = i32x4.add(opponentSum, opponent);
        v128.store(RE + at + 16 * k, f32x4.mul(f32x4.convert_i32x4_s(luma), f32x4.splat(0.001)));
        v128.store(IM + at + 16 * k, f32x4.convert_i32x4_s(opponent));
        redGreens = k === 0 ? redGreen : i16x8.narrow_i32x4_s(redGreens, redGreen);
      }
      v128.store(RED_GREEN + (at >> 1), redGreens);
    }
    lumaTotal += sumOf(lumaSum) as i64;
    opponentTotal += sumOf(opponentSum) as i64;
  }
  const n = (N * N) as f64;
  store<f64>(TILE, (lumaTotal as f64) / (1000 * n));
  store<f64>(TILE, (opponentTotal as f64) / n, 8);
  store<f64>(TILE, (sumOf(clipped) as f64) / n, 16);
}

function sumOf(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3);
}

function sumOfFloats(v: v128): f64 {
  return (
    (f32x4.extract_lane(v, 0) as f64) +
    (f32x4.extract_lane(v, 1) as f64) +
    (f32x4.extract_lane(v, 2) as f64) +
    (f32x4.extract_lane(v, 3) as f64)
  );
}

/**
 * Second difference in both directions (3 x 3, zero on any plane) of luma and of R - G, on every second row. Writes four sums to `TILE`,
 * from its fourth number on: luma's absolute value, square and fourth power, and the absolute value for R - G. Call `loadTile` first.
 */
export function residual(): void {
  let first: f64 = 0;
  let second: f64 = 0;
  let fourth: f64 = 0;
  let colour: i64 = 0;
  for (let y = 1; y < N - 1; y += 2) {
    down(y);
    let firsts = f32x4.splat(0);
    let seconds = f32x4.splat(0);
    let fourths = f32x4.splat(0);
    // Columns 1 to N - 2. The last two of the final group of four are ignored.
    for (let x = 1; x < N - 1; x += 4) {
      const at = DIFFERENCES + ((x * 4) as usize);
      const middle = v128.load(at);
      let l = f32x4.sub(f32x4.add(v128.load(at - 4), v128.load(at + 4)), f32x4.add(middle, middle));
      if (x === N - 3) l = v128.and(l, i32x4(-1, -1, 0, 0));
      const l2 = f32x4.mul(l, l);
      firsts = f32x4.add(firsts, f32x4.abs(l));
      seconds = f32x4.add(seconds, l2);
      fourths = f32x4.add(fourths, f32x4.mul(l2, l2));
    }
    first += sumOfFloats(firsts);
    second += sumOfFloats(seconds);
    fourth += sumOfFloats(fourths);
    let colours = i32x4.splat(0);
    for (let x = 1; x < N - 1; x += 8) {
      const at = COLOUR_DIFFERENCES + ((x * 2) as usize);
      const middle = v128.load(at);
      let l = i16x8.sub(i16x8.add(v128.load(at - 2), v128.load(at + 2)), i16x8.add(middle, middle));
      if (x === N - 7) l = v128.and(l, i16x8(-1, -1, -1, -1, -1, -1, 0, 0));
      colours = i32x4.add(colours, i32x4.extadd_pairwise_i16x8_s(i16x8.abs(l)));
    }
    colour += sumOf(colours) as i64;
  }
  store<f64>(TILE, first, 24);
  store<f64>(TILE, second, 32);
  store<f64>(TILE, fourth, 40);
  store<f64>(TILE, colour as f64, 48);
}

/** Twice the row's difference from the mean of the rows above and below. */
function down(y: i32): void {
  const row = ((y - 1) * N) as usize;
  for (let i: usize = 0; i < (N as usize); i += 4) {
    const at = RE + (row + i) * 4;
    const middle = v128.load(at, N * 4);
    const outer = f32x4.add(v128.load(at), v128.load(at, N * 8));
    v128.store(DIFFERENCES + i * 4, f32x4.sub(outer, f32x4.add(middle, middle)));
  }
  for (let i: usize = 0; i < (N as usize); i += 8) {
    const at = RED_GREEN + (row + i) * 2;
    const middle = v128.load(at, N * 2);
    const outer = i16x8.add(v128.load(at), v128.load(at, N * 4));
    v128.store(COLOUR_DIFFERENCES + i * 2, i16x8.sub(outer, i16x8.add(middle, middle)));
  }
}
