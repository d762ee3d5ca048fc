import { equal, fromUtf8 } from '../bytes.ts';
import {
  CENTRAL,
  CENTRAL_BYTES,
  centralDirectory,
  END,
  END_BYTES,
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
  /** An entry begins, its data at `start`. The handler takes its bytes; `end` comes also when the data broke off. */
  entry(
    name: string,
    start: number,
  ): { write(chunk: Uint8Array): void; end(o: { range: ByteRange; whole: boolean }): void };
  fault(o: { entry: string | null; range: ByteRange; reason: string }): void;
  crc32(bytes: Uint8Array, before: number): number;
}

export interface ZipLimits {
  /** Bytes of the archive, and of its entries unpacked. */
  maxBytes: number;
  maxEntries: number;
}

/** A limit was passed: nothing can be said of the archive. */
export class ZipTooLarge extends Error {
  override name = 'ZipTooLarge';
}

interface LocalEntry {
  name: string;
  header: Uint8Array;
  offset: number;
  size: number;
  crc32: number;
}

const DEFLATED = 8;
const MAX_NAME_BYTES = 255;
const MAX_EXTRA_BYTES = 4096;
/** UTF-8 names, and the two that say how hard a compressor tried. */
const ALLOWED_FLAGS = UTF8_NAMES | 0x0006;
const SAFE_NAME = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*\/?$/;

/** A fault that ends the reading: the position of the next entry is unknown. */
class Broken extends Error {}

/**
 * Reads an archive. Faults go to the handler; reading goes on where the next entry's place is known. `issuedForm`: the
 * archive is byte for byte as {@link centralDirectory} and {@link localHeader} write it. Throws {@link ZipTooLarge}.
 */
