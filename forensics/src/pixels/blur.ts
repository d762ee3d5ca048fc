/** Running mean over 2 * radius + 1 pixels in both directions, in place, with repeated edges. */
export function boxBlur(data: Float32Array, width: number, height: number, radius: number): void {
  const scale = 1 / (2 * radius + 1);
  const line = new Float32Array(width);
  for (let y = 0; y < height; y++) {
    const row = data.subarray(y * width, (y + 1) * width);
    line.set(row);
    let sum = 0;
    for (let i = -radius; i <= radius; i++) sum += line[Math.max(0, Math.min(width - 1, i))];
    for (let x = 0; x < width; x++) {
      row[x] = sum * scale;
      sum += line[Math.min(width - 1, x + radius + 1)] - line[Math.max(0, x - radius)];
    }
  }
  // Processes the columns one whole row at a time, so that memory is read in order. Keeps copies of the rows that are still needed.
  const kept = Array.from({ length: radius + 1 }, () => new Float32Array(width));
  const sums = new Float32Array(width);
  for (let i = -radius; i <= radius; i++) {
    const from = Math.max(0, Math.min(height - 1, i)) * width;
    for (let x = 0; x < width; x++) sums[x] += data[from + x];
  }
  for (let y = 0; y < height; y++) {
    const at = y * width;
    const own = kept[y % kept.length];
    own.set(data.subarray(at, at + width));
    if (y === 0) for (const row of kept) row.set(own);
    const next = Math.min(height - 1, y + radius + 1) * width;
    // With y == height - 1 the last row is already written. Its original values are in `own`.
    const below = next === at ? own : data.subarray(next, next + width);
    const above = kept[(y + 1) % kept.length];
    for (let x = 0; x < width; x++) {
      data[at + x] = sums[x] * scale;
      sums[x] += below[x] - above[x];
    }
  }
}
