import { fourcc, view } from './bmff.ts';
import { ImageFault } from './image-fault.ts';
import { exifOrientation } from './orientation.ts';

/** Maximum chunks of a file. */
const MAX_PARTS = 20_000;

interface Webp {
  width: number;
  height: number;
  orientation: number;
  /** One past the last chunk that belongs to the picture. */
  end: number;
}

const undecodable = (why: string): ImageFault => new ImageFault('undecodable', why);

/**
 * Walks the RIFF chunks of WebP (RFC 9649). The size in the header counts only as long as it is right: a file whose chunks are all there
 * is whole, whatever it says.
 */
export function readWebp(bytes: Uint8Array): Webp {
  const data = view(bytes);
  const declared = data.getUint32(4, true) + 8;
  let size: { width: number; height: number } | undefined;
  let orientation: number | undefined;
  let hasData = false;
  let at = 12;
  for (let parts = 0; at + 8 <= bytes.length; parts++) {
    if (parts > MAX_PARTS) throw undecodable('The WebP has too many chunks.');
    const type = fourcc(bytes, at);
    if (hasData && (at >= declared || !/^[\x20-\x7e]{4}$/.test(type))) break;
    const length = data.getUint32(at + 4, true);
    const body = at + 8;
    if (body + length > bytes.length) {
      if (hasData && type !== 'ANMF') break;
      throw new ImageFault('truncated', 'The picture ends before it is complete.');
    }
    if (type === 'VP8X' && length >= 10) {
      size = { width: 1 + uint24(bytes, body + 4), height: 1 + uint24(bytes, body + 7) };
    } else if (type === 'VP8 ') {
      if (length < 10 || uint24(bytes, body + 3) !== 0x2a019d) throw undecodable('The WebP frame header is malformed.');
      size ??= { width: data.getUint16(body + 6, true) & 0x3fff, height: data.getUint16(body + 8, true) & 0x3fff };
      hasData = true;
    } else if (type === 'VP8L') {
      if (length < 5 || bytes[body] !== 0x2f) throw undecodable('The WebP frame header is malformed.');
      const bits = data.getUint32(body + 1, true);
      size ??= { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
      hasData = true;
    } else if (type === 'ANMF') {
      hasData = true;
    } else if (type === 'EXIF') {
      orientation ??= exifOrientation(bytes.subarray(body, body + length)) ?? 0;
    }
    at = body + length + (length & 1);
  }
  if (!hasData && at >= bytes.length - 8) throw new ImageFault('truncated', 'The picture ends before it is complete.');
  if (!size || !hasData) throw undecodable('The WebP has no picture data.');
  return { ...size, orientation: orientation || 1, end: at };
}

/** Returns a WebP with the size in its header put right, as the decoder insists on. The same bytes where it is right already. */
export function withRightSize(bytes: Uint8Array): Uint8Array {
  const data = view(bytes);
  const { end } = readWebp(bytes);
  if (data.getUint32(4, true) + 8 === end && end <= bytes.length) return bytes;
  // A padding byte that is missing at the end is added.
  const mended = Buffer.alloc(end);
  mended.set(bytes.subarray(0, end));
  mended.writeUInt32LE(end - 8, 4);
  return mended;
}

function uint24(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
}
