/** Writes pictures with depth maps in the formats of cameras and phones. */
import sharp from 'sharp';
import type { DepthMap } from '../src/depth-maps/planarity.ts';
import { jpeg, xmpPacket, xmpSegment } from './files.ts';

export type Shape = (u: number, v: number) => number;

/** Inverse depth over the picture, u and v from 0 to 1. */
export function map(shape: Shape, width = 160, height = 120): DepthMap {
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = shape(x / width, y / height);
  return { data, width, height };
}

async function grey(shape: Shape, scale: (d: number) => number, format: 'png' | 'jpeg' = 'png'): Promise<Buffer> {
  const { data, width, height } = map(shape);
  const levels = Buffer.from(Array.from(data, d => Math.max(0, Math.min(255, Math.round(scale(d))))));
  return sharp(levels, { raw: { width, height, channels: 1 } })
    [format](format === 'jpeg' ? { quality: 95 } : {})
    .toBuffer();
}

const splice = (file: Buffer, ...segments: [number, Buffer][]): Buffer =>
  Buffer.concat([
    file.subarray(0, 2),
    ...segments.map(([marker, payload]) =>
      Buffer.concat([Buffer.from([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255]), payload]),
    ),
    file.subarray(2),
  ]);

const GUID = '0123456789ABCDEF0123456789ABCDEF';
const NEAR = 0.5;
const FAR = 2.5;

/** Writes GDepth like camera apps: attributes in the main packet, the map in an extended packet split into segments. */
export async function gdepthFile(
  shape: Shape,
  format: 'RangeInverse' | 'RangeLinear',
  options: { near?: number; drop?: boolean } = {},
) {
  const near = options.near ?? NEAR;
  const level =
    format === 'RangeInverse'
      ? (d: number) => (255 * (1 / NEAR - d)) / (1 / NEAR - 1 / FAR)
      : (d: number) => (255 * (1 / d - NEAR)) / (FAR - NEAR);
  const encoded = (await grey(shape, level)).toString('base64');
  const main = xmpPacket(
    `xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" GDepth:Format="${format}" GDepth:Near="${near}" GDepth:Far="${FAR}" GDepth:Mime="image/png" xmpNote:HasExtendedXMP="${GUID}"`,
  );
  const extended = Buffer.from(xmpPacket(`xmlns:d="http://ns.google.com/photos/1.0/depthmap/" d:Data="${encoded}"`));
  const parts: [number, Buffer][] = [];
  for (let at = 0; at < extended.length; at += 20_000) {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(extended.length);
    header.writeUInt32BE(at, 4);
    const name = Buffer.from(`http://ns.adobe.com/xmp/extension/\0${GUID}`, 'latin1');
    parts.push([0xe1, Buffer.concat([name, header, extended.subarray(at, at + 20_000)])]);
  }
  if (options.drop) parts.pop();
  return splice(await jpeg(), xmpSegment(main), ...parts);
}

const apdi = (attributes: string) => xmpPacket(`xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" ${attributes}`);

/** Writes a JPEG followed by others, with an MPF index of their positions. */
export async function mpfFile(...others: Buffer[]): Promise<Buffer> {
  const plain = await jpeg();
  const table = Buffer.alloc(16 * (others.length + 1));
  const ifd = Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08\0\x01\xb0\x02\0\x07', 'latin1'),
    Buffer.alloc(4),
    Buffer.from('\0\0\0\x1a\0\0\0\0', 'latin1'),
  ]);
  ifd.writeUInt32BE(table.length, 14);
  const length = plain.length + 4 + 4 + ifd.length + table.length;
  const base = 2 + 4 + 4;
  let at = length;
  for (const [i, other] of others.entries()) {
    table.writeUInt32BE(other.length, (i + 1) * 16 + 4);
    table.writeUInt32BE(at - base, (i + 1) * 16 + 8);
    at += other.length;
  }
  return Buffer.concat([splice(plain, [0xe2, Buffer.concat([Buffer.from('MPF\0'), ifd, table])]), ...others]);
}

export const disparity = async (
  shape: Shape,
  attributes = 'apdi:AuxiliaryImageType="disparity" apdi:FloatMinValue="0.2" apdi:FloatMaxValue="3.2"',
) => splice(await grey(shape, d => (255 * (d - 0.2)) / 3, 'jpeg'), xmpSegment(apdi(attributes)));

export async function dynamicDepthFile(shape: Shape): Promise<Buffer> {
  const depth = await grey(shape, d => (255 * (1 / NEAR - d)) / (1 / NEAR - 1 / FAR), 'jpeg');
  const gain = await jpeg(20, 20);
  const item = (semantic: string, length: number) =>
    `<rdf:li rdf:parseType="Resource"><C:Item I:Mime="image/jpeg" I:Semantic="${semantic}" I:Length="${length}"/></rdf:li>`;
  const packet = xmpPacket(
    'xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/" xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" GDepth:Format="RangeInverse" GDepth:Near="0.5" GDepth:Far="2.5"',
    `<C:Directory><rdf:Seq>${item('Primary', 0)}${item('GainMap', gain.length)}${item('Depth', depth.length)}</rdf:Seq></C:Directory>`,
  );
  return Buffer.concat([splice(await jpeg(), xmpSegment(packet)), gain, depth]);
}
