import ExifReader from 'exifreader';
import { readOrientation } from '../orientation.ts';
import {
  type Container,
  containerOf,
  heifItemBytes,
  heifItems,
  jpegSegments,
  type Piece,
  pngChunks,
  startsWith,
  webpChunks,
} from './containers.ts';
import { cameraOf, type ExifTags, exifFields, iptcFields } from './exif.ts';
import { FieldList } from './fields.ts';
import type { MetadataFault, PictureMetadata } from './picture-metadata.ts';
import { readPngText } from './png-text.ts';
import { jpegSize, quantizationHash } from './quantization.ts';
import { readXmp } from './xmp.ts';

interface Blocks {
  exif?: Uint8Array;
  iptc?: Uint8Array;
  xmp: Uint8Array[];
  size?: { width: number; height: number };
  quantization_hash?: string;
}

const MAX_EXIF = 1024 * 1024;
const MAX_XMP = 2 * 1024 * 1024;
const XMP_HEADER = 'http://ns.adobe.com/xap/1.0/\0';
const PNG_XMP = 'XML:com.adobe.xmp';

/**
 * Reads EXIF, XMP, IPTC and PNG text of a JPEG, PNG, WebP, HEIC or AVIF. The sizes above bound work and memory, whatever the file claims.
 * Never rejects: it names an unreadable block in `faults` and returns the rest.
 *
 * @param contentType not trusted; the bytes determine the container.
 */
export async function readMetadata(bytes: Uint8Array, _contentType?: string): Promise<PictureMetadata> {
  const list = new FieldList();
  const faults: MetadataFault[] = [];
  const attempt = <T>(code: MetadataFault['code'], read: () => T): T | undefined => {
    try {
      return read();
    } catch (fault) {
      faults.push({ code, message: fault instanceof Error ? fault.message.slice(0, 200) : 'unreadable' });
      return undefined;
    }
  };
  const container = containerOf(bytes);
  const blocks = attempt('container_unreadable', () => locate(bytes, container, list)) ?? { xmp: [] };
  const tags = blocks.exif && attempt('exif_unreadable', () => parseExif(blocks.exif!));
  const iptc = blocks.iptc && attempt('iptc_unreadable', () => parseIptc(blocks.iptc!));
  if (tags) exifFields(tags, list);
  if (iptc) iptcFields(iptc, list);
  for (const packet of blocks.xmp) {
    const read = packet.length <= MAX_XMP && readXmp(Buffer.from(packet).toString('utf8'), list);
    if (!read) faults.push({ code: 'xmp_unreadable', message: 'not a well-formed XMP packet' });
  }
  const camera = tags ? attempt('exif_unreadable', () => cameraOf(tags)) : undefined;
  const orientation = blocks.exif && readOrientation(blocks.exif);
  const thumbnail = tags?.Thumbnail?.image;
  return {
    ...camera,
    ...(orientation && { orientation }),
    ...(blocks.size && { size: blocks.size }),
    ...(blocks.quantization_hash && { quantization_hash: blocks.quantization_hash }),
    thumbnail: Boolean(thumbnail),
    ...(thumbnail && { thumbnail_bytes: Uint8Array.from(thumbnail as Buffer) }),
    fields: list.fields,
    faults,
  };
}

function locate(bytes: Uint8Array, container: Container, fields: FieldList): Blocks {
  if (container === 'jpeg') return locateInJpeg(bytes);
  if (container === 'png') return locateInPng(bytes, fields);
  if (container === 'webp') return locateInWebp(bytes);
  if (container === 'bmff') return locateInHeif(bytes);
  return { xmp: [] };
}

