import { concat, equal, fromUtf8 } from '../bytes.ts';
import { describedData, inflate, sizedData, store } from './data.ts';
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
import { widened } from './zip64.ts';

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
  /** The name as it stands in the archive. */
  nameBytes: Uint8Array;
  /** Flags, method, time and date. */
  form: readonly number[];
  offset: number;
  packed: number;
  size: number;
  crc32: number;
}

/** A fixed part of the archive behind its signature, with its little-endian numbers. */
interface Header {
  bytes: Uint8Array;
  u16(at: number): number;
  u32(at: number): number;
  u64(at: number): number;
}

const DEFLATED = 8;
const MAX_NAME_BYTES = 255;
const MAX_EXTRA_BYTES = 4096;
/** Photos hardly shrink and JSON to a tenth. DEFLATE packs up to 1,032 zeroes into a byte, which is how a bomb is made. */
const MAX_RATIO = 100;
/** An entry of this size may be packed at any ratio. */
const FREE_BYTES = 1_048_576;
/** The sizes stand behind the data. */
const DESCRIBED = 0x0008;
/** That, UTF-8 names, and the two that say how hard a compressor tried. */
const ALLOWED_FLAGS = UTF8_NAMES | DESCRIBED | 0x0006;
/** A folder above the bundle has any name, but none that turns the direction of a report's text. */
const UNSAFE_NAME = /^\/.|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const ZIP64_END = 0x06064b50;
const ZIP64_END_BYTES = 56;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;

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
    const u64 = (at: number) => Number(view.getBigUint64(at, true));
    return { bytes, u16: at => view.getUint16(at, true), u32: at => view.getUint32(at, true), u64 };
  }

  async #readEntry(offset: number): Promise<void> {
    const { bytes, u16, u32 } = await this.#header(LOCAL_BYTES - 4, 'the header of an entry');
    const [flags, method, crc32] = [u16(2), u16(4), u32(10)];
    const [nameLength, extraLength] = [u16(22), u16(24)];
    if (nameLength === 0 || nameLength > MAX_NAME_BYTES || extraLength > MAX_EXTRA_BYTES) {
      const lengths = `a name of ${nameLength} and an extra field of ${extraLength} bytes`;
      this.#stop(null, offset, `the header gives ${lengths}`);
    }
    const rest = await this.#header(nameLength + extraLength, 'the name of an entry');
    const nameBytes = rest.bytes.subarray(0, nameLength);
    const name = nameOf(nameBytes);
    if (UNSAFE_NAME.test(name)) return this.#stop(null, offset, 'the name of an entry is not a plain relative path');
    const described = (flags & DESCRIBED) !== 0;
    const wide = widened(rest.bytes.subarray(nameLength), [u32(18), u32(14)]);
    const [size = 0, packed = 0] = wide ?? [];
    const unreadable: [boolean, string][] = [
      [(flags & ~ALLOWED_FLAGS) !== 0, `flags 0x${flags.toString(16)} are set; none but 0x808 may be`],
      [method !== 0 && method !== DEFLATED, `compression method ${method} is not stored or deflated`],
      [wide === null, 'its zip64 sizes are missing'],
      [method === 0 && !described && packed !== size, `it is stored, but ${packed} bytes are said to hold ${size}`],
      [name.endsWith('/') && size > 0, 'it is a folder with content'],
      [size > this.#limits.maxEntryBytes, `it claims ${size} bytes, more than any file of a bundle has`],
      [!described && isTooDense(size, packed), `${packed} packed bytes are said to hold ${size}`],
    ];
    for (const [applies, reason] of unreadable) if (applies) this.#stop(name, offset, reason);
    if (this.#entries.some(entry => entry.name === name))
      this.#on.fault({ entry: name, range: [offset, this.#source.at], reason: 'the name occurs twice' });
    const { maxEntries } = this.#limits;
    if (this.#entries.length >= maxEntries) throw new ZipTooLarge(`more than ${maxEntries} entries`);
    this.#checkLimits(Math.max(packed, size));
    const entry = { name, nameBytes, form: [flags, method, u16(6), u16(8)], offset, packed, size, crc32 };
    this.#entries.push(entry);
    this.#issuedForm &&= equal(concat(bytes, rest.bytes), localHeader(entry).subarray(4));
    await this.#readData(entry, described, method === DEFLATED);
  }

  /** Reads what an entry holds and, behind it, the descriptor, which then says what the header could not. */
  async #readData(entry: LocalEntry, described: boolean, deflated: boolean): Promise<void> {
    const { name, crc32, packed, size } = entry;
    const start = this.#source.at;
    const folder = name.endsWith('/');
    const nothing = folder && !described && packed === 0;
    const sink = folder ? { write() {}, end() {} } : this.#on.entry(name);
    const most = folder ? 0 : described ? this.#limits.maxEntryBytes : entry.size;
    let [crc, got, dense] = [0, 0, false];
    const take = (piece: Uint8Array) => {
      got += piece.length;
      dense = described && (got > most || isTooDense(got, this.#source.at - start));
      if (dense || got > most) throw new Error('longer than it may be');
      crc = this.#on.crc32(piece, crc);
      sink.write(piece);
    };
    const data = described ? describedData(this.#source) : sizedData(this.#source, entry);
    const pieces = async () => {
      this.#checkLimits(0);
      return data.pieces();
    };
    const whole = await (deflated && !nothing ? inflate : store)(pieces, take);
    this.#unpacked += Math.max(got, size);
    const end = data.end();
    const range: ByteRange = [start, end ? start + end.packed : this.#source.at];
    sink.end(range);
    if (!end) return this.#stop(name, start, 'the file ends before the end of this entry');
    const fault = (reason: string) => this.#on.fault({ entry: name, range, reason });
    const found = [end.crc32, end.packed, end.size];
    if ([crc32, packed, size].some((said, at) => said !== 0 && said !== found[at]))
      fault('its header and the descriptor behind it differ');
    Object.assign(entry, end);
    if (dense) fault(`more than ${most} bytes or ${MAX_RATIO} times its size come out of it`);
    else if (!whole || got !== end.size) fault('its compressed data are damaged');
    else if (crc !== end.crc32) fault('its CRC-32 is not the one in its header');
  }

  async #readDirectory(start: number): Promise<void> {
    let offset = start;
    let signature = CENTRAL;
    for (let index = 0; signature === CENTRAL; index += 1) {
      await this.#readTwin(offset, this.#entries[index]);
      offset = this.#source.at;
      signature = (await this.#header(4, 'the central directory')).u32(0);
      if (signature === END) return this.#readEnd([start, offset], index + 1);
      if (signature === ZIP64_END) return this.#readWideEnd([start, offset], index + 1);
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
    const name = nameOf(nameBytes);
    if (!local || !equal(nameBytes, local.nameBytes)) {
      const reason = 'the central directory does not name the entries in the order they stand';
      return this.#stop(local?.name ?? name, offset, reason);
    }
    const fault = (reason: string) => this.#on.fault({ entry: name, range: [offset, this.#source.at], reason });
    const wide = widened(rest.subarray(0, extraLength), [u32(20), u32(16), u32(38)]);
    if (!wide) return fault('its zip64 sizes are missing in the central directory');
    const [size, packed, place] = wide;
    const twin = [u16(4), u16(6), u16(8), u16(10), u32(12), packed, size];
    const own = [...local.form, local.crc32, local.packed, local.size];
    const fields = FIELDS.filter((_, at) => twin[at] !== own[at]).join(', ');
    if (fields !== '') fault(`the central directory and the entry's header differ in ${fields}`);
    if (place !== local.offset) fault('the central directory gives another place for the entry');
    if (u16(30) !== 0) fault('it is said to lie on another disk');
    this.#issuedForm &&= equal(concat(bytes, nameBytes, rest), centralHeader(local, local.offset).subarray(4));
  }

  /** Reads the end of zip64, which gives the same numbers as the end behind it, in 8 bytes. */
  async #readWideEnd(directory: ByteRange, count: number): Promise<void> {
    const offset = directory[1];
    const { u32, u64 } = await this.#header(ZIP64_END_BYTES - 4, 'the zip64 end of the central directory');
    const extra = u64(0) - (ZIP64_END_BYTES - 12);
    if (extra < 0 || extra > MAX_EXTRA_BYTES) this.#stop(null, offset, 'the zip64 end gives a wrong length of its own');
    await this.#header(extra, 'the zip64 end of the central directory');
    const locator = await this.#header(ZIP64_LOCATOR_BYTES + 4, 'the zip64 locator');
    if (locator.u32(0) !== ZIP64_LOCATOR || locator.u64(8) !== offset || locator.u32(ZIP64_LOCATOR_BYTES) !== END)
      this.#stop(null, offset, 'the zip64 end is not followed by its locator and the end');
    await this.#readEnd(directory, count, [u32(12), u32(16), u64(20), u64(28), u64(36), u64(44)]);
  }

  async #readEnd([start, offset]: ByteRange, count: number, wide?: readonly number[]): Promise<void> {
    const { bytes, u16, u32 } = await this.#header(END_BYTES - 4, 'the end of the central directory');
    const range: ByteRange = [offset, this.#source.at];
    const said = [u16(0), u16(2), u16(4), u16(6), u32(8), u32(12)];
    const right = [0, 0, count, count, offset - start, start];
    const isWrong = (_: string, at: number) =>
      wide ? wide[at] !== right[at] || (said[at] !== right[at] && said[at] !== ALL_ONES[at]) : said[at] !== right[at];
    const wrong = new Set(END_FIELDS.filter(isWrong));
    if (count !== this.#entries.length) wrong.add(`${count} entries for the ${this.#entries.length} that are there`);
    for (const what of wrong)
      this.#on.fault({ entry: null, range, reason: `the end of the central directory gives ${what}` });
    this.#issuedForm &&= !wide && equal(bytes, endRecord(count, offset - start, start).subarray(4));
    const comment = u16(16);
    if ((await this.#source.take(comment)).length < comment)
      this.#stop(null, offset, 'the file ends inside its comment');
    const after = this.#source.at;
    if (await this.#source.some(1)) this.#stop(null, after, 'there are bytes behind the end of the archive');
  }
}

/** The fields that an entry's header and the central directory share, but the version: no file depends on it. */
const FIELDS = ['the flags', 'the method', 'the time', 'the date', 'the CRC-32', 'the packed size', 'the size'];

const END_FIELDS = [
  'more than one disk',
  'more than one disk',
  'another number of entries',
  'another number of entries',
  'another size of the directory',
  'another place of the directory',
];
/** A field of the end that says nothing: its number stands in the end of zip64. */
const ALL_ONES = [0xffff, 0xffff, 0xffff, 0xffff, 0xffffffff, 0xffffffff];

const isTooDense = (size: number, packed: number): boolean => size > FREE_BYTES && size > MAX_RATIO * packed;

/** A name as a bundle has it. Windows tools write backslashes; names in an old code page keep their ASCII. */
function nameOf(bytes: Uint8Array): string {
  const text = fromUtf8(bytes) ?? Array.from(bytes, byte => (byte < 0x80 ? String.fromCharCode(byte) : '_')).join('');
  return text.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '') || '/';
}
