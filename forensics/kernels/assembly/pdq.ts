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
