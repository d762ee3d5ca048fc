// What the release reads and cuts of ELF files (64 bit, little endian), without binutils.

const PT_LOAD = 1;
const SHT_DYNSYM = 11;
const SHT_VERNEED = 0x6ffffffe;

interface Segment {
  /** Where its program header stands. */
  header: number;
  type: number;
  offset: number;
  address: number;
  fileSize: number;
}

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
  info: number;
}

/** True for a program or library that we can read. */
export const isElf = (bytes: Buffer): boolean =>
  bytes.length >= 64 && bytes.readUInt32BE(0) === 0x7f454c46 && bytes[4] === 2 && bytes[5] === 1;

const number = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

function segmentsOf(bytes: Buffer): Segment[] {
  const first = number(bytes, 32);
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const header = first + index * bytes.readUInt16LE(54);
    return {
      header,
      type: bytes.readUInt32LE(header),
      offset: number(bytes, header + 8),
      address: number(bytes, header + 16),
      fileSize: number(bytes, header + 32),
    };
  });
}

function sectionsOf(bytes: Buffer): Section[] {
  const first = number(bytes, 40);
  return Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => {
    const at = first + index * bytes.readUInt16LE(58);
    return {
      type: bytes.readUInt32LE(at + 4),
      offset: number(bytes, at + 24),
      size: number(bytes, at + 32),
      link: bytes.readUInt32LE(at + 40),
      info: bytes.readUInt32LE(at + 44),
    };
  });
}

const text = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, bytes.indexOf(0, at));

/** The versions of symbols that the file asks its libraries for, such as `GLIBC_2.28`. */
export function versionNeeds(bytes: Buffer): string[] {
  const sections = sectionsOf(bytes);
  const needs = new Set<string>();
  for (const { offset, info, link } of sections.filter(({ type }) => type === SHT_VERNEED)) {
    const strings = sections[link]!.offset;
    for (let library = 0, at = offset; library < info; library += 1, at += bytes.readUInt32LE(at + 12)) {
      let entry = at + bytes.readUInt32LE(at + 8);
      for (let left = bytes.readUInt16LE(at + 2); left > 0; left -= 1, entry += bytes.readUInt32LE(entry + 12)) {
        needs.add(text(bytes, strings + bytes.readUInt32LE(entry + 8)));
      }
    }
  }
  return [...needs].sort();
}

/** Those of {@link versionNeeds} that a glibc of this version, such as 2.28, does not have. */
export const newerThan = (glibc: string, needs: readonly string[]): string[] =>
  needs.filter(need => {
    const [, major, minor] = /^GLIBC_(\d+)\.(\d+)/.exec(need) ?? [];
    const [ofMajor, ofMinor] = glibc.split('.').map(Number);
    return major !== undefined && (Number(major) - ofMajor! || Number(minor) - ofMinor!) > 0;
  });

/** Where a symbol that a library exports has its bytes in the file. */
export function symbolOf(bytes: Buffer, name: string): { offset: number; size: number } {
  const sections = sectionsOf(bytes);
  const table = sections.find(({ type }) => type === SHT_DYNSYM)!;
  for (let at = table.offset; at < table.offset + table.size; at += 24) {
    if (text(bytes, sections[table.link]!.offset + bytes.readUInt32LE(at)) !== name) continue;
    const address = number(bytes, at + 8);
    const { offset, address: from } = segmentsOf(bytes).find(
      segment => segment.type === PT_LOAD && address >= segment.address && address < segment.address + segment.fileSize,
    )!;
    return { offset: address - from + offset, size: number(bytes, at + 16) };
  }
  throw new Error(`no symbol ${name}`);
}

/** Without what no start reads: symbols of the linker, debug information, the table of sections. */
export function strip(bytes: Buffer): Buffer {
  const loaded = segmentsOf(bytes).filter(({ fileSize }) => fileSize > 0);
  const end = Math.max(...loaded.map(({ offset, fileSize }) => offset + fileSize));
  const stripped = Buffer.from(bytes.subarray(0, end));
  stripped.writeBigUInt64LE(0n, 40);
  // Size, count and names of the sections.
  stripped.fill(0, 58, 64);
  return stripped;
}

/** Takes `from` to `to`, inside the first segment and to its end, out of a library. All addresses stay as they are. */
export function cut(bytes: Buffer, from: number, to: number): Buffer {
  const { fileSize } = segmentsOf(bytes).find(({ type, offset }) => type === PT_LOAD && offset === 0)!;
  const next = Math.min(...segmentsOf(bytes).flatMap(({ offset }) => (offset >= to ? [offset] : [])));
  if (from >= fileSize || to > next) throw new Error('cuts what is not in the first segment');
  const page = 4096;
  // Offset and address of a segment stay the same below a page.
  const moved = Math.floor((next - from) / page) * page;
  const shorter = Buffer.concat([bytes.subarray(0, from), Buffer.alloc(next - moved - from), bytes.subarray(next)]);
  for (const segment of segmentsOf(bytes)) {
    if (segment.type === PT_LOAD) shorter.writeBigUInt64LE(BigInt(page), segment.header + 48);
    if (segment.offset >= next) shorter.writeBigUInt64LE(BigInt(segment.offset - moved), segment.header + 8);
    if (segment.type === PT_LOAD && segment.offset === 0) {
      shorter.writeBigUInt64LE(BigInt(from), segment.header + 32);
      shorter.writeBigUInt64LE(BigInt(from), segment.header + 40);
    }
  }
  return strip(shorter);
}
