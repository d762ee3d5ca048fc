/** How a photo with an embedded manifest follows from the photo: its first bytes, others in between, its last bytes. */
export interface Splice {
  head: number;
  tail: number;
}

/**
 * Finds the longest common beginning and end of two files. A manifest is inserted into a JPEG, a PNG or a HEIC, so the middle is some
 * kilobytes. In a WebP the length at the beginning changes, and the middle is nearly the whole file.
 */
export function spliceOf(before: Buffer, after: Buffer): { splice: Splice; middle: Buffer } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { splice: { head, tail }, middle: after.subarray(head, after.length - tail) };
}

export const spliced = (before: Buffer, { head, tail }: Splice, middle: Uint8Array): Buffer =>
  Buffer.concat([before.subarray(0, head), middle, before.subarray(before.length - tail)]);
