import { BOX_COUNTS, BOX_LINE, BOX_ROW, BOX_SHARES, BOXED, UPPER } from './memory';

/**
 * Averages `UPPER` (R, G, B) into `BOX_LINE`, four numbers a box, the last of which means nothing. `BOX_COUNTS` says
 * how many pixels each box has, plus 32,768 if its first is also the last of the box before; `BOX_SHARES` lists what each pixel counts.
 */
export function averageAcross(boxes: i32): void {
  let from = UPPER;
  let share = BOX_SHARES;
  for (let i: usize = 0; i < (boxes as usize); i++) {
    const count = load<u16>(BOX_COUNTS + 2 * i) as i32;
    let sum = f32x4.splat(0);
    if (count & 32768) from -= 3;
    for (let left = count & 32767; left > 0; left--, from += 3, share += 4) {
      const pixel = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(from)));
      sum = f32x4.add(sum, f32x4.mul(f32x4.convert_i32x4_s(pixel), v128.load32_splat(share)));
    }
    v128.store(BOX_LINE + 16 * i, sum);
  }
}

/** Adds `share` of `BOX_LINE` to `BOX_ROW`. */
export function addLine(boxes: i32, share: f32): void {
  const factor = f32x4.splat(share);
  for (let at: usize = 0; at < ((16 * boxes) as usize); at += 16)
    v128.store(BOX_ROW + at, f32x4.add(v128.load(BOX_ROW + at), f32x4.mul(v128.load(BOX_LINE + at), factor)));
}

/** Rounds `BOX_ROW` to bytes (R, G, B) in `BOXED`, and clears it. */
export function takeRow(boxes: i32): void {
  let out = BOXED;
  for (let at = BOX_ROW, end = BOX_ROW + ((16 * boxes) as usize); at < end; at += 16, out += 3) {
    const whole = i32x4.trunc_sat_f32x4_s(f32x4.add(v128.load(at), f32x4.splat(0.5)));
    const words = i16x8.narrow_i32x4_s(whole, whole);
    v128.store32_lane(out, i8x16.narrow_i16x8_u(words, words), 0);
    v128.store(at, f32x4.splat(0));
  }
}
