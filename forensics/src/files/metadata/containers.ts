/**
 * Bounded walks over the containers that carry pictures. They return positions and decode nothing. Every length comes
 * from the file, so each is checked against the bytes present. A walk ends without an error at the first structure that
 * does not fit.
 */

import { boxes, view } from '../bmff.ts';

export type Container = 'jpeg' | 'png' | 'webp' | 'bmff' | 'other';

/** One piece of a container: a JPEG segment, a PNG chunk, a RIFF chunk or an ISO BMFF box. */
export interface Piece {
  /** JPEG marker as `ffe1`, PNG/RIFF/BMFF four-character code. */
  type: string;
  /** Offset of the payload in the file. */
  start: number;
  /** Offset one past the payload. */
  end: number;
}

/** No genuine picture has more pieces before its pixels. Stops reading a file made of a million empty ones. */
const MAX_PIECES = 20_000;

const ascii = (bytes: Uint8Array, start: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(start, start + length));

/** Detects the container by its first bytes and ignores the client's content type. */
export function containerOf(bytes: Uint8Array): Container {
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (bytes.length >= 8 && ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (bytes.length >= 12 && ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return 'webp';
  if (bytes.length >= 12 && ascii(bytes, 4, 4) === 'ftyp') return 'bmff';
  return 'other';
}

/**
 * JPEG segments (ITU-T T.81 Annex B) from SOI up to and including the first start of scan, whose payload is its header only.
 * `from` is the offset of the SOI, so that pictures appended after the first one can be walked too.
 */
export function jpegSegments(bytes: Uint8Array, from = 0): Piece[] {
  const pieces: Piece[] = [];
  let at = from + 2;
  while (at + 4 <= bytes.length && pieces.length < MAX_PIECES) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    if (marker === 0xd9) break;
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) break;
    pieces.push({ type: `ff${marker.toString(16)}`, start: at + 4, end });
    if (marker === 0xda) break;
    at = end;
  }
  return pieces;
}

/** PNG chunks (W3C PNG, third edition). CRCs are not checked, because a damaged chunk can still contain evidence. */
export function pngChunks(bytes: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  const data = view(bytes);
  let at = 8;
  while (at + 12 <= bytes.length && pieces.length < MAX_PIECES) {
    const length = data.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) break;
    const type = ascii(bytes, at + 4, 4);
    pieces.push({ type, start: at + 8, end });
    if (type === 'IEND') break;
    at = end + 4;
  }
  return pieces;
}

/** WebP chunks (RIFF). */
export function webpChunks(bytes: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  const data = view(bytes);
  let at = 12;
  while (at + 8 <= bytes.length && pieces.length < MAX_PIECES) {
    const length = data.getUint32(at + 4, true);
    const end = at + 8 + length;
    if (end > bytes.length) break;
    pieces.push({ type: ascii(bytes, at, 4), start: at + 8, end });
    at = end + (length & 1);
  }
  return pieces;
}

/** Boxes of ISO/IEC 14496-12 between two offsets, one level deep, as far as each is whole. */
export const bmffBoxes = (bytes: Uint8Array, start = 0, end = bytes.length): Piece[] =>
  boxes(bytes, start, end).list.filter(box => box.end <= end);

/** True when the payload begins with these characters. */
export function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** One item of a HEIF file's `meta` box. */
export interface HeifItem {
  id: number;
  /** `hvc1`, `av01`, `Exif`, `mime`, `grid` … */
  type: string;
  contentType?: string;
  /** Byte ranges in the file (construction method 0); empty when the item is elsewhere. */
  extents: { start: number; end: number }[];
  /** Bytes of the item lie past the end of the file. */
  cut?: boolean;
}

const MAX_ITEMS = 4_096;

