import { crc32, deflateRawSync } from 'node:zlib';
import { concat, utf8 } from '../src/bytes.ts';
import type { Files } from './build.ts';

// The same files as other tools pack them (APPNOTE 6.3.10).

interface Form {
  method?: 0 | 8;
  /** How the sizes stand behind the data: with a signature or without, in 4 or 8 bytes. */
  descriptor?: { signed: boolean; wide?: boolean };
  /** The sizes of the header stand in its extra field. */
  zip64?: boolean;
  /** Zip64 in the central directory, too, and at its end. */
  zip64End?: boolean;
  nameOf?: (path: string) => Uint8Array;
}

const MAX = 0xffffffff;

/** Little-endian numbers, each with its width in bytes. */
function numbers(...fields: [width: 2 | 4 | 8, value: number][]): Uint8Array {
  const bytes = Buffer.alloc(fields.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}

export function pack(files: Iterable<readonly [string, Uint8Array]>, form: Form = {}): Uint8Array {
  const [parts, directory]: [Uint8Array[], Uint8Array[]] = [[], []];
  let offset = 0;
  for (const [path, content] of files) {
    const entry = packEntry(path, content, form, offset);
    parts.push(entry.local);
    directory.push(entry.central);
    offset += entry.local.length;
  }
  const [count, central] = [parts.length, concat(...directory)];
  const wide = form.zip64End
    ? [
        numbers([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count]),
        numbers([8, central.length], [8, offset]),
        numbers([4, 0x07064b50], [4, 0], [8, offset + central.length], [4, 1]),
      ]
    : [];
  const [entries, bytes, place] = form.zip64End ? [0xffff, MAX, MAX] : [count, central.length, offset];
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, entries], [2, entries], [4, bytes], [4, place], [2, 0]);
  return concat(...parts, central, ...wide, end);
}

function packEntry(path: string, content: Uint8Array, form: Form, offset: number) {
  const { method = 8, descriptor, zip64 = false, zip64End = false, nameOf = utf8 } = form;
  const name = nameOf(path);
  const data = method === 8 ? deflateRawSync(content) : content;
  const [crc, packed, size] = [crc32(content), data.length, content.length];
  const shared = (version: number, extra: number, ...[crc, packed, size]: [number, number, number]) => [
    numbers([2, version], [2, descriptor ? 8 : 0], [2, method], [4, 0x5a6f7c5d]),
    numbers([4, crc], [4, packed], [4, size], [2, name.length], [2, extra]),
  ];
  const told = descriptor ? ([0, 0, 0] as const) : ([crc, packed, size] as const);
  const width = descriptor?.wide ? 8 : 4;
  const local = concat(
    numbers([4, 0x04034b50]),
    ...(zip64 ? shared(45, 20, told[0], MAX, MAX) : shared(20, 0, ...told)),
    name,
    zip64 ? numbers([2, 1], [2, 16], [8, told[2]], [8, told[1]]) : numbers(),
    data,
    descriptor?.signed ? numbers([4, 0x08074b50]) : numbers(),
    descriptor ? numbers([4, crc], [width, packed], [width, size]) : numbers(),
  );
  const central = concat(
    numbers([4, 0x02014b50], [2, 0x031e]),
    ...(zip64End ? shared(45, 28, crc, MAX, MAX) : shared(20, 0, crc, packed, size)),
    numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, zip64End ? MAX : offset]),
    name,
    zip64End ? numbers([2, 1], [2, 24], [8, size], [8, packed], [8, offset]) : numbers(),
  );
  return { local, central };
}

export const inFolder = (files: Files, folder: string): [string, Uint8Array][] =>
  [...files].map(([path, bytes]) => [folder + path, bytes]);

/** With an entry for each folder before its first file. */
function withFolders(files: Iterable<readonly [string, Uint8Array]>): [string, Uint8Array][] {
  const all = new Map<string, Uint8Array>();
  for (const [path, bytes] of files) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      all.set(path.slice(0, at + 1), new Uint8Array());
    all.set(path, bytes);
  }
  return [...all];
}

export const CONTAINERS: Readonly<Record<string, (files: Files) => Uint8Array>> = {
  descriptors: files => pack(files, { descriptor: { signed: true } }),
  'descriptors of stored data': files => pack(files, { method: 0, descriptor: { signed: true } }),
  'descriptors without a signature': files => pack(files, { descriptor: { signed: false } }),
  'descriptors of 8 bytes': files => pack(files, { zip64: true, descriptor: { signed: true, wide: true } }),
  'descriptors of 8 bytes without a signature': files =>
    pack(files, { zip64: true, descriptor: { signed: false, wide: true } }),
  'descriptors of empty folders, too': files => pack(withFolders(files), { descriptor: { signed: true } }),
  'zip64 sizes': files => pack(files, { zip64: true }),
  'zip64 sizes, directory and end': files => pack(files, { method: 0, zip64: true, zip64End: true }),
  'folders above': files => pack(withFolders(inFolder(files, 'Für Frau Novák/vfy (1)/'))),
  'a folder above in an old code page': files =>
    pack(inFolder(files, 'Für/'), { nameOf: path => Buffer.from(path, 'latin1') }),
  'a folder above with descriptors': files =>
    pack(withFolders(inFolder(files, 'bundle/')), { descriptor: { signed: true } }),
  'backslashes in names': files =>
    pack(inFolder(files, 'bundle/'), { nameOf: path => utf8(path.replaceAll('/', '\\')) }),
  'names from the folder itself on': files => pack([['./', new Uint8Array()], ...inFolder(files, './')]),
};
