import { createHash } from 'node:crypto';
import type { Piece } from './containers.ts';

/**
 * Returns the SHA-256 (first 32 hex digits) over a JPEG's quantization tables in the order of their ids, each as id,
 * precision and the values in file order (zigzag). Equal tables hint at the same camera and quality setting (Kee,
 * Johnson, Farid 2011) but do not prove it. Undefined when the header defines none.
 */
export function quantizationHash(bytes: Uint8Array, segments: Piece[]): string | undefined {
  const tables = new Map<number, Uint8Array>();
  for (const segment of segments) {
    if (segment.type !== 'ffdb') continue;
    let at = segment.start;
    while (at < segment.end) {
      const id = bytes[at]! & 15;
      const length = bytes[at]! >> 4 === 0 ? 65 : 129;
      if (at + length > segment.end || id > 3) break;
      tables.set(id, bytes.subarray(at, at + length));
      at += length;
    }
  }
  if (tables.size === 0) return undefined;
  const hash = createHash('sha256');
  for (const id of [...tables.keys()].sort()) hash.update(tables.get(id)!);
  return hash.digest('hex').slice(0, 32);
}

const FRAMES = /^ffc[0-35-79-bd-f]$/;

/** Returns width and height from the frame header (SOFn). */
export function jpegSize(bytes: Uint8Array, segments: Piece[]): { width: number; height: number } | undefined {
  const frame = segments.find(segment => FRAMES.test(segment.type) && segment.end - segment.start >= 6);
  if (!frame) return undefined;
  const at = frame.start;
  return { width: (bytes[at + 3]! << 8) | bytes[at + 4]!, height: (bytes[at + 1]! << 8) | bytes[at + 2]! };
}
