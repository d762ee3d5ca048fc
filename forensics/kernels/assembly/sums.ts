import { SUMS, UPPER } from './memory';

/** Clears the first `count` numbers of `SUMS`. */
export function clearSums(count: i32): void {
  memory.fill(SUMS, 0, (count * 4) as usize);
}

/** Adds the first `count` bytes of `UPPER` to `SUMS`. */
export function addBytes(count: i32): void {
  let from = UPPER;
  // The loop may write past the last number: the buffer has room and nothing reads it.
  for (let at = SUMS, end = SUMS + ((count * 4) as usize); at < end; at += 32, from += 8) {
    const eight = v128.load8x8_u(from);
    v128.store(at, i32x4.add(v128.load(at), i32x4.extend_low_i16x8_u(eight)));
    v128.store(at, i32x4.add(v128.load(at, 16), i32x4.extend_high_i16x8_u(eight)), 16);
  }
}

/** Adds the first `count` bytes of `UPPER` to `SUMS`, whose numbers are of 16 bits here. */
export function addShorts(count: i32): void {
  let from = UPPER;
  // The loop may write past the last number: the buffer has room and nothing reads it.
  for (let at = SUMS, end = SUMS + ((count * 2) as usize); at < end; at += 32, from += 16) {
    const bytes = v128.load(from);
    v128.store(at, i16x8.add(v128.load(at), i16x8.extend_low_i8x16_u(bytes)));
    v128.store(at, i16x8.add(v128.load(at, 16), i16x8.extend_high_i8x16_u(bytes)), 16);
  }
}
