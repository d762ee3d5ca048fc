/** Writes small picture files with given metadata. */

import { crc32, deflateSync } from 'node:zlib';
import { imageOf } from '../src/pixels/image.ts';

const be16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const be32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** Draws a gradient with a few blocks, which compresses like a photo. */
export function drawing(width: number, height: number, channels: 1 | 3 | 4 = 3): Buffer {
  const pixels = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < channels; c++)
        pixels[(y * width + x) * channels + c] =
          c === 3
            ? 255
            : (x * 3 + y * (c + 1) + ((x >> 3) ^ (y >> 3) ? 20 : 0) + 90 * Number(x > width / 3 && y > height / 2)) &
              255;
  return pixels;
}

export const jpeg = (width = 64, height = 48): Promise<Buffer> =>
  imageOf({ width, height, data: drawing(width, height) })
    .jpeg()
    .toBuffer();

export const png = (width = 64, height = 48): Promise<Buffer> =>
  imageOf({ width, height, data: drawing(width, height) })
    .png()
    .toBuffer();

/** Inserts segments (marker and payload) after the SOI of a JPEG. */
export async function jpegWith(segments: [marker: number, payload: Uint8Array][]): Promise<Buffer> {
  const plain = await jpeg();
  const parts = segments.map(([marker, payload]) =>
    Buffer.concat([Buffer.from([0xff, marker]), be16(payload.length + 2), payload]),
  );
  return Buffer.concat([plain.subarray(0, 2), ...parts, plain.subarray(2)]);
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([be32(data.length), body, be32(crc32(body))]);
}

/** Inserts chunks after the IHDR of a PNG. */
export async function pngWith(...chunks: Buffer[]): Promise<Buffer> {
  const plain = await png();
  return Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
}

export const tEXt = (keyword: string, value: string): Buffer =>
  pngChunk('tEXt', Buffer.concat([Buffer.from(`${keyword}\0`, 'latin1'), Buffer.from(value, 'utf8')]));

export const zTXt = (keyword: string, value: string | Uint8Array): Buffer =>
  pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`, 'latin1'), deflateSync(value)]));

export const iTXt = (keyword: string, value: string, compressed = false): Buffer =>
  pngChunk(
    'iTXt',
    Buffer.concat([
      Buffer.from(`${keyword}\0${compressed ? '\x01' : '\0'}\0\0\0`, 'latin1'),
      compressed ? deflateSync(value) : Buffer.from(value, 'utf8'),
    ]),
  );

type ExifValue = string | number | { rationals: [number, number][] } | { bytes: Uint8Array };

function entry(tag: number, value: ExifValue, heapAt: number): { head: Buffer; heap: Buffer } {
  let type: number;
  let count: number;
  let data: Buffer;
  if (typeof value === 'string') {
    data = Buffer.from(`${value}\0`, 'utf8');
    [type, count] = [2, data.length];
  } else if (typeof value === 'number') {
    data = be32(value);
    [type, count] = [4, 1];
  } else if ('bytes' in value) {
    data = Buffer.from(value.bytes);
    [type, count] = [7, data.length];
  } else {
    data = Buffer.concat(value.rationals.flatMap(([n, d]) => [be32(n), be32(d)]));
    [type, count] = [5, value.rationals.length];
  }
  const inline = data.length <= 4;
  const head = Buffer.concat([
    be16(tag),
    be16(type),
    be32(count),
    inline ? Buffer.concat([data, Buffer.alloc(4 - data.length)]) : be32(heapAt),
  ]);
  return { head, heap: inline ? Buffer.alloc(0) : data };
}

function ifd(entries: [tag: number, value: ExifValue][], at: number): Buffer {
  let heapAt = at + 2 + entries.length * 12 + 4;
  const heads: Buffer[] = [];
  const heaps: Buffer[] = [];
  for (const [tag, value] of entries) {
    const { head, heap } = entry(tag, value, heapAt);
    heads.push(head);
    heaps.push(heap);
    heapAt += heap.length;
  }
  return Buffer.concat([be16(entries.length), ...heads, be32(0), ...heaps]);
}

export interface ExifParts {
  main?: [number, ExifValue][];
  exif?: [number, ExifValue][];
  gps?: [number, ExifValue][];
}

/** Writes a big-endian TIFF block with IFD0 and optional Exif and GPS IFDs. Tags by number. */
export function exifBlock({ main = [], exif, gps }: ExifParts): Buffer {
  const pointers: [number, ExifValue][] = [];
  const build = (): Buffer[] => {
    const first = ifd([...main, ...pointers], 8);
    const exifAt = 8 + first.length;
    const second = exif ? ifd(exif, exifAt) : Buffer.alloc(0);
    const third = gps ? ifd(gps, exifAt + second.length) : Buffer.alloc(0);
    pointers.length = 0;
    if (exif) pointers.push([0x8769, exifAt]);
    if (gps) pointers.push([0x8825, exifAt + second.length]);
    return [first, second, third];
  };
  build();
  build();
  return Buffer.concat([Buffer.from('MM\0*\0\0\0\x08', 'latin1'), ...build()]);
}

export const exifSegment = (parts: ExifParts): [number, Buffer] => [
  0xe1,
  Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifBlock(parts)]),
];

/** Writes a packet with one Description that has these attributes and inner XML. */
export const xmpPacket = (attributes: string, inner = ''): string =>
  `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""${
    attributes ? ` ${attributes}` : ''
  }>${inner}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

export const xmpSegment = (packet: string): [number, Buffer] => [
  0xe1,
  Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1'), Buffer.from(packet, 'utf8')]),
];

/** IPTC IIM application records: 80 byline, 110 credit, 115 source, 120 caption. */
export function iptcSegment(records: [dataset: number, value: string][]): [number, Buffer] {
  const iim = Buffer.concat(
    records.map(([dataset, value]) =>
      Buffer.concat([Buffer.from([0x1c, 2, dataset]), be16(Buffer.byteLength(value)), Buffer.from(value)]),
    ),
  );
  const padded = iim.length % 2 ? Buffer.concat([iim, Buffer.alloc(1)]) : iim;
  return [0xed, Buffer.concat([Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0', 'latin1'), be32(iim.length), padded])];
}