export async function readZip(
  chunks: AsyncIterable<Uint8Array>,
  on: ZipHandlers,
  limits: ZipLimits,
): Promise<{ issuedForm: boolean }> {
  const source = new ByteSource(chunks);
  const entries: LocalEntry[] = [];
  let unpacked = 0;
  let issuedForm = true;

  const stop = (entry: string | null, range: ByteRange, reason: string): never => {
    on.fault({ entry, range, reason });
    throw new Broken(reason);
  };
  const checkLimits = (more: number) => {
    if (source.at + more > limits.maxBytes || unpacked + more > limits.maxBytes) {
      throw new ZipTooLarge(`more than ${limits.maxBytes} bytes`);
    }
  };
  const header = async (count: number, what: string): Promise<DataView> => {
    const start = source.at;
    const bytes = await source.take(count);
    if (bytes.length < count) stop(null, [start, source.at], `the file ends inside ${what}`);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  };

  async function readEntry(offset: number): Promise<void> {
    const view = await header(LOCAL_BYTES - 4, 'the header of an entry');
    const [flags, method] = [view.getUint16(2, true), view.getUint16(4, true)];
    const [crc, packed, size] = [view.getUint32(10, true), view.getUint32(14, true), view.getUint32(18, true)];
    const [nameLength, extraLength] = [view.getUint16(22, true), view.getUint16(24, true)];
    if (nameLength === 0 || nameLength > MAX_NAME_BYTES || extraLength > MAX_EXTRA_BYTES) {
      stop(
        null,
        [offset, source.at],
        `the header gives a name of ${nameLength} and an extra field of ${extraLength} bytes`,
      );
    }
    const rest = await header(nameLength + extraLength, 'the name of an entry');
    const range: ByteRange = [offset, source.at];
    const name = nameIn(new Uint8Array(rest.buffer, rest.byteOffset, nameLength));
    if (name === null || !SAFE_NAME.test(name))
      return stop(null, range, 'the name of an entry is not a plain relative path');
    if ((flags & ~ALLOWED_FLAGS) !== 0)
      stop(name, range, `flags 0x${flags.toString(16)} are set; none but 0x800 may be`);
    if (method !== 0 && method !== DEFLATED)
      stop(name, range, `compression method ${method} is not stored or deflated`);
    if (method === 0 && packed !== size)
      stop(name, range, `it is stored, but ${packed} bytes are said to hold ${size}`);
    if (packed === 0xffffffff || size === 0xffffffff) stop(name, range, 'it has zip64 sizes');
    if (entries.some(entry => entry.name === name)) on.fault({ entry: name, range, reason: 'the name occurs twice' });
    if (entries.length >= limits.maxEntries) throw new ZipTooLarge(`more than ${limits.maxEntries} entries`);
    checkLimits(Math.max(packed, size));
    unpacked += size;
    const local = { name, header: new Uint8Array(view.buffer, view.byteOffset, 22).slice(), offset, size, crc32: crc };
    entries.push(local);
    issuedForm &&= method === 0 && extraLength === 0 && isIssued(local, view, nameLength);
    if (name.endsWith('/')) {
      issuedForm = false;
      if (size + packed > 0) stop(name, range, 'it is a folder with content');
      return;
    }
    await readData(local, packed, method === DEFLATED);
  }

  async function readData({ name, size, crc32 }: LocalEntry, packed: number, deflated: boolean): Promise<void> {
    const start = source.at;
    const sink = on.entry(name, start);
    let crc = 0;
    let got = 0;
    const take = (chunk: Uint8Array) => {
      got += chunk.length;
      if (got > size) throw new Error('longer than its header says');
      crc = on.crc32(chunk, crc);
      sink.write(chunk);
    };
    let broken: string | null = null;
    const inflater = deflated ? inflate(take) : null;
    let left = packed;
    while (left > 0) {
      const chunk = await source.some(left);
      if (!chunk) break;
      left -= chunk.length;
      if (!inflater) take(chunk);
      else if (broken === null) broken = await inflater.write(chunk);
    }
    if (inflater) broken = (await inflater.end()) ?? broken;
    const range: ByteRange = [start, source.at];
    const whole = left === 0 && broken === null && got === size && crc === crc32;
    sink.end({ range, whole });
    if (left > 0) stop(name, range, `the file ends ${left} bytes before the end of this entry`);
    if (broken !== null || got !== size) on.fault({ entry: name, range, reason: 'its compressed data are damaged' });
    else if (crc !== crc32) on.fault({ entry: name, range, reason: 'its CRC-32 is not the one in its header' });
  }

  async function readDirectory(start: number): Promise<void> {
    let offset = start;
    let signature = CENTRAL;
    for (let index = 0; signature === CENTRAL; index += 1) {
      const view = await header(CENTRAL_BYTES - 4, 'the central directory');
      const [nameLength, extraLength, commentLength] = [24, 26, 28].map(at => view.getUint16(at, true)) as [
        number,
        number,
        number,
      ];
      if (extraLength > MAX_EXTRA_BYTES || commentLength > MAX_EXTRA_BYTES || nameLength > MAX_NAME_BYTES) {
        stop(null, [offset, source.at], 'a name, extra field or comment of the central directory is too long');
      }
      const name = nameIn(await source.take(nameLength));
      await source.take(extraLength + commentLength);
      const range: ByteRange = [offset, source.at];
      const local = entries[index];
      if (!local || name !== local.name) {
        stop(local?.name ?? name, range, 'the central directory does not name the entries in the order they stand');
      } else {
        const twin = new Uint8Array(view.buffer, view.byteOffset + 2, 22);
        const differs = FIELDS.filter(([, from, to]) => !equal(twin.slice(from, to), local.header.slice(from, to)));
        if (differs.length > 0) {
          const fields = differs.map(([field]) => field).join(', ');
          on.fault({ entry: name, range, reason: `the central directory and the entry's header differ in ${fields}` });
        }
        if (view.getUint32(38, true) !== local.offset) {
          on.fault({ entry: name, range, reason: 'the central directory gives another place for the entry' });
        }
        if (view.getUint16(30, true) !== 0)
          on.fault({ entry: name, range, reason: 'it is said to lie on another disk' });
      }
      offset = source.at;
      signature = (await header(4, 'the central directory')).getUint32(0, true);
      if (signature === END) return readEnd(start, offset, index + 1);
    }
    stop(null, [offset, source.at], 'what follows in the central directory is neither an entry nor its end');
  }

  async function readEnd(start: number, offset: number, count: number): Promise<void> {
    const view = await header(END_BYTES - 4, 'the end of the central directory');
    const range: ByteRange = [offset, source.at];
    const says = (what: string) =>
      on.fault({ entry: null, range, reason: `the end of the central directory gives ${what}` });
    if (count !== entries.length) says(`${count} entries for the ${entries.length} that are there`);
    if (view.getUint16(4, true) !== count || view.getUint16(6, true) !== count) says('another number of entries');
    if (view.getUint16(0, true) !== 0 || view.getUint16(2, true) !== 0) says('more than one disk');
    if (view.getUint32(8, true) !== offset - start) says('another size of the directory');
    if (view.getUint32(12, true) !== start) says('another place of the directory');
    const comment = view.getUint16(16, true);
    if (comment > 0) issuedForm = false;
    if ((await source.take(comment)).length < comment) stop(null, range, 'the file ends inside its comment');
    const after = source.at;
    if (await source.some(1)) stop(null, [after, after + 1], 'there are bytes behind the end of the archive');
  }

  try {
    for (;;) {
      const offset = source.at;
      checkLimits(0);
      const signature = (await header(4, 'the archive')).getUint32(0, true);
      if (signature === LOCAL) await readEntry(offset);
      else if (signature === CENTRAL && entries.length > 0) {
        // The directory is small: read it twice, once for the comparison with the issued form.
        const recorded: Uint8Array[] = [];
        const through = recordFrom(source, recorded);
        await readDirectory(offset);
        through();
        issuedForm &&= isIssuedDirectory(entries, recorded);
        break;
      } else stop(null, [offset, source.at], 'what follows is neither an entry nor the central directory');
    }
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    issuedForm = false;
  } finally {
    await source.close();
  }
  return { issuedForm };
}

