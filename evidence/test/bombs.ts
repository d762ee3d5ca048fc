import { crc32, deflateRawSync } from 'node:zlib';
import { concat, utf8 } from '../src/bytes.ts';
import { CENTRAL, centralDirectory, localHeader, type ZipEntry } from '../src/zip/layout.ts';
import { type Made, makeBundle, zip } from './build.ts';
import { pack } from './containers.ts';

// Archives that cost their reader more than their sender: each must end as not valid (1) or unreadable (3), soon and in little memory.

const MEGABYTE = 1_048_576;
const packedZeros = new Map<number, Buffer>();

function zeros(bytes: number): Buffer {
  const packed = packedZeros.get(bytes) ?? deflateRawSync(Buffer.alloc(bytes));
  packedZeros.set(bytes, packed);
  return packed;
}

/** The local header and the data of a deflated entry that claims `entry.size` bytes. */
function deflated(entry: ZipEntry, packed: Uint8Array): Uint8Array {
  const header = localHeader(entry).slice();
  const view = new DataView(header.buffer);
  view.setUint16(8, 8, true);
  view.setUint32(18, packed.length, true);
  return concat(header, packed);
}

/** A genuine bundle in which one file is replaced by what `packed` unpacks to, while its header claims `size` bytes. */
function replaced({ files }: Made, name: string, packed: Uint8Array, size: number): Uint8Array {
  const entries = [...files].map(([path, bytes]) => ({ name: path, size: bytes.length, crc32: crc32(bytes) }));
  return concat(
    ...entries.map(entry =>
      entry.name === name
        ? deflated({ ...entry, size }, packed)
        : concat(localHeader(entry), files.get(entry.name) as Uint8Array),
    ),
    centralDirectory(entries),
  );
}

function directoryOf(records: number): Uint8Array {
  const record = new Uint8Array(46 + 4096);
  const view = new DataView(record.buffer);
  view.setUint32(0, CENTRAL, true);
  view.setUint16(32, 4096, true);
  return concat(...Array.from({ length: records }, () => record));
}

const PHOTO = 'originals/cap_A.jpg';
const many = (count: number, make: (index: number) => Uint8Array) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));

/** What each is, and how to make it. */
export const BOMBS: readonly (readonly [what: string, make: (made: Made) => Uint8Array])[] = [
  ['a photo that claims 2 kB and unpacks to 64 MB', made => replaced(made, PHOTO, zeros(64 * MEGABYTE), 2_000)],
  [
    'a photo that claims one byte less than it has',
    made => replaced(made, PHOTO, deflateRawSync(made.files.get(PHOTO)!), 2_999),
  ],
  [
    'a record that claims 2 kB and unpacks to 64 MB',
    made => replaced(made, 'record.json', zeros(64 * MEGABYTE), 2_000),
  ],
  [
    'a manifest that claims 2 kB and unpacks to 64 MB',
    made => replaced(made, 'manifest.json', zeros(64 * MEGABYTE), 2_000),
  ],
  ['a photo that claims nothing', made => replaced(made, PHOTO, zeros(MEGABYTE), 0)],
  ['a photo that claims 1.9 GB', made => replaced(made, PHOTO, zeros(64 * MEGABYTE), 1_900_000_000)],
  ['a photo whose data break off', made => replaced(made, PHOTO, zeros(MEGABYTE).subarray(0, 600), MEGABYTE)],
  ['a photo whose data are noise', made => replaced(made, PHOTO, Buffer.alloc(90_000, 0xff), 2_000)],
  [
    'a photo with bytes behind its data',
    made => replaced(made, PHOTO, concat(zeros(2_000), new Uint8Array(90_000)), 2_000),
  ],
  [
    'a photo of nothing but empty blocks',
    made =>
      replaced(
        made,
        PHOTO,
        many(200_000, () => Uint8Array.of(0, 0, 0, 0xff, 0xff)),
        2_000,
      ),
  ],
  [
    'thirty photos of 64 MB in 64 kB each',
    made =>
      concat(
        zip(made.files).subarray(0, 30 + 13 + made.files.get('manifest.json')!.length),
        ...Array.from({ length: 30 }, (_, i) =>
          deflated({ name: `originals/cap_${i}.jpg`, size: 64 * MEGABYTE, crc32: 0 }, zeros(64 * MEGABYTE)),
        ),
      ),
  ],
  [
    'a photo of 64 MB whose sizes stand behind its data',
    ({ files }) =>
      pack([...files, ['originals/z.jpg', new Uint8Array(64 * MEGABYTE)]], { descriptor: { signed: true } }),
  ],
  ['20,000 empty entries', () => many(20_000, i => localHeader({ name: `previews/cap_${i}.jpg`, size: 0, crc32: 0 }))],
  [
    'a photo that is a bundle of bombs',
    made => {
      const inner = replaced(made, PHOTO, zeros(64 * MEGABYTE), 2_000);
      return zip(new Map([...made.files, [PHOTO, inner]]));
    },
  ],
  [
    'a central directory of 16 MB',
    made =>
      concat(zip(new Map([['manifest.json', made.files.get('manifest.json')!]])).slice(0, -100), directoryOf(4_000)),
  ],
  [
    'a record of a million arrays in each other',
    made => zip(new Map([...made.files, ['record.json', utf8('['.repeat(1_000_000) + ']'.repeat(1_000_000))]])),
  ],
  [
    'a manifest of a million arrays in each other',
    made => zip(new Map([...made.files, ['manifest.json', utf8('['.repeat(1_000_000) + ']'.repeat(1_000_000))]])),
  ],
  [
    'a time stamp of a million sequences in each other',
    made =>
      zip(
        new Map([
          ...made.files,
          ['timestamp.tsr', new Uint8Array(2_000_000).fill(0x30).map((byte, i) => (i % 2 ? 0x80 : byte))],
        ]),
      ),
  ],
];

export const bomb = (what: string): Uint8Array => BOMBS.find(([name]) => name === what)![1](makeBundle());
