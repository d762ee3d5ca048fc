import { LUMA_ROW, SUMS } from './memory';

/**
 * Writes the luma (Rec. 601) of `count` blocks to `LUMA_ROW`, times `scale`: of `factor` pixels each, whose sums over rows are in `SUMS` (R, G, B
 * of 16 bits, at most 32,767).
 */
export function lumaOfSums(count: i32, factor: i32, scale: f32): void {
  let from = SUMS;
  // The loop may write past the last pixel: the buffer has room and nothing reads it.
  for (let at = LUMA_ROW, end = LUMA_ROW + ((count * factor * 4) as usize); at < end; at += 16, from += 24) {
    const first = v128.load(from);
    const second = v128.load(from, 8);
    const rg = i16x8.shuffle(first, second, 0, 1, 3, 4, 10, 11, 13, 14);
    // B, and anything: its weight is 0.
    const b = i16x8.shuffle(first, second, 2, 2, 5, 5, 12, 12, 15, 15);
    v128.store(
      at,
      i32x4.add(
        i32x4.dot_i16x8_s(rg, i16x8(299, 587, 299, 587, 299, 587, 299, 587)),
        i32x4.dot_i16x8_s(b, i16x8(114, 0, 114, 0, 114, 0, 114, 0)),
      ),
    );
  }
  from = LUMA_ROW;
  for (let to = LUMA_ROW, end = LUMA_ROW + ((count * 4) as usize); to < end; to += 4) {
    let sum = 0;
    for (let i = 0; i < factor; i++, from += 4) sum += load<i32>(from);
    store<f32>(to, (sum as f32) * scale);
  }
}
