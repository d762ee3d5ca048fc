// ICU's data are 27 MB for every language of the world. Databases of Firsthand sort by PostgreSQL's own rules (`C`, `pg_c_utf8`),
// so of ICU only what `initdb` opens stays: the root collation.
import { cut, symbolOf } from './elf.ts';

const KEPT = /\/(root\.res|pool\.res|coll\/(root\.res|ucadata\.icu|pool\.res)|icustd\.res|icuver\.res)$/;

/** `libicudata.so` with the items that match. The format is that of ICU's `pkgdata`: a header, then names and offsets, sorted. */
export function cutIcuData(library: Buffer, kept = KEPT): Buffer {
  const { offset: start, size } = symbolOf(library, 'icudt60_dat');
  const table = start + library.readUInt16LE(start);
  const items = Array.from({ length: library.readUInt32LE(table) }, (_, index) => {
    const at = table + 4 + index * 8;
    const name = table + library.readUInt32LE(at);
    const next = index + 1 < library.readUInt32LE(table) ? table + library.readUInt32LE(at + 12) : start + size;
    return {
      name: library.toString('latin1', name, library.indexOf(0, name)),
      bytes: library.subarray(table + library.readUInt32LE(at + 4), next),
    };
  }).filter(({ name }) => kept.test(name));
  const data = packed(items);
  const cutLibrary = Buffer.from(library);
  data.copy(cutLibrary, table);
  return cut(cutLibrary, table + data.length, start + size);
}

function packed(items: readonly { name: string; bytes: Buffer }[]): Buffer {
  const align = (at: number) => Math.ceil(at / 16) * 16;
  const head = Buffer.alloc(4 + items.length * 8);
  head.writeUInt32LE(items.length);
  const names = Buffer.concat(items.map(({ name }) => Buffer.from(`${name}\0`, 'latin1')));
  const parts: Buffer[] = [head, names];
  let nameAt = head.length;
  let at = head.length + names.length;
  for (const [index, { name, bytes }] of items.entries()) {
    parts.push(Buffer.alloc(align(at) - at), bytes);
    head.writeUInt32LE(nameAt, 4 + index * 8);
    head.writeUInt32LE(align(at), 8 + index * 8);
    nameAt += name.length + 1;
    at = align(at) + bytes.length;
  }
  return Buffer.concat(parts);
}
