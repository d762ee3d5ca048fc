import {
  BIN_OF,
  BINS,
  COLOUR_RINGS,
  CROSS_IM,
  CROSS_RE,
  CROSS_SUMS,
  HALF,
  IM,
  LUMA_BINS,
  LUMA_POWER,
  N,
  OPPONENT_BINS,
  OPPONENT_POWER,
  RE,
  ROWS,
  SECTORS,
  WINDOW,
} from './memory';

/**
 * Separates the spectra of the two real signals that share one complex transform. Writes their powers to `LUMA_POWER` and `OPPONENT_POWER`,
 * the sums over bins to `LUMA_BINS` and `OPPONENT_BINS`, and the cross spectrum over the colour rings to `CROSS_SUMS`.
 */
export function split(): void {
  memory.fill(LUMA_BINS, 0, BINS * 8);
  memory.fill(OPPONENT_BINS, 0, BINS * 8);
  memory.fill(CROSS_SUMS, 0, COLOUR_RINGS * 2 * 8);
  const quarter = f32x4.splat(0.25);
  for (let row = 0; row < ROWS; row++) {
    const fx = row - WINDOW;
    const a = (((fx + N) & (N - 1)) * N * 4) as usize;
    const b = (((N - fx) & (N - 1)) * N * 4) as usize;
    const coloured = fx >= 0 && fx <= N / 4;
    for (let fy = 0; fy < N; fy += 4) {
      const p = a + ((fy * 4) as usize);
      // The four cells of the negative frequencies, in reverse order. Frequency 0 is its own negative.
      const q = b + (((N - 3 - fy) * 4) as usize);
      let qr = i32x4.shuffle(v128.load(RE + q), v128.load(RE + q), 3, 2, 1, 0);
      let qi = i32x4.shuffle(v128.load(IM + q), v128.load(IM + q), 3, 2, 1, 0);
      if (fy === 0) {
        qr = f32x4.replace_lane(qr, 0, load<f32>(RE + b));
        qi = f32x4.replace_lane(qi, 0, load<f32>(IM + b));
      }
      const pr = v128.load(RE + p);
      const pi = v128.load(IM + p);
      const sumR = f32x4.add(pr, qr);
      const difI = f32x4.sub(pi, qi);
      const sumI = f32x4.add(pi, qi);
      const difR = f32x4.sub(qr, pr);
      const column = (((fy + HALF) & (N - 1)) * 4) as usize;
      const at = ((row * N * 4) as usize) + column;
      v128.store(LUMA_POWER + at, f32x4.mul(quarter, f32x4.add(f32x4.mul(sumR, sumR), f32x4.mul(difI, difI))));
      v128.store(OPPONENT_POWER + at, f32x4.mul(quarter, f32x4.add(f32x4.mul(sumI, sumI), f32x4.mul(difR, difR))));
      if (!coloured) continue;
      v128.store(CROSS_RE + column, f32x4.mul(quarter, f32x4.add(f32x4.mul(sumR, sumI), f32x4.mul(difI, difR))));
      v128.store(CROSS_IM + column, f32x4.mul(quarter, f32x4.sub(f32x4.mul(difI, sumI), f32x4.mul(sumR, difR))));
    }
    if (fx >= 0 && fx <= HALF) addToBins(row, coloured);
  }
}

function addToBins(row: i32, coloured: bool): void {
  const bins = BIN_OF + (((row - WINDOW) * N) as usize);
  const powers = (row * N * 4) as usize;
  for (let column: usize = 0; column < (N as usize); column++) {
    const bin = load<u8>(bins + column) as i32;
    if (bin === BINS - 1) continue;
    const at = powers + column * 4;
    const bytes = (bin * 8) as usize;
    add(LUMA_BINS + bytes, load<f32>(LUMA_POWER + at));
    add(OPPONENT_BINS + bytes, load<f32>(OPPONENT_POWER + at));
    if (!coloured || bin >= COLOUR_RINGS * SECTORS) continue;
    const ring = CROSS_SUMS + (((bin / SECTORS) * 16) as usize);
    add(ring, load<f32>(CROSS_RE + column * 4));
    add(ring + 8, load<f32>(CROSS_IM + column * 4));
  }
}

function add(at: usize, value: f32): void {
  store<f64>(at, load<f64>(at) + (value as f64));
}
