import { bitsOf } from './pdq.ts';

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let left = byte; left; left &= left - 1) count += 1;
  return count;
});

/** Counts the differing bits of two hashes of equal length. */
export function hamming(a: Uint8Array, b: Uint8Array): number {
  let distance = 0;
  for (let i = 0; i < a.length; i++) distance += ONES[a[i]! ^ b[i]!]!;
  return distance;
}

export const toHex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** @throws RangeError unless the text is 64 hexadecimal digits. */
export function fromHex(hex: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new RangeError('a PDQ hash is 64 hexadecimal digits');
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** A symmetry of a picture: transpose first, then mirror left to right, then flip upside down. */
export interface Turn {
  transpose: boolean;
  mirror: boolean;
  flip: boolean;
}

/** The eight symmetries of a square; the first is the identity. */
export const TURNS: readonly Turn[] = [false, true].flatMap(transpose =>
  [false, true].flatMap(mirror => [false, true].map(flip => ({ transpose, mirror, flip }))),
);

const SIDE = 16;

/** Computes the hash of the transformed picture from its frequencies: mirroring an axis changes the sign of its odd frequencies. */
export function turnedHash(frequencies: Float32Array, { transpose, mirror, flip }: Turn): Uint8Array {
  const turned = new Float32Array(SIDE * SIDE);
  for (let i = 0; i < SIDE; i++)
    for (let j = 0; j < SIDE; j++) {
      const value = frequencies[transpose ? j * SIDE + i : i * SIDE + j]!;
      // Row i of the table is frequency i + 1.
      const negative = (mirror && j % 2 === 0) !== (flip && i % 2 === 0);
      turned[i * SIDE + j] = negative ? -value : value;
    }
  return bitsOf(turned);
}
