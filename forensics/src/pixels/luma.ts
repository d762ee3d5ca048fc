/** Returns the luma (Rec. 601, 0..255, not rounded) of the pixel whose red byte is at `at`. */
export const lumaAt = (data: ArrayLike<number>, at: number): number =>
  0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;

/** Returns the luma (Rec. 601) of every pixel, row by row. `channels`: bytes per pixel, red first. */
export function lumaOf(data: ArrayLike<number>, pixels: number, channels = 3): Float32Array {
  const luma = new Float32Array(pixels);
  for (let i = 0, at = 0; i < pixels; i++, at += channels) luma[i] = lumaAt(data, at);
  return luma;
}
