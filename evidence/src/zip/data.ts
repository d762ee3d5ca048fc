import { concat } from '../bytes.ts';
import { CENTRAL, LOCAL } from './layout.ts';
import type { ByteSource } from './source.ts';

// The data of an entry. A tool that writes into a stream gives their sizes behind them, in a descriptor (APPNOTE 4.3.9): with or without
// a signature, in numbers of 4 or 8 bytes.

export interface Sizes {
  crc32: number;
  packed: number;
  size: number;
}

/** Gives the next piece of the data; null behind the last. */
export type Pieces = () => Promise<Uint8Array | null>;

const SIGNATURE = 0x08074b50;
const FORMS = [
  { signature: 4, number: 4 },
  { signature: 4, number: 8 },
  { signature: 0, number: 4 },
  { signature: 0, number: 8 },
];
/** The last bytes of what was searched may belong to a descriptor that is found with the bytes behind them. */
const UNSURE_BYTES = 24 + 3;
const PIECE_BYTES = 65_536;

/** The data of an entry; `end` gives null if the file ends before. */
export interface Data {
  pieces: Pieces;
  end(): Sizes | null;
}

/** Data of which the header gave the sizes. */
export function sizedData(source: ByteSource, { crc32, packed, size }: Sizes): Data {
  let left = packed;
  const pieces = async () => {
    const piece = left > 0 ? await source.some(left) : null;
    left -= piece?.length ?? 0;
    return piece;
  };
  return { pieces, end: () => (left === 0 ? { crc32, packed, size } : null) };
}

/** Data up to their descriptor. */
export function describedData(source: ByteSource): Data {
  let held: Uint8Array = new Uint8Array(0);
  let before = 0;
  let [sizes, ended] = [null as Sizes | null, false];
  const pieces = async () => {
    while (!ended) {
      const more = await source.some(PIECE_BYTES);
      const bytes = more ? concat(held, more) : held;
      const found = findDescriptor(bytes, before);
      ended = found !== null || more === null;
      const sure = found ? found.at : ended ? bytes.length : Math.max(0, bytes.length - UNSURE_BYTES);
      if (found) source.untake(bytes.subarray(found.at + found.length));
      sizes = found && { crc32: found.crc32, packed: found.packed, size: found.size };
      before += sure;
      held = bytes.subarray(sure);
      if (sure > 0) return bytes.subarray(0, sure);
    }
    return null;
  };
  return { pieces, end: () => sizes };
}

/**
 * The descriptor in `bytes` of data that began `before` bytes earlier. It stands in front of the next header and gives exactly the
 * length of the data so far, so data that hold another archive do not end inside it.
 */
function findDescriptor(bytes: Uint8Array, before: number): (Sizes & { at: number; length: number }) | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const sizeAt = (at: number, width: number) =>
    width === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
  for (let end = bytes.indexOf(0x50); end >= 0 && end + 4 <= bytes.length; end = bytes.indexOf(0x50, end + 1)) {
    const next = view.getUint32(end, true);
    if (next !== LOCAL && next !== CENTRAL) continue;
    for (const { signature, number } of FORMS) {
      const length = signature + 4 + 2 * number;
      const at = end - length;
      if (at < 0 || (signature > 0 && view.getUint32(at, true) !== SIGNATURE)) continue;
      const sizes = at + signature + 4;
      const packed = before + at;
      if (sizeAt(sizes, number) !== packed) continue;
      return { at, length, crc32: view.getUint32(sizes - 4, true), packed, size: sizeAt(sizes + number, number) };
    }
  }
  return null;
}

/** Hands stored data on. False if `take` throws; the rest is still read. */
export async function store(pieces: Pieces, take: (piece: Uint8Array) => void): Promise<boolean> {
  let whole = true;
  for (let piece = await pieces(); piece; piece = await pieces()) {
    try {
      if (whole) take(piece);
    } catch {
      whole = false;
    }
  }
  return whole;
}

/** Unpacks deflated data. False when they are damaged, or `take` throws; the rest is still read. */
export async function inflate(pieces: Pieces, take: (piece: Uint8Array) => void): Promise<boolean> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let ended = false;
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value);
    return true;
  })().catch(() => false);
  void reading.finally(() => (ended = true));
  // Once nobody reads, a write may never settle. What cannot be written fails the reading too.
  const settled = (write: Promise<void>) => Promise.race([write.catch(() => {}), reading]);
  for (let piece = await pieces(); piece; piece = await pieces()) {
    if (!ended) await settled(writer.write(piece as Uint8Array<ArrayBuffer>));
  }
  if (!ended) await settled(writer.close());
  const whole = await reading;
  void reader.cancel().catch(() => {});
  return whole;
}
