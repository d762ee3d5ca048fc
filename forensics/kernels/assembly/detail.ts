/** Side of a crop, and numbers in a row of R, G, B. */
const SIDE: i32 = 256;
const ROW: i32 = SIDE * 3;
/** Half side of the square whose mean is subtracted, and its area. */
const RADIUS: i32 = 4;
const AREA: i16 = 81;
/** Bytes of `RADIUS` pixels of 16 bits a number, which repeat the edge on either side of the sums of columns. */
const MARGIN: usize = (RADIUS * 3 * 2) as usize;

/**
 * Writes 81 times each number of a crop less the sum of the 9 x 9 numbers of its channel around it, 16-bit. Repeats the edges.
 *
 * @param from the crop, R, G, B of 8 bits
 * @param sums room for the sums of columns, 16-bit, with a margin: 1,584 bytes
 * @returns the sum of squares of green's
 */
export function detail(from: usize, sums: usize, out: usize): f64 {
  const middle = sums + MARGIN;
  const area = i16x8.splat(AREA);
  memory.fill(sums, 0, ((ROW + 2 * RADIUS * 3) * 2) as usize);
  for (let y = -RADIUS; y < RADIUS; y++) addRow(middle, rowAt(from, y), 1);
  let squares = i64x2.splat(0);
  for (let y = 0; y < SIDE; y++) {
    addRow(middle, rowAt(from, y + RADIUS), 1);
    repeatEdges(middle);
    const row = rowAt(from, y);
    for (let i: usize = 0; i < (ROW as usize); i += 24) {
      // Green is every third number, from the second on.
      const a = lessMean(row + i, middle + 2 * i, area);
      const b = lessMean(row + i + 8, middle + 2 * i + 16, area);
      const c = lessMean(row + i + 16, middle + 2 * i + 32, area);
      v128.store(out, a);
      v128.store(out, b, 16);
      v128.store(out, c, 32);
      out += 48;
      squares = addSquares(squares, a, i16x8(0, -1, 0, 0, -1, 0, 0, -1));
      squares = addSquares(squares, b, i16x8(0, 0, -1, 0, 0, -1, 0, 0));
      squares = addSquares(squares, c, i16x8(-1, 0, 0, -1, 0, 0, -1, 0));
    }
    addRow(middle, rowAt(from, y - RADIUS), -1);
  }
  return (i64x2.extract_lane(squares, 0) + i64x2.extract_lane(squares, 1)) as f64;
}

/** Address of a row; the first and the last go on beyond the crop. */
function rowAt(from: usize, y: i32): usize {
  return from + ((min(max(y, 0), SIDE - 1) * ROW) as usize);
}

/** Adds a row to the sums at `to`, or with `sign` -1 subtracts it. */
function addRow(to: usize, row: usize, sign: i32): void {
  for (let i: usize = 0; i < (ROW as usize); i += 8) {
    const values = v128.load8x8_u(row + i);
    const sums = v128.load(to + 2 * i);
    v128.store(to + 2 * i, sign > 0 ? i16x8.add(sums, values) : i16x8.sub(sums, values));
  }
}

function repeatEdges(sums: usize): void {
  const end = sums + ((ROW * 2) as usize);
  for (let i: usize = 0; i < MARGIN; i += 2) {
    store<i16>(sums - MARGIN + i, load<i16>(sums + (i % 6)));
    store<i16>(end + i, load<i16>(end - 6 + (i % 6)));
  }
}

/** Eight numbers times 81, less the sums of nine columns around each. */
function lessMean(from: usize, sums: usize, area: v128): v128 {
  let sum = v128.load(sums - 24);
  sum = i16x8.add(sum, v128.load(sums - 18));
  sum = i16x8.add(sum, v128.load(sums - 12));
  sum = i16x8.add(sum, v128.load(sums - 6));
  sum = i16x8.add(sum, v128.load(sums));
  sum = i16x8.add(sum, v128.load(sums, 6));
  sum = i16x8.add(sum, v128.load(sums, 12));
  sum = i16x8.add(sum, v128.load(sums, 18));
  sum = i16x8.add(sum, v128.load(sums, 24));
  return i16x8.sub(i16x8.mul(v128.load8x8_u(from), area), sum);
}

function addSquares(sum: v128, values: v128, mask: v128): v128 {
  const pairs = i32x4.dot_i16x8_s(v128.and(values, mask), values);
  return i64x2.add(sum, i64x2.add(i64x2.extend_low_i32x4_s(pairs), i64x2.extend_high_i32x4_s(pairs)));
}

/** Writes what `detail` made, times `gain`, rounded and clipped to `low` to `high`, into a picture of `line` bytes a row. */
export function putDetail(from: usize, out: usize, line: usize, gain: f32, low: f32, high: f32): void {
  for (let y = 0; y < SIDE; y++, out += line) {
    for (let i: usize = 0; i < ((ROW * 2) as usize); i += 16, from += 16) {
      const values = v128.load(from);
      const lower = scaled(i32x4.extend_low_i16x8_s(values), gain, low, high);
      const upper = scaled(i32x4.extend_high_i16x8_s(values), gain, low, high);
      v128.store(out + i, i16x8.narrow_i32x4_s(lower, upper));
    }
  }
}

function scaled(values: v128, gain: f32, low: f32, high: f32): v128 {
  const product = f32x4.mul(f32x4.convert_i32x4_s(values), f32x4.splat(gain));
  const clipped = f32x4.pmin(f32x4.splat(high), f32x4.pmax(f32x4.splat(low), product));
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(clipped));
}