/** Lists the items of a HEIF or AVIF file (ISO/IEC 23008-12) with the positions of their bytes. */
export function heifItems(bytes: Uint8Array): HeifItem[] {
  const meta = bmffBoxes(bytes).find(box => box.type === 'meta');
  if (!meta) return [];
  const parts = bmffBoxes(bytes, meta.start + 4, meta.end);
  const items = readItemInfo(
    bytes,
    parts.find(box => box.type === 'iinf'),
  );
  const iloc = parts.find(box => box.type === 'iloc');
  if (iloc) readItemLocations(bytes, iloc, items);
  return [...items.values()];
}

function readItemInfo(bytes: Uint8Array, iinf: Piece | undefined): Map<number, HeifItem> {
  const items = new Map<number, HeifItem>();
  if (!iinf || iinf.end - iinf.start < 8) return items;
  const data = view(bytes);
  const first = iinf.start + 4 + (bytes[iinf.start] === 0 ? 2 : 4);
  for (const infe of bmffBoxes(bytes, first, iinf.end)) {
    if (infe.type !== 'infe' || infe.end - infe.start < 12 || items.size >= MAX_ITEMS) continue;
    const version = bytes[infe.start]!;
    if (version < 2) continue;
    const wide = version > 2;
    const id = wide ? data.getUint32(infe.start + 4) : data.getUint16(infe.start + 4);
    const typeAt = infe.start + (wide ? 10 : 8);
    const item: HeifItem = { id, type: ascii(bytes, typeAt, 4), extents: [] };
    if (item.type === 'mime') {
      const strings = ascii(bytes, typeAt + 4, Math.min(256, Math.max(0, infe.end - typeAt - 4))).split('\0');
      item.contentType = strings[1] ?? '';
    }
    items.set(id, item);
  }
  return items;
}

function readItemLocations(bytes: Uint8Array, iloc: Piece, items: Map<number, HeifItem>): void {
  const data = view(bytes);
  let at = iloc.start + 4;
  const read = (size: number): number => {
    if (size === 0) return 0;
    if (at + size > iloc.end) throw new RangeError('iloc ends early');
    const value =
      size === 8
        ? Number(data.getBigUint64(at))
        : size === 4
          ? data.getUint32(at)
          : size === 2
            ? data.getUint16(at)
            : data.getUint8(at);
    at += size;
    return value;
  };
  try {
    const version = bytes[iloc.start]!;
    const sizes = read(1);
    const more = read(1);
    const [offsetSize, lengthSize, baseSize] = [sizes >> 4, sizes & 15, more >> 4];
    const indexSize = version > 0 ? more & 15 : 0;
    if ([offsetSize, lengthSize, baseSize, indexSize].some(size => size !== 0 && size !== 4 && size !== 8)) return;
    const count = Math.min(read(version < 2 ? 2 : 4), MAX_ITEMS);
    for (let i = 0; i < count; i++) {
      const id = read(version < 2 ? 2 : 4);
      const method = version > 0 ? read(2) & 15 : 0;
      read(2);
      const base = read(baseSize);
      const extents = read(2);
      const item = method === 0 ? items.get(id) : undefined;
      for (let k = 0; k < extents; k++) {
        read(indexSize);
        const start = base + read(offsetSize);
        const length = read(lengthSize);
        if (item && start + length > bytes.length) item.cut = true;
        else if (item && item.extents.length < 64) item.extents.push({ start, end: start + length });
      }
    }
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
  }
}

/** Returns the bytes of an item with its extents joined; undefined when it has none or exceeds `limit`. */
export function heifItemBytes(bytes: Uint8Array, item: HeifItem, limit: number): Uint8Array | undefined {
  const total = item.extents.reduce((sum, extent) => sum + extent.end - extent.start, 0);
  if (total === 0 || total > limit) return undefined;
  if (item.extents.length === 1) return bytes.subarray(item.extents[0]!.start, item.extents[0]!.end);
  const joined = new Uint8Array(total);
  let at = 0;
  for (const extent of item.extents) {
    joined.set(bytes.subarray(extent.start, extent.end), at);
    at += extent.end - extent.start;
  }
  return joined;
}