function locateInJpeg(bytes: Uint8Array): Blocks {
  const segments = jpegSegments(bytes);
  const blocks: Blocks = {
    xmp: [],
    size: jpegSize(bytes, segments),
    quantization_hash: quantizationHash(bytes, segments),
  };
  for (const { type, start, end } of segments) {
    if (type === 'ffe1' && startsWith(bytes, start, 'Exif\0')) blocks.exif ??= bytes.subarray(start + 6, end);
    else if (type === 'ffe1' && startsWith(bytes, start, XMP_HEADER) && blocks.xmp.length < 4)
      blocks.xmp.push(bytes.subarray(start + XMP_HEADER.length, end));
    else if (type === 'ffed' && startsWith(bytes, start, 'Photoshop 3.0\0')) blocks.iptc ??= bytes.subarray(start, end);
  }
  return blocks;
}

function locateInPng(bytes: Uint8Array, fields: FieldList): Blocks {
  const chunks = pngChunks(bytes);
  const blocks: Blocks = { xmp: [] };
  const header = chunks[0];
  if (header?.type === 'IHDR' && header.end - header.start >= 8) {
    const data = new DataView(bytes.buffer, bytes.byteOffset);
    blocks.size = { width: data.getUint32(header.start), height: data.getUint32(header.start + 4) };
  }
  readPngText(bytes, chunks, fields);
  for (const { type, start, end } of chunks) if (type === 'eXIf') blocks.exif ??= bounded(bytes, { type, start, end });
  const xmp = fields.fields.findIndex(field => field.source === 'png' && field.name === PNG_XMP);
  if (xmp >= 0) blocks.xmp.push(Buffer.from(fields.fields.splice(xmp, 1)[0]!.value));
  return blocks;
}

function locateInWebp(bytes: Uint8Array): Blocks {
  const blocks: Blocks = { xmp: [] };
  for (const chunk of webpChunks(bytes)) {
    if (chunk.type === 'EXIF') blocks.exif ??= withoutExifHeader(bounded(bytes, chunk));
    else if (chunk.type === 'XMP ' && blocks.xmp.length < 4) blocks.xmp.push(bytes.subarray(chunk.start, chunk.end));
    else if (chunk.type === 'VP8X' && chunk.end - chunk.start >= 10) {
      const at = chunk.start + 4;
      const read = (i: number) => 1 + (bytes[at + i]! | (bytes[at + i + 1]! << 8) | (bytes[at + i + 2]! << 16));
      blocks.size = { width: read(0), height: read(3) };
    }
  }
  return blocks;
}

function locateInHeif(bytes: Uint8Array): Blocks {
  const blocks: Blocks = { xmp: [] };
  for (const item of heifItems(bytes)) {
    if (item.type === 'Exif') {
      const data = heifItemBytes(bytes, item, MAX_EXIF);
      if (!data || data.length < 4) continue;
      const skip = new DataView(data.buffer, data.byteOffset).getUint32(0);
      if (skip + 4 < data.length) blocks.exif ??= data.subarray(4 + skip);
    } else if (item.type === 'mime' && item.contentType === 'application/rdf+xml' && blocks.xmp.length < 4) {
      const data = heifItemBytes(bytes, item, MAX_XMP);
      if (data) blocks.xmp.push(data);
    }
  }
  return blocks;
}

const bounded = (bytes: Uint8Array, piece: Piece): Uint8Array =>
  bytes.subarray(piece.start, Math.min(piece.end, piece.start + MAX_EXIF));

const withoutExifHeader = (block: Uint8Array): Uint8Array =>
  startsWith(block, 0, 'Exif\0\0') ? block.subarray(6) : block;

/** The library reads a standalone TIFF block. Copies it, so that no offset can point into the rest of the picture. */
function parseExif(block: Uint8Array): ExifTags {
  return ExifReader.load(new Uint8Array(block).buffer, { expanded: true });
}

/** The library finds IPTC in JPEG files only, so this wraps the segment in a JPEG. */
function parseIptc(segment: Uint8Array): ExifTags {
  const length = segment.length + 2;
  const file = new Uint8Array(segment.length + 8);
  file.set([0xff, 0xd8, 0xff, 0xed, length >> 8, length & 255]);
  file.set(segment, 6);
  file.set([0xff, 0xd9], segment.length + 6);
  return ExifReader.load(file.buffer, { expanded: true });
}
