import type { LiveImageType } from '../base/enums.ts';
import { MAX_AV1_PIXELS, maxPixelsOf } from './pictures.ts';

/** Enough of a file to hold its size: cameras write up to a few hundred kilobytes of metadata before it. */
export const SIZE_BYTES = 1_048_576;

/**
 * Returns the most megapixels that the service takes of such a picture if this one, by its first {@link SIZE_BYTES}, has more. Undefined
 * when it has not, and when the beginning does not say.
 */
export function megapixelsExceeded(head: Uint8Array, type: LiveImageType): number | undefined {
  const [pixels, most] =
    type.startsWith('image/h') || type === 'image/avif'
      ? codedIn(head, type)
      : [shownIn(head, type), maxPixelsOf(type)];
  return pixels > most ? most / 1e6 : undefined;
}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function shownIn(bytes: Uint8Array, type: LiveImageType): number {
  if (bytes.length < 30) return 0;
  const data = view(bytes);
  if (type === 'image/png') return data.getUint32(16) * data.getUint32(20);
  if (type === 'image/jpeg') return jpegPixels(bytes);
  const chunk = String.fromCharCode(...bytes.subarray(12, 16));
  const uint24 = (at: number) => bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  if (chunk === 'VP8X') return (1 + uint24(24)) * (1 + uint24(27));
  if (chunk === 'VP8L') {
    const bits = data.getUint32(21, true);
    return (1 + (bits & 0x3fff)) * (1 + ((bits >>> 14) & 0x3fff));
  }
  return (data.getUint16(26, true) & 0x3fff) * (data.getUint16(28, true) & 0x3fff);
}

/** Walks the segments up to the frame header (ITU-T T.81, annex B). */
function jpegPixels(bytes: Uint8Array): number {
  const data = view(bytes);
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff || bytes[at + 1] === 0xff) {
      at += 1;
      continue;
    }
    const marker = bytes[at + 1]!;
    if (marker === 0xda || marker === 0xd9) return 0;
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return data.getUint16(at + 5) * data.getUint16(at + 7);
    at += 2 + data.getUint16(at + 2);
  }
  return 0;
}

/** The pixels of the largest picture that a HEIF file declares, and the most that its coding may have. */
function codedIn(bytes: Uint8Array, type: LiveImageType): [pixels: number, most: number] {
  const data = view(bytes);
  let pixels = 0;
  let most = maxPixelsOf(type);
  for (let at = bytes.indexOf(0x69); at >= 0 && at + 16 <= bytes.length; at = bytes.indexOf(0x69, at + 1)) {
    if (isAt(bytes, at, 'ispe')) pixels = Math.max(pixels, data.getUint32(at + 8) * data.getUint32(at + 12));
    // The entry of an item in AV1: `infe`, then its type.
    if (isAt(bytes, at, 'infe') && (isAt(bytes, at + 12, 'av01') || isAt(bytes, at + 14, 'av01')))
      most = MAX_AV1_PIXELS;
  }
  return [pixels, most];
}

const isAt = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0));
