/** Pictures of every container and metadata kind we read, and ways to damage them. */

import { embedsC2pa } from '../src/ai/c2pa.ts';
import { readDepthMap } from '../src/depth-maps/read.ts';
import {
  bmffBoxes,
  containerOf,
  heifItems,
  jpegSegments,
  type Piece,
  pngChunks,
  webpChunks,
} from '../src/files/metadata/containers.ts';
import { readMetadata } from '../src/files/metadata/read.ts';
import { imageOf } from '../src/pixels/image.ts';
import { type Random, random } from '../src/pixels/random.ts';
import { makeSigner } from './c2pa-signer.ts';
import { dataFiles } from './data.ts';
import { disparity, dynamicDepthFile, gdepthFile, mpfFile, type Shape } from './depth-files.ts';
import { drawing, exifSegment, iTXt, jpegWith, pngWith, tEXt, xmpPacket, xmpSegment, zTXt } from './files.ts';

export interface Specimen {
  /** The kind of file that this specimen represents. */
  kind: string;
  /** Origin: its path in the folder of real pictures, or `drawn`. */
  from: string;
  bytes: Buffer;
}

type Test = (bytes: Buffer) => boolean | Promise<boolean>;

const is = (container: ReturnType<typeof containerOf>) => (bytes: Buffer) => containerOf(bytes) === container;
const signed =
  (container: ReturnType<typeof containerOf>): Test =>
  bytes =>
    containerOf(bytes) === container && embedsC2pa(bytes);
const depth =
  (source: string, container: ReturnType<typeof containerOf>): Test =>
  async bytes =>
    containerOf(bytes) === container && (await readDepthMap(bytes))?.source === source;
const having = (bytes: Buffer, type: string) => heifItems(bytes).some(item => item.type === type);
const text: Test = async bytes =>
  is('png')(bytes) && (await readMetadata(bytes)).fields.some(field => field.source === 'png');

/** Kind, folders to search, minimum bytes, and a test that recognises it. The smallest matching file is used. */
const REAL: [kind: string, folders: string[], least: number, test: Test][] = [
  ['JPEG with EXIF', ['camera'], 100_000, async bytes => is('jpeg')(bytes) && !!(await readMetadata(bytes)).make],
  [
    'large JPEG with EXIF',
    ['camera'],
    3_000_000,
    async bytes => is('jpeg')(bytes) && !!(await readMetadata(bytes)).make,
  ],
  ['JPEG with MPF disparity', ['depth'], 0, depth('apple_disparity', 'jpeg')],
  ['JPEG with GDepth', ['depth'], 0, depth('gdepth', 'jpeg')],
  ['HEIC with disparity', ['depth', 'heic'], 0, depth('apple_disparity', 'bmff')],
  ['HEIC with EXIF', ['heic'], 50_000, bytes => is('bmff')(bytes) && having(bytes, 'Exif') && having(bytes, 'hvc1')],
  ['AVIF', ['heic', 'c2pa'], 20_000, bytes => is('bmff')(bytes) && having(bytes, 'av01')],
  ['PNG with text', ['ai'], 20_000, text],
  ['WebP', ['camera', 'c2pa'], 20_000, bytes => is('webp')(bytes) && !embedsC2pa(bytes)],
  ['signed JPEG', ['c2pa'], 20_000, signed('jpeg')],
  ['signed PNG', ['c2pa', 'ai'], 20_000, signed('png')],
  ['signed WebP', ['c2pa', 'ai'], 20_000, signed('webp')],
  ['signed HEIF', ['c2pa', 'ai'], 20_000, signed('bmff')],
  ['TIFF', ['c2pa', 'camera'], 0, bytes => /^(II\*\0|MM\0\*)/.test(bytes.toString('latin1', 0, 4))],
];

/** Returns one real file of each kind in the folder of real pictures. */
export async function realSpecimens(): Promise<Specimen[]> {
  const found: Specimen[] = [];
  for (const [kind, folders, least, test] of REAL) {
    const files = dataFiles(...folders)
      .map(file => ({ file, bytes: file.read() }))
      .filter(({ bytes }) => bytes.length >= least)
      .sort((a, b) => a.bytes.length - b.bytes.length);
    for (const { file, bytes } of files) {
      if (!(await test(bytes))) continue;
      found.push({ kind, from: file.path, bytes });
      break;
    }
  }
  return found;
}

const room: Shape = (u, v) => (u > 0.3 && u < 0.7 && v > 0.4 ? 1.6 : 0.4 + 0.5 * v);

