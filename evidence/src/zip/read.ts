import { concat, equal, fromUtf8 } from '../bytes.ts';
import {
  CENTRAL,
  CENTRAL_BYTES,
  centralHeader,
  END,
  END_BYTES,
  endRecord,
  LOCAL,
  LOCAL_BYTES,
  localHeader,
  UTF8_NAMES,
} from './layout.ts';
import { ByteSource } from './source.ts';

// A strict reader: front to back, once. Common readers believe the central directory and pass over the rest, so a changed byte
// outside it goes unnoticed. This one holds every header against its twin and allows no byte that belongs to nothing.

export type ByteRange = readonly [start: number, end: number];

export interface ZipHandlers {
  /** An entry begins. The handler takes its bytes; `end` comes also when the data broke off. */
  entry(name: string): { write(chunk: Uint8Array): void; end(range: ByteRange): void };
  fault(o: { entry: string | null; range: ByteRange; reason: string }): void;
  crc32(bytes: Uint8Array, before: number): number;
}

export interface ZipLimits {
  /** Bytes of the archive, and of its entries unpacked. */
  maxBytes: number;
  maxEntries: number;
  /** Bytes of one entry unpacked. */
  maxEntryBytes: number;
}

/** A limit was passed: nothing can be said of the archive. */
export class ZipTooLarge extends Error {
  override name = 'ZipTooLarge';
}

interface LocalEntry {
  name: string;
  /** From the version on, without the name. */
  header: Uint8Array;
  offset: number;
  size: number;
  crc32: number;
}

/** A fixed part of the archive behind its signature, with its little-endian numbers. */
interface Header {
  bytes: Uint8Array;
  u16(at: number): number;
  u32(at: number): number;
}

const DEFLATED = 8;
const MAX_NAME_BYTES = 255;
const MAX_EXTRA_BYTES = 4096;
/** Photos hardly shrink and JSON to a tenth. DEFLATE packs up to 1,032 zeroes into a byte, which is how a bomb is made. */
const MAX_RATIO = 100;
/** An entry of this size may be packed at any ratio. */
const FREE_BYTES = 1_048_576;
/** UTF-8 names, and the two that say how hard a compressor tried. */
const ALLOWED_FLAGS = UTF8_NAMES | 0x0006;
const SAFE_NAME = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*\/?$/;

/** A fault that ends the reading: the position of the next entry is unknown. */
class Broken extends Error {}

/**
 * Reads an archive. Faults go to the handler; reading goes on where the next entry's place is known. `issuedForm`: the
 * archive is byte for byte as {@link localHeader} and {@link centralHeader} write it. Throws {@link ZipTooLarge}.
 */
export const readZip = (...of: ConstructorParameters<typeof ZipReader>): Promise<{ issuedForm: boolean }> =>
  new ZipReader(...of).read();

class ZipReader {
  readonly #source: ByteSource;
  readonly #on: ZipHandlers;
  readonly #limits: ZipLimits;
  readonly #entries: LocalEntry[] = [];
  #unpacked = 0;
  #issuedForm = true;

  constructor(chunks: AsyncIterable<Uint8Array>, on: ZipHandlers, limits: ZipLimits) {
    this.#source = new ByteSource(chunks);
    this.#on = on;
    this.#limits = limits;
  }

  async read(): Promise<{ issuedForm: boolean }> {
    try {
      for (let directory = false; !directory; ) {
        const offset = this.#source.at;
        this.#checkLimits(0);
        const signature = (await this.#header(4, 'the archive')).u32(0);
        directory = signature === CENTRAL && this.#entries.length > 0;
        if (signature === LOCAL) await this.#readEntry(offset);
        else if (directory) await this.#readDirectory(offset);
        else this.#stop(null, offset, 'what follows is neither an entry nor the central directory');
      }
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#issuedForm = false;
    } finally {
      await this.#source.close();
    }
    return { issuedForm: this.#issuedForm };
  }

  /** Reports what was read from `start` on, and ends the reading. */
  #stop(entry: string | null, start: number, reason: string): never {
    this.#on.fault({ entry, range: [start, this.#source.at], reason });
    throw new Broken(reason);
  }

  #checkLimits(more: number): void {
    const { maxBytes } = this.#limits;
    if (this.#source.at + more > maxBytes || this.#unpacked + more > maxBytes)
      throw new ZipTooLarge(`more than ${maxBytes} bytes`);
  }

  async #header(count: number, what: string): Promise<Header> {
    const start = this.#source.at;
    const bytes = await this.#source.take(count);
    if (bytes.length < count) this.#stop(null, start, `the file ends inside ${what}`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { bytes, u16: at => view.getUint16(at, true), u32: at => view.getUint32(at, true) };
  }

