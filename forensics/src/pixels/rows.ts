/**
 * Gives every row the mean brightness of the picture. Bands of light that a sensor, read row by row, sees before a dimmed display or under a
 * lamp on mains vanish; what differs within a row stays.
 */
export function levelRows(data: Float32Array, width: number, height: number): void {
  const means = new Float32Array(height);
  let all = 0;
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let x = 0, at = y * width; x < width; x++, at++) sum += data[at];
    means[y] = sum / width;
    all += means[y] / height;
  }
  // Dark rows would only be brightened to noise.
  for (let y = 0; y < height; y++) {
    const gain = Math.min(4, (all + 4) / (means[y] + 4));
    for (let x = 0, at = y * width; x < width; x++, at++) data[at] *= gain;
  }
}
