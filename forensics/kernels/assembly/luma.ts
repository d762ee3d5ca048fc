import { LUMA_ROW, UPPER } from './memory';

/** Adds the luma (Rec. 601) of the first `pixels` pixels of `UPPER` (R, G, B) to `LUMA_ROW`. */
export function addLuma(pixels: i32): void {
  const zero = i32x4.splat(0);
  let from = UPPER;
  // The loop may write past the last pixel: the buffer has room and nothing reads it.
  for (let at = LUMA_ROW, end = LUMA_ROW + ((pixels * 4) as usize); at < end; at += 16, from += 12) {
    const four = v128.load(from);
    // Pairs of 16-bit values: R and G, B and zero.
    const rg = i8x16.shuffle(four, zero, 0, 16, 1, 16, 3, 16, 4, 16, 6, 16, 7, 16, 9, 16, 10, 16);
    const b = i8x16.shuffle(four, zero, 2, 16, 16, 16, 5, 16, 16, 16, 8, 16, 16, 16, 11, 16, 16, 16);
    const luma = i32x4.add(
      i32x4.dot_i16x8_s(rg, i16x8(299, 587, 299, 587, 299, 587, 299, 587)),
      i32x4.dot_i16x8_s(b, i16x8(114, 0, 114, 0, 114, 0, 114, 0)),
    );
    v128.store(at, f32x4.add(v128.load(at), f32x4.mul(f32x4.convert_i32x4_s(luma), f32x4.splat(0.001))));
  }
}

/** Replaces the first `count` numbers of `LUMA_ROW` by the sums of `factor` neighbours each, times `scale`. */
export function sumNeighbours(count: i32, factor: i32, scale: f32): void {
  let from = LUMA_ROW;
  for (let to = LUMA_ROW, end = LUMA_ROW + ((count * 4) as usize); to < end; to += 4) {
    let sum: f32 = 0;
    for (let i = 0; i < factor; i++, from += 4) sum += load<f32>(from);
    store<f32>(to, sum * scale);
  }
}

/** Clears the first `pixels` numbers of `LUMA_ROW` for the next sum. */
export function clearLuma(pixels: i32): void {
  memory.fill(LUMA_ROW, 0, (pixels * 4) as usize);
}
