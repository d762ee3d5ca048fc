import { buffers, kernels } from './kernels.ts';

/** Side of a tile and length of its transform. */
export const N = 256;

/** Hann window along a tile's side. */
export const HANN = Float32Array.from({ length: N }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / N));

buffers.hann.set(HANN);
for (let k = 0; k < N; k++) {
  buffers.cosines[k] = Math.cos((2 * Math.PI * k) / N);
  buffers.sines[k] = -Math.sin((2 * Math.PI * k) / N);
}

/**
 * Forward transform of an N x N complex tile, in place and transposed. Cell [x * N + y] of the result is the frequency
 * (x / N, y / N) cycles a pixel of cell [y * N + x] of the input. Unscaled.
 */
export function fft2(re: Float32Array, im: Float32Array): void {
  buffers.re.set(re);
  buffers.im.set(im);
  kernels.transform();
  re.set(buffers.re);
  im.set(buffers.im);
}
