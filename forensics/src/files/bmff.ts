/**
 * The few boxes of ISO base media files (ISO/IEC 14496-12, HEIF ISO/IEC 23008-12) that tell a still picture's type, size and rotation
 * without decoding it. Lengths are not trusted: every read is bounded by its parent box.
 */
export interface Box {
  type: string;
  /** First byte of the content, after the header. */
  start: number;
  /** One past the last byte of the content. In a truncated file it may be past the end of the file. */
  end: number;
}

/** No genuine picture has more. Stops reading a file made of a million empty ones. */
const MAX_BOXES = 20_000;

export const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns the four characters at `offset`; empty when they are outside the file. */
export function fourcc(bytes: Uint8Array, offset: number): string {
  if (offset + 4 > bytes.length) return '';
  return String.fromCharCode(bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]);
}

/** Walks the boxes between two offsets. Stops at the first malformed one, which is reported as `broken`. */
export function boxes(bytes: Uint8Array, start: number, end: number): { list: Box[]; broken: boolean } {
  const list: Box[] = [];
  const data = view(bytes);
  let at = start;
  while (at < end && list.length < MAX_BOXES) {
    if (at + 8 > Math.min(end, bytes.length)) return { list, broken: true };
    let size = data.getUint32(at);
    let header = 8;
    if (size === 1) {
      if (at + 16 > bytes.length) return { list, broken: true };
      size = Number(data.getBigUint64(at + 8));
      header = 16;
    } else if (size === 0) {
      size = end - at;
    }
    if (size < header) return { list, broken: true };
    const stop = at + size;
    list.push({ type: fourcc(bytes, at + 4), start: at + header, end: stop });
    if (stop > end) return { list, broken: true };
    at = stop;
  }
  return { list, broken: false };
}

/** Size (before rotation) and rotation of the primary item. */
export interface PrimaryItem {
  width: number;
  height: number;
  /** Quarter turns anticlockwise (`irot`). */
  turns: number;
  mirrored: boolean;
  /** Pixels of the largest picture that the file declares, before any crop: what a decoder may have to hold. */
  codedPixels: number;
  /** The file declares a picture in AV1. */
  av1: boolean;
}

/** Reads `meta` / `pitm`, `iprp` / `ipco`, `ipma` of a HEIF file; undefined when they are missing or malformed. */
export function primaryItem(bytes: Uint8Array): PrimaryItem | undefined {
  const meta = boxes(bytes, 0, bytes.length).list.find(box => box.type === 'meta');
  if (!meta || meta.end > bytes.length) return undefined;
  const data = view(bytes);
  const children = boxes(bytes, meta.start + 4, meta.end).list;
  const pitm = children.find(box => box.type === 'pitm');
  const iprp = children.find(box => box.type === 'iprp');
  if (!pitm || !iprp || pitm.end > meta.end || iprp.end > meta.end || pitm.end - pitm.start < 6) return undefined;
  const primary = bytes[pitm.start] === 0 ? data.getUint16(pitm.start + 4) : readUint32(data, pitm.start + 4, pitm.end);
  const properties = boxes(bytes, iprp.start, iprp.end).list;
  const ipco = properties.find(box => box.type === 'ipco');
  if (!ipco || ipco.end > iprp.end) return undefined;
  const values = boxes(bytes, ipco.start, ipco.end).list;
  const codedPixels = values
    .filter(({ type, start, end }) => type === 'ispe' && end - start >= 12 && end <= ipco.end)
    .reduce((most, { start }) => Math.max(most, data.getUint32(start + 4) * data.getUint32(start + 8)), 0);
  const av1 = Buffer.from(bytes.buffer, bytes.byteOffset + meta.start, meta.end - meta.start).includes('av01');
  let item: PrimaryItem | undefined;
  for (const ipma of properties) {
    if (ipma.type !== 'ipma' || ipma.end > iprp.end) continue;
    for (const index of associations(bytes, data, ipma, primary)) {
      const property = values[index - 1];
      if (!property || property.end > ipco.end) continue;
      item ??= { width: 0, height: 0, turns: 0, mirrored: false, codedPixels, av1 };
      if (property.type === 'ispe' && property.end - property.start >= 12) {
        item.width = data.getUint32(property.start + 4);
        item.height = data.getUint32(property.start + 8);
      } else if (property.type === 'clap' && property.end - property.start >= 16) {
        const [wn, wd, hn, hd] = [0, 4, 8, 12].map(i => data.getUint32(property.start + i));
        if (wd > 0 && hd > 0 && wn <= wd * item.width && hn <= hd * item.height) {
          item.width = Math.round(wn / wd);
          item.height = Math.round(hn / hd);
        }
      } else if (property.type === 'irot' && property.end > property.start) {
        item.turns = (item.turns + bytes[property.start]) & 3;
      } else if (property.type === 'imir') {
        item.mirrored = true;
      }
    }
  }
  return item && item.width > 0 && item.height > 0 ? item : undefined;
}

function readUint32(data: DataView, at: number, end: number): number {
  return at + 4 <= end ? data.getUint32(at) : -1;
}

function* associations(bytes: Uint8Array, data: DataView, box: Box, item: number): Generator<number> {
  const version = bytes[box.start];
  const wide = (bytes[box.start + 3] & 1) === 1;
  if (box.end - box.start < 8) return;
  const entries = data.getUint32(box.start + 4);
  let at = box.start + 8;
  for (let entry = 0; entry < entries && at < box.end; entry++) {
    const idSize = version < 1 ? 2 : 4;
    if (at + idSize + 1 > box.end) return;
    const id = idSize === 2 ? data.getUint16(at) : data.getUint32(at);
    const count = bytes[at + idSize];
    at += idSize + 1;
    for (let i = 0; i < count; i++, at += wide ? 2 : 1) {
      if (at + (wide ? 2 : 1) > box.end) return;
      if (id === item) yield wide ? data.getUint16(at) & 0x7fff : bytes[at] & 0x7f;
    }
  }
}
