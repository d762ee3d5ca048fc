import { concat, utf8 } from '../bytes.ts';

// The one form in which a bundle is written (APPNOTE 6.3.10): stored entries, nothing between them, no time, no extra field. Equal
// entries give equal bytes.

export interface ZipEntry {
  name: string;
  size: number;
  crc32: number;
}

export const LOCAL = 0x04034b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;
export const LOCAL_BYTES = 30;
export const CENTRAL_BYTES = 46;
export const END_BYTES = 22;
export const UTF8_NAMES = 0x0800;

const VERSION = 20;
/** 1980-01-01, the earliest a zip can say. */
const DATE = 0x0021;

/** The fields that local header and central directory share, from the version to the length of the extra field. */
function shared({ size, crc32 }: ZipEntry, name: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(26);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, VERSION, true);
  view.setUint16(2, UTF8_NAMES, true);
  view.setUint16(8, DATE, true);
  view.setUint32(10, crc32, true);
  view.setUint32(14, size, true);
  view.setUint32(18, size, true);
  view.setUint16(22, name.length, true);
  return bytes;
}

const uint32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
};

export function localHeader(entry: ZipEntry): Uint8Array {
  const name = utf8(entry.name);
  return concat(uint32(LOCAL), shared(entry, name), name);
}

export function centralHeader(entry: ZipEntry, offset: number): Uint8Array {
  const name = utf8(entry.name);
  const madeBy = Uint8Array.of(VERSION, 0);
  return concat(uint32(CENTRAL), madeBy, shared(entry, name), new Uint8Array(10), uint32(offset), name);
}

/** The end of a directory of `bytes` bytes at `offset`. */
export function endRecord(entries: number, bytes: number, offset: number): Uint8Array {
  const end = new Uint8Array(END_BYTES);
  const view = new DataView(end.buffer);
  view.setUint32(0, END, true);
  view.setUint16(8, entries, true);
  view.setUint16(10, entries, true);
  view.setUint32(12, bytes, true);
  view.setUint32(16, offset, true);
  return end;
}

/** Everything after the last entry's data: the central directory and its end. */
export function centralDirectory(entries: readonly ZipEntry[]): Uint8Array {
  let offset = 0;
  const headers = entries.map(entry => {
    const header = centralHeader(entry, offset);
    offset += localHeader(entry).length + entry.size;
    return header;
  });
  const directory = concat(...headers);
  if (offset + directory.length >= 0xffffffff || entries.length >= 0xffff) throw new RangeError('too large for a zip');
  return concat(directory, endRecord(entries.length, directory.length, offset));
}

/** The length of the whole archive. */
export const archiveBytes = (entries: readonly ZipEntry[]): number =>
  entries.reduce((sum, entry) => sum + localHeader(entry).length + entry.size, 0) + centralDirectory(entries).length;
