import { jpegSegments, startsWith } from '../files/metadata/containers.ts';
import { FieldList } from '../files/metadata/fields.ts';
import { readXmp, xmpProperty } from '../files/metadata/xmp.ts';
import { appleScale } from './apple.ts';
import type { FoundDepthMap } from './found.ts';
import { decodeLevels, type Scale, toInverseDepth } from './levels.ts';

const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED = 'http://ns.adobe.com/xmp/extension/\0';
const GDEPTH = 'http://ns.google.com/photos/1.0/depthmap/';
const MAX_EXTENDED = 16 * 1024 * 1024;
const MAX_IMAGES = 16;

interface Packets {
  main?: string;
  /** The reassembled packet; undefined when parts are missing or do not match. */
  extended?: string;
}

/**
 * Reads a JPEG's depth map: Apple's in the multi-picture file (MPF), Google's in XMP (GDepth), or one appended to the file (Dynamic Depth).
 */
export async function readJpegDepth(bytes: Uint8Array): Promise<FoundDepthMap | undefined> {
  const packets = readPackets(bytes, 0);
  const fields = new FieldList();
  if (packets.main) readXmp(packets.main, fields);
  const value = (name: string) => fields.fields.find(field => field.name === name)?.value;
  return (
    (await readApple(bytes)) ?? (await readGDepth(packets, value)) ?? (await readDynamicDepth(bytes, fields, value))
  );
}

function readPackets(bytes: Uint8Array, from: number): Packets {
  const packets: Packets = {};
  const parts: { at: number; data: Uint8Array }[] = [];
  let total: number | undefined;
  for (const { type, start, end } of jpegSegments(bytes, from)) {
    if (type !== 'ffe1') continue;
    if (startsWith(bytes, start, XMP))
      packets.main ??= Buffer.from(bytes.subarray(start + XMP.length, end)).toString('utf8');
    if (!startsWith(bytes, start, EXTENDED) || end - start < EXTENDED.length + 40) continue;
    const header = new DataView(bytes.buffer, bytes.byteOffset + start + EXTENDED.length + 32, 8);
    total ??= header.getUint32(0);
    parts.push({ at: header.getUint32(4), data: bytes.subarray(start + EXTENDED.length + 40, end) });
  }
  if (total !== undefined && total <= MAX_EXTENDED) packets.extended = assemble(parts, total);
  return packets;
}

function assemble(parts: { at: number; data: Uint8Array }[], total: number): string | undefined {
  const sum = parts.reduce((length, part) => length + part.data.length, 0);
  if (sum !== total || parts.some(part => part.at + part.data.length > total)) return undefined;
  const whole = new Uint8Array(total);
  for (const { at, data } of parts) whole.set(data, at);
  return Buffer.from(whole).toString('utf8');
}

/** Finds the other pictures of a CIPA DC-007 multi-picture file by the index in APP2. */
function mpfImages(bytes: Uint8Array): { start: number; end: number }[] {
  const segment = jpegSegments(bytes).find(({ type, start }) => type === 'ffe2' && startsWith(bytes, start, 'MPF\0'));
  if (!segment) return [];
  const base = segment.start + 4;
  const data = new DataView(bytes.buffer, bytes.byteOffset, segment.end);
  const little = data.getUint16(base) === 0x4949;
  const u16 = (at: number) => data.getUint16(at, little);
  const u32 = (at: number) => data.getUint32(at, little);
  const images: { start: number; end: number }[] = [];
  const ifd = base + u32(base + 4);
  for (let i = 0; i < u16(ifd); i++) {
    const entry = ifd + 2 + i * 12;
    if (u16(entry) !== 0xb002) continue;
    const count = Math.min(u32(entry + 4) / 16, MAX_IMAGES);
    const table = base + u32(entry + 8);
    for (let k = 1; k < count; k++) {
      const start = base + u32(table + k * 16 + 8);
      const end = start + u32(table + k * 16 + 4);
      if (start > base && end <= bytes.length && startsWith(bytes, start, '\xff\xd8')) images.push({ start, end });
    }
  }
  return images;
}

async function readApple(bytes: Uint8Array): Promise<FoundDepthMap | undefined> {
  let images: { start: number; end: number }[];
  try {
    images = mpfImages(bytes);
  } catch (fault) {
    if (fault instanceof RangeError) return undefined;
    throw fault;
  }
  for (const { start, end } of images) {
    const packet = readPackets(bytes, start).main;
    const scale = packet && appleScale(packet);
    if (!scale) continue;
    const levels = await decodeLevels(bytes.subarray(start, end));
    const map = levels && toInverseDepth(levels, scale);
    if (map) return { source: 'apple_disparity', map };
  }
  return undefined;
}

type Value = (name: string) => string | undefined;

const number = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));

/** `RangeInverse` levels go from 1/near down to 1/far, `RangeLinear` levels from near to far. */
function googleScale(format: string | undefined, near: number | undefined, far: number | undefined): Scale | undefined {
  const sane = near !== undefined && far !== undefined && near > 0 && far > near;
  if (format === 'RangeInverse')
    return sane ? { kind: 'inverse', bottom: 1 / near, top: 1 / far } : { kind: 'inverse' };
  if (format === 'RangeLinear' && sane) return { kind: 'distance', bottom: near, top: far };
  return undefined;
}

async function readGDepth(packets: Packets, value: Value): Promise<FoundDepthMap | undefined> {
  const scale = googleScale(value('GDepth:Format'), number(value('GDepth:Near')), number(value('GDepth:Far')));
  if (!scale) return undefined;
  const encoded =
    (packets.extended && xmpProperty(packets.extended, GDEPTH, 'Data')) ??
    (packets.main && xmpProperty(packets.main, GDEPTH, 'Data'));
  if (!encoded) return undefined;
  const levels = await decodeLevels(Buffer.from(encoded, 'base64'));
  const map = levels && toInverseDepth(levels, scale);
  return map && { source: 'gdepth', map };
}

/** Dynamic Depth 1.0: the container directory lists the appended items in order with their lengths, up to the end of the file. */
async function readDynamicDepth(
  bytes: Uint8Array,
  fields: FieldList,
  value: Value,
): Promise<FoundDepthMap | undefined> {
  const items = new Map<string, Record<string, string>>();
  for (const { name, value: text } of fields.fields) {
    const part = name.match(/^Container:Directory(\[\d+\])?\/(?:Container:Item\/)?Item:(\w+)$/);
    if (!part) continue;
    const item = items.get(part[1] ?? '') ?? {};
    item[part[2]!] = text;
    items.set(part[1] ?? '', item);
  }
  const list = [...items.values()].slice(0, MAX_IMAGES);
  let end = bytes.length;
  let found: { start: number; end: number } | undefined;
  for (const item of list.slice(1).reverse()) {
    const length = Number(item.Length);
    const padding = Number(item.Padding ?? 0);
    if (!Number.isInteger(length) || length <= 0 || !(padding >= 0) || length + padding > end) return undefined;
    end -= padding;
    if (/(^|:)depth$/i.test(item.Semantic ?? item.DataURI ?? '')) found = { start: end - length, end };
    end -= length;
  }
  if (!found) return undefined;
  const scaled = (name: string) =>
    fields.fields.find(field => field.name.endsWith(`DepthMap:${name}`))?.value ?? value(`GDepth:${name}`);
  const scale = googleScale(scaled('Format'), number(scaled('Near')), number(scaled('Far')));
  const levels = scale && (await decodeLevels(bytes.subarray(found.start, found.end)));
  const map = levels && toInverseDepth(levels, scale);
  return map && { source: 'dynamic_depth', map };
}