/** Writes the same kinds, as far as possible, with a few kilobytes each. */
export async function drawnSpecimens(): Promise<Specimen[]> {
  const [width, height] = [400, 300];
  const picture = imageOf({ width, height, data: drawing(width, height) });
  const jpeg = await picture.clone().jpeg({ quality: 95 }).toBuffer();
  const signer = await makeSigner();
  const actions = [
    { action: 'c2pa.created', digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture' },
  ];
  const claim = {
    claim_generator_info: [{ name: 'test', version: '1' }],
    assertions: [{ label: 'c2pa.actions.v2', data: { actions } }],
  };
  const drawn: Record<string, Buffer> = {
    'JPEG with EXIF and XMP': await jpegWith([
      exifSegment({ main: [[0x010f, 'Maker']], exif: [[0x9003, '2024:01:02 03:04:05']], gps: [[1, 'N']] }),
      [0xe1, xmpSegment(xmpPacket('xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Tool"'))[1]],
    ]),
    'progressive JPEG': await picture.clone().jpeg({ progressive: true }).toBuffer(),
    'PNG with text': await pngWith(
      tEXt('parameters', 'steps 20 '.repeat(300)),
      zTXt('prompt', 'a room '.repeat(300)),
      iTXt('XML:com.adobe.xmp', xmpPacket('xmlns:a="b" a:c="d"'), true),
    ),
    '16-bit PNG': await picture.clone().toColourspace('rgb16').png().toBuffer(),
    WebP: await picture
      .clone()
      .withExif({ IFD0: { Make: 'Maker' } })
      .webp()
      .toBuffer(),
    AVIF: await picture
      .clone()
      .withExif({ IFD0: { Make: 'Maker' } })
      .avif({ effort: 0 })
      .toBuffer(),
    TIFF: await picture.clone().tiff().toBuffer(),
    'JPEG with MPF disparity': await mpfFile(await disparity(room)),
    'JPEG with GDepth': await gdepthFile(room, 'RangeInverse'),
    'JPEG with Dynamic Depth': await dynamicDepthFile(room),
    'signed JPEG': await signer.sign(jpeg, 'image/jpeg', claim),
    'signed PNG': await signer.sign(await picture.clone().png().toBuffer(), 'image/png', claim),
  };
  return Object.entries(drawn).map(([kind, bytes]) => ({ kind, from: 'drawn', bytes }));
}

/** Returns the positions of lengths and types in a file, and its pieces. */
function pieces(bytes: Buffer): { list: Piece[]; head: number; size: 2 | 4; little: boolean } {
  const container = containerOf(bytes);
  if (container === 'jpeg') return { list: jpegSegments(bytes), head: 4, size: 2, little: false };
  if (container === 'png') return { list: pngChunks(bytes), head: 8, size: 4, little: false };
  if (container === 'webp') return { list: webpChunks(bytes), head: 8, size: 4, little: true };
  if (container !== 'bmff') return { list: [], head: 8, size: 4, little: false };
  const top = bmffBoxes(bytes);
  const inner = top.flatMap(box => (box.type === 'meta' ? bmffBoxes(bytes, box.start + 4, box.end) : []));
  return { list: [...top, ...inner], head: 8, size: 4, little: false };
}

const EXTREMES = [0, 1, 2, 7, 8, 9, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

/** Writes an extreme value, or slightly more or less than the current one. */
function spoilNumber(bytes: Buffer, at: number, size: 2 | 4, little: boolean, rng: Random): void {
  if (at < 0 || at + size > bytes.length) return;
  const most = size === 2 ? 0xffff : 0xffffffff;
  const here = little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  const value = rng.uniform() < 0.5 ? rng.pick(EXTREMES) : here + Math.round(rng.uniform(-9, 9));
  const fitting = Math.min(most, Math.max(0, value));
  if (little) bytes.writeUIntLE(fitting, at, size);
  else bytes.writeUIntBE(fitting, at, size);
}

const DAMAGES: ((bytes: Buffer, rng: Random) => Buffer)[] = [
  // Flip bits: half of them near the beginning, where the structure is.
  (bytes, rng) => {
    const reach = rng.uniform() < 0.5 ? Math.min(bytes.length, 4_096) : bytes.length;
    for (let i = 0; i < rng.uniform(1, 24); i++) {
      const at = Math.floor(rng.uniform(0, reach));
      bytes[at]! ^= 1 << Math.floor(rng.uniform(0, 8));
    }
    return bytes;
  },
  // Change lengths of pieces.
  (bytes, rng) => {
    const { list, head, size, little } = pieces(bytes);
    if (list.length > 0)
      for (let i = 0; i < rng.uniform(1, 4); i++)
        spoilNumber(bytes, rng.pick(list).start - (size === 2 ? 2 : head), size, little, rng);
    return bytes;
  },
  // Change numbers inside a piece: offsets and counts of TIFF directories, item locations, manifests, palettes.
  (bytes, rng) => {
    const { list } = pieces(bytes);
    const { start, end } = list.length > 0 ? rng.pick(list) : { start: 0, end: bytes.length };
    const reach = Math.min(end - start, 2_048);
    for (let i = 0; i < rng.uniform(1, 8); i++)
      spoilNumber(bytes, start + Math.floor(rng.uniform(0, reach)), rng.pick([2, 4]), rng.uniform() < 0.5, rng);
    return bytes;
  },
  // Swap two pieces, duplicate one, or drop one.
  (bytes, rng) => {
    const { list, head } = pieces(bytes);
    if (list.length < 2) return bytes;
    const [one, other] = [rng.pick(list), rng.pick(list)].sort((a, b) => a.start - b.start) as [Piece, Piece];
    const [a, b] = [bytes.subarray(one.start - head, one.end), bytes.subarray(other.start - head, other.end)];
    const [before, after] = [bytes.subarray(0, one.start - head), bytes.subarray(other.end)];
    if (one.end > other.start - head)
      return Buffer.concat([bytes.subarray(0, one.end), bytes.subarray(one.start - head)]);
    const between = bytes.subarray(one.end, other.start - head);
    const order = rng.pick([
      [before, b, between, a, after],
      [before, a, a, between, b, after],
      [before, between, b, after],
    ]);
    return Buffer.concat(order);
  },
  // Copy a range of the file to another place.
  (bytes, rng) => {
    const length = Math.floor(rng.uniform(1, Math.min(8_192, bytes.length / 4)));
    const [from, to] = [rng, rng].map(source => Math.floor(source.uniform(0, bytes.length - length))) as [
      number,
      number,
    ];
    bytes.copyWithin(to, from, from + length);
    return bytes;
  },
];

/** Damages the file in one of these ways, reproducible by seed. */
export function damaged(bytes: Buffer, seed: number): Buffer {
  const rng = random(seed);
  return DAMAGES[seed % DAMAGES.length]!(Buffer.from(bytes), rng);
}
