import { HALVED, LOWER, UPPER } from './memory';

/** Halves the rows in `UPPER` and `LOWER` into `HALVED`: the mean of 2 x 2 pixels for each of R, G, B, rounded to nearest. */
export function halveRow(pixels: i32): void {
  let a = UPPER;
  let b = LOWER;
  let out = HALVED;
  let left = pixels;
  // Eight pixels at a time. The shuffles put the two neighbours of each channel side by side.
  for (; left >= 8; left -= 8, a += 48, b += 48, out += 24) {
    const first = sums(
      i8x16.shuffle(v128.load(a), v128.load(a, 16), 0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, 12, 15, 13, 16),
      i8x16.shuffle(v128.load(b), v128.load(b, 16), 0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, 12, 15, 13, 16),
    );
    const second = sums(
      i8x16.shuffle(v128.load(a, 14), v128.load(a, 18), 0, 3, 4, 7, 5, 8, 6, 9, 10, 13, 11, 14, 12, 15, 28, 31),
      i8x16.shuffle(v128.load(b, 14), v128.load(b, 18), 0, 3, 4, 7, 5, 8, 6, 9, 10, 13, 11, 14, 12, 15, 28, 31),
    );
    const third = sums(
      i8x16.shuffle(v128.load(a, 31), v128.load(a, 32), 0, 3, 1, 4, 5, 8, 6, 9, 7, 10, 11, 14, 12, 15, 28, 31),
      i8x16.shuffle(v128.load(b, 31), v128.load(b, 32), 0, 3, 1, 4, 5, 8, 6, 9, 7, 10, 11, 14, 12, 15, 28, 31),
    );
    v128.store(out, i8x16.narrow_i16x8_u(first, second));
    v128.store64_lane(out, i8x16.narrow_i16x8_u(third, third), 0, 16);
  }
  for (; left > 0; left--, a += 6, b += 6, out += 3) {
    for (let c: usize = 0; c < 3; c++) {
      const sum: u32 = (load<u8>(a + c) as u32) + load<u8>(a + c, 3) + load<u8>(b + c) + load<u8>(b + c, 3) + 2;
      store<u8>(out + c, (sum >> 2) as u8);
    }
  }
}

/** (a + a' + b + b' + 2) / 4 of the byte pairs in both. */
function sums(a: v128, b: v128): v128 {
  const sum = i16x8.add(i16x8.extadd_pairwise_i8x16_u(a), i16x8.extadd_pairwise_i8x16_u(b));
  return i16x8.shr_u(i16x8.add(sum, i16x8.splat(2)), 2);
}