/** The shared fields by their place behind the version that is needed. */
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

function nameIn(bytes: Uint8Array): string | null {
  try {
    return fromUtf8(bytes);
  } catch {
    return null;
  }
}

function isIssued(entry: LocalEntry, view: DataView, nameLength: number): boolean {
  const found = new Uint8Array(view.buffer, view.byteOffset, LOCAL_BYTES - 4);
  return nameLength > 0 && equal(localHeader(entry).slice(4, LOCAL_BYTES), found);
}

const isIssuedDirectory = (entries: readonly LocalEntry[], recorded: readonly Uint8Array[]): boolean => {
  const issued = centralDirectory(entries).slice(4);
  let at = 0;
  return (
    recorded.every(part => {
      const same = equal(part, issued.subarray(at, at + part.length));
      at += part.length;
      return same;
    }) && at === issued.length
  );
};

/** Keeps what is taken from a source from now on; the answer ends it. */
function recordFrom(source: ByteSource, into: Uint8Array[]): () => void {
  const take = source.take.bind(source);
  source.take = async count => {
    const bytes = await take(count);
    into.push(bytes);
    return bytes;
  };
  return () => {
    source.take = take;
  };
}

/** Unpacks deflated data in pieces; `write` and `end` give back what is wrong. */
function inflate(take: (chunk: Uint8Array) => void) {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  let failure: string | null = null;
  const failed = (error: unknown) => {
    failure ??= error instanceof Error ? error.message : 'damaged';
  };
  const reading = (async () => {
    const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      take(value);
    }
  })().catch(error => {
    failed(error);
    return writer.abort().catch(() => {});
  });
  return {
    async write(chunk: Uint8Array): Promise<string | null> {
      await writer.write(chunk as Uint8Array<ArrayBuffer>).catch(failed);
      return failure;
    },
    async end(): Promise<string | null> {
      if (failure === null) await writer.close().catch(failed);
      await reading;
      return failure;
    },
  };
}
