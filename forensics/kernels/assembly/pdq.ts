import { BLOCK, BLOCK_ROWS, FREQUENCIES, PDQ_COSINES } from './memory';

const SAMPLES: usize = 64;
const KEPT: usize = 16;

/** Computes the sixteen lowest non-constant frequencies in each direction of the samples in `BLOCK`: D A D^T into `FREQUENCIES`. */
export function lowFrequencies(): void {
  for (let k: usize = 0; k < KEPT; k++) {
    for (let j: usize = 0; j < SAMPLES * 4; j += 16) {
      let sum = f32x4.splat(0);
      for (let n: usize = 0; n < SAMPLES; n++) {
        const weight = v128.load32_splat(PDQ_COSINES + (k * SAMPLES + n) * 4);
        sum = f32x4.add(sum, f32x4.mul(weight, v128.load(BLOCK + n * SAMPLES * 4 + j)));
      }
      v128.store(BLOCK_ROWS + k * SAMPLES * 4 + j, sum);
    }
  }
  for (let i: usize = 0; i < KEPT; i++) {
    for (let j: usize = 0; j < KEPT; j++) {
      let sum = f32x4.splat(0);
      for (let n: usize = 0; n < SAMPLES * 4; n += 16) {
        const weights = v128.load(PDQ_COSINES + j * SAMPLES * 4 + n);
        sum = f32x4.add(sum, f32x4.mul(weights, v128.load(BLOCK_ROWS + i * SAMPLES * 4 + n)));
      }
      const pairs = f32x4.add(sum, i64x2.shuffle(sum, sum, 1, 0));
      store<f32>(FREQUENCIES + (i * KEPT + j) * 4, f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1));
    }
  }
}

/** Returns the sum over neighbouring samples in `BLOCK`, below and to the right, of the whole percents of 255 by which they differ. */
export function gradients(): f64 {
  let total = f64x2.splat(0);
  for (let i: usize = 0; i < SAMPLES; i++) {
    const row = BLOCK + i * SAMPLES * 4;
    for (let j: usize = 0; j < SAMPLES * 4; j += 8) {
      const here = pairAt(row + j);
      if (i + 1 < SAMPLES) total = f64x2.add(total, percents(here, pairAt(row + j + SAMPLES * 4)));
      const across = percents(here, pairAt(row + j + 4));
      // The last sample of a row has no neighbour to its right.
      total = f64x2.add(total, j + 8 < SAMPLES * 4 ? across : f64x2.replace_lane(across, 1, 0));
    }
  }
  return f64x2.extract_lane(total, 0) + f64x2.extract_lane(total, 1);
}

function pairAt(from: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(from));
}

function percents(a: v128, b: v128): v128 {
  const share = f64x2.div(f64x2.mul(f64x2.sub(a, b), f64x2.splat(100)), f64x2.splat(255));
  return f64x2.abs(f64x2.trunc(share));
}
