import { type Keypoint, mirrored, probeWords, wordOf } from '@firsthand/forensics/phash/keypoints.ts';

/** Bytes of a packed corner: place, size and direction (2 each), and the signs of its frequencies (8). */
const PACKED = 16;
const WHOLE = 65_535;
const TURN = 2 * Math.PI;

export function packCorners(corners: readonly Keypoint[]): Buffer {
  const bytes = Buffer.alloc(corners.length * PACKED);
  for (const [index, { x, y, size, angle, low, high }] of corners.entries()) {
    const at = index * PACKED;
    bytes.writeUInt16BE(Math.round(x * WHOLE), at);
    bytes.writeUInt16BE(Math.round(y * WHOLE), at + 2);
    bytes.writeUInt16BE(Math.round(size * WHOLE), at + 4);
    bytes.writeUInt16BE(Math.round((((angle / TURN) % 1) + 1) * WHOLE) % WHOLE, at + 6);
    bytes.writeUInt32BE(low >>> 0, at + 8);
    bytes.writeUInt32BE(high >>> 0, at + 12);
  }
  return bytes;
}

export function unpackCorners(bytes: Buffer): Keypoint[] {
  return Array.from({ length: bytes.length / PACKED }, (_, index) => {
    const at = index * PACKED;
    return {
      x: bytes.readUInt16BE(at) / WHOLE,
      y: bytes.readUInt16BE(at + 2) / WHOLE,
      size: bytes.readUInt16BE(at + 4) / WHOLE,
      angle: (bytes.readUInt16BE(at + 6) / WHOLE) * TURN,
      low: bytes.readUInt32BE(at + 8),
      high: bytes.readUInt32BE(at + 12),
      weak: [],
    };
  });
}

/** A word of one scope: the scopes share an index, and the words of one are spread over those of the others. */
const scoped = (scope: number, word: number): number => Math.imul(word ^ Math.imul(scope, 0x9e3779b1), 0x85ebca6b) | 0;

/** The words under which a picture is filed. */
export const filedWords = (scope: number, corners: readonly Keypoint[]): number[] => [
  ...new Set(corners.map(corner => scoped(scope, wordOf(corner)))),
];

/** Corners whose words are looked up together. A picture counts once for each group in which it is found. */
const GROUP = 4;

/** The words under which the originals of a picture, as it is or mirrored, are filed; in groups. */
export function soughtWords(scopes: readonly number[], corners: readonly Keypoint[], width: number): number[][] {
  const groups: number[][] = [];
  for (const scope of scopes)
    for (let at = 0; at < corners.length; at += GROUP) {
      const words = corners
        .slice(at, at + GROUP)
        .flatMap(corner => [corner, mirrored(corner, width)])
        .flatMap(probeWords)
        .map(word => scoped(scope, word));
      groups.push([...new Set(words)]);
    }
  return groups;
}