  async #readEntry(offset: number): Promise<void> {
    const { bytes, u16, u32 } = await this.#header(LOCAL_BYTES - 4, 'the header of an entry');
    const [flags, method, crc32, packed, size] = [u16(2), u16(4), u32(10), u32(14), u32(18)];
    const [nameLength, extraLength] = [u16(22), u16(24)];
    if (nameLength === 0 || nameLength > MAX_NAME_BYTES || extraLength > MAX_EXTRA_BYTES) {
      const lengths = `a name of ${nameLength} and an extra field of ${extraLength} bytes`;
      this.#stop(null, offset, `the header gives ${lengths}`);
    }
    const rest = await this.#header(nameLength + extraLength, 'the name of an entry');
    const name = fromUtf8(rest.bytes.subarray(0, nameLength));
    if (name === null || !SAFE_NAME.test(name))
      return this.#stop(null, offset, 'the name of an entry is not a plain relative path');
    const folder = name.endsWith('/');
    const unreadable: [boolean, string][] = [
      [(flags & ~ALLOWED_FLAGS) !== 0, `flags 0x${flags.toString(16)} are set; none but 0x800 may be`],
      [method !== 0 && method !== DEFLATED, `compression method ${method} is not stored or deflated`],
      [method === 0 && packed !== size, `it is stored, but ${packed} bytes are said to hold ${size}`],
      [packed === 0xffffffff || size === 0xffffffff, 'it has zip64 sizes'],
      [folder && size + packed > 0, 'it is a folder with content'],
      [size > this.#limits.maxEntryBytes, `it claims ${size} bytes, more than any file of a bundle has`],
      [size > FREE_BYTES && size > MAX_RATIO * packed, `${packed} packed bytes are said to hold ${size}`],
    ];
    for (const [applies, reason] of unreadable) if (applies) this.#stop(name, offset, reason);
    if (this.#entries.some(entry => entry.name === name))
      this.#on.fault({ entry: name, range: [offset, this.#source.at], reason: 'the name occurs twice' });
    const { maxEntries } = this.#limits;
    if (this.#entries.length >= maxEntries) throw new ZipTooLarge(`more than ${maxEntries} entries`);
    this.#checkLimits(Math.max(packed, size));
    this.#unpacked += size;
    const entry = { name, header: bytes, offset, size, crc32 };
    this.#entries.push(entry);
    this.#issuedForm &&= !folder && equal(concat(bytes, rest.bytes), localHeader(entry).subarray(4));
    if (!folder) await this.#readData(entry, packed, method === DEFLATED);
  }

  async #readData({ name, size, crc32 }: LocalEntry, packed: number, deflated: boolean): Promise<void> {
    const start = this.#source.at;
    const sink = this.#on.entry(name);
    let [crc, got, left] = [0, 0, packed];
    const take = (chunk: Uint8Array) => {
      got += chunk.length;
      if (got > size) throw new Error('longer than its header says');
      crc = this.#on.crc32(chunk, crc);
      sink.write(chunk);
    };
    const more = async () => {
      const chunk = left > 0 ? await this.#source.some(left) : null;
      left -= chunk?.length ?? 0;
      return chunk;
    };
    let whole = true;
    if (deflated) whole = await inflate(more, take);
    else for (let chunk = await more(); chunk; chunk = await more()) take(chunk);
    const range: ByteRange = [start, this.#source.at];
    sink.end(range);
    if (left > 0) this.#stop(name, start, `the file ends ${left} bytes before the end of this entry`);
    if (!whole || got !== size) this.#on.fault({ entry: name, range, reason: 'its compressed data are damaged' });
    else if (crc !== crc32) this.#on.fault({ entry: name, range, reason: 'its CRC-32 is not the one in its header' });
  }

  async #readDirectory(start: number): Promise<void> {
    let offset = start;
    let signature = CENTRAL;
    for (let index = 0; signature === CENTRAL; index += 1) {
      await this.#readTwin(offset, this.#entries[index]);
      offset = this.#source.at;
      signature = (await this.#header(4, 'the central directory')).u32(0);
      if (signature === END) return this.#readEnd(start, offset, index + 1);
    }
    this.#stop(null, offset, 'what follows in the central directory is neither an entry nor its end');
  }

  /** Reads one header of the central directory and holds it against the entry that stands at its place. */
  async #readTwin(offset: number, local: LocalEntry | undefined): Promise<void> {
    const { bytes, u16, u32 } = await this.#header(CENTRAL_BYTES - 4, 'the central directory');
    const [nameLength, extraLength, commentLength] = [u16(24), u16(26), u16(28)];
    if (extraLength > MAX_EXTRA_BYTES || commentLength > MAX_EXTRA_BYTES || nameLength > MAX_NAME_BYTES)
      this.#stop(null, offset, 'a name, extra field or comment of the central directory is too long');
    const nameBytes = await this.#source.take(nameLength);
    const rest = await this.#source.take(extraLength + commentLength);
    const name = fromUtf8(nameBytes);
    if (!local || name !== local.name) {
      const reason = 'the central directory does not name the entries in the order they stand';
      return this.#stop(local?.name ?? name, offset, reason);
    }
    const fault = (reason: string) => this.#on.fault({ entry: name, range: [offset, this.#source.at], reason });
    const twin = bytes.subarray(2);
    const differs = FIELDS.filter(([, from, to]) => !equal(twin.slice(from, to), local.header.slice(from, to)));
    if (differs.length > 0) {
      const fields = differs.map(([field]) => field).join(', ');
      fault(`the central directory and the entry's header differ in ${fields}`);
    }
    if (u32(38) !== local.offset) fault('the central directory gives another place for the entry');
    if (u16(30) !== 0) fault('it is said to lie on another disk');
    this.#issuedForm &&= equal(concat(bytes, nameBytes, rest), centralHeader(local, local.offset).subarray(4));
  }

  async #readEnd(start: number, offset: number, count: number): Promise<void> {
    const { bytes, u16, u32 } = await this.#header(END_BYTES - 4, 'the end of the central directory');
    const range: ByteRange = [offset, this.#source.at];
    const wrong: [boolean, string][] = [
      [count !== this.#entries.length, `${count} entries for the ${this.#entries.length} that are there`],
      [u16(4) !== count || u16(6) !== count, 'another number of entries'],
      [u16(0) !== 0 || u16(2) !== 0, 'more than one disk'],
      [u32(8) !== offset - start, 'another size of the directory'],
      [u32(12) !== start, 'another place of the directory'],
    ];
    for (const [applies, what] of wrong)
      if (applies) this.#on.fault({ entry: null, range, reason: `the end of the central directory gives ${what}` });
    this.#issuedForm &&= equal(bytes, endRecord(count, offset - start, start).subarray(4));
    const comment = u16(16);
    if ((await this.#source.take(comment)).length < comment)
      this.#stop(null, offset, 'the file ends inside its comment');
    const after = this.#source.at;
    if (await this.#source.some(1)) this.#stop(null, after, 'there are bytes behind the end of the archive');
  }
}

/** The fields that an entry's header and the central directory share, by their place behind the version that made it. */
const FIELDS: readonly (readonly [string, number, number])[] = [
  ['the version needed', 0, 2],
  ['the flags', 2, 4],
  ['the method', 4, 6],
  ['the time', 6, 8],
  ['the date', 8, 10],
  ['the CRC-32', 10, 14],
  ['the packed size', 14, 18],
  ['the size', 18, 22],
];

/** Unpacks the deflated data that `more` gives until it gives null. False when they are damaged, or `take` throws. */
async function inflate(more: () => Promise<Uint8Array | null>, take: (chunk: Uint8Array) => void): Promise<boolean> {
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
  for (let chunk = await more(); chunk; chunk = await more()) {
    if (!ended) await settled(writer.write(chunk as Uint8Array<ArrayBuffer>));
  }
  if (!ended) await settled(writer.close());
  const whole = await reading;
  void reader.cancel().catch(() => {});
  return whole;
}
