import { boxes, brands, fourcc, primaryItem } from './bmff.ts';
import { readOrientation } from './orientation.ts';

export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/heic' | 'image/heif' | 'image/avif';

export interface ImageInfo {
  contentType: ImageType;
  /** Pixels, upright: after the EXIF orientation or the HEIF rotation. */
  width: number;
  height: number;
  /** EXIF orientation 1..8 as found in the file; 1 for HEIF and AVIF, whose rotation is a property of the item. */
  orientation: number;
}

export type ImageFaultCode = 'not_an_image' | 'unsupported_type' | 'truncated' | 'too_many_pixels' | 'undecodable';

/** The reason why a picture was refused. The message is safe to show to the sender. */
export class ImageFault extends Error {
  readonly code: ImageFaultCode;
  /** For `too_many_pixels`: the most that a picture of this kind may have. */
  maxMegapixels?: number;
  constructor(code: ImageFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImageFault';
    this.code = code;
  }
}

/** A larger picture is refused before anything is decoded. */
export const MAX_PIXELS = 100_000_000;
/** HEIC and HEIF are decoded whole, at some 11 bytes a pixel. Phones make 48 and 50 megapixels. */
const MAX_HEIF_PIXELS = 52_000_000;
/** AV1 is decoded whole, at 18.4 bytes a pixel (libheif 1.23 with libaom 3.15, measured from 12 to 100 megapixels): 240 MB. */
const MAX_AV1_PIXELS = 13_000_000;

/** Maximum segments or chunks of a file. PNG writers split 25 MB into about 3,000; far more only cost time. */
const MAX_PARTS = 20_000;

/**
 * Detects a picture's type by its content, never by a name or a header. Reads only its structure: it decodes nothing,
 * allocates no buffer, and takes a few milliseconds at most for a file of some megabytes.
 *
 * @throws ImageFault `not_an_image`, `unsupported_type` (GIF, SVG, TIFF ...), `truncated` (the file ends before its
 * structure does), `undecodable` (a header no decoder takes), `too_many_pixels` (over 100 megapixels; HEIC and HEIF 52, AVIF 13).
 */
export async function inspect(bytes: Uint8Array): Promise<ImageInfo> {
  const header = readHeader(bytes);
  const { contentType, orientation } = header;
  if (header.width < 1 || header.height < 1) throw new ImageFault('undecodable', 'The picture has no pixels.');
  const most = header.maxPixels ?? MAX_PIXELS;
  if (Math.max(header.width * header.height, header.codedPixels ?? 0) > most) {
    const fault = new ImageFault('too_many_pixels', `The picture has more than ${most / 1e6} megapixels.`);
    fault.maxMegapixels = most / 1e6;
    throw fault;
  }
  const turned = orientation >= 5 || header.turned === true;
  return turned
    ? { contentType, width: header.height, height: header.width, orientation }
    : { contentType, width: header.width, height: header.height, orientation };
}

interface Header {
  contentType: ImageType;
  width: number;
  height: number;
  orientation: number;
  turned?: boolean;
  /** Where a decoder holds another number of pixels than the picture shows. */
  codedPixels?: number;
  /** Where it is not MAX_PIXELS. */
  maxPixels?: number;
}

function readHeader(bytes: Uint8Array): Header {
  const read = readerOf(bytes);
  if (read) return read(bytes);
  const other = otherType(bytes);
  if (other)
    throw new ImageFault('unsupported_type', `${other} is not accepted; send JPEG, PNG, WebP, HEIC, HEIF or AVIF.`);
  throw new ImageFault('not_an_image', 'The bytes are not a picture.');
}

/** The first bytes of a file that {@link startsLikePicture} looks at. */
export const SIGNATURE_BYTES = 12;

/** True when a file that begins so can be a picture of a type we take. */
export const startsLikePicture = (first: Uint8Array): boolean => readerOf(first) !== undefined;

function readerOf(bytes: Uint8Array): ((bytes: Uint8Array) => Header) | undefined {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return readJpeg;
  if (startsWith(bytes, PNG_SIGNATURE)) return readPng;
  if (fourcc(bytes, 0) === 'RIFF' && fourcc(bytes, 8) === 'WEBP') return readWebp;
  if (fourcc(bytes, 4) === 'ftyp') return readHeif;
  return undefined;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return bytes.length >= signature.length && signature.every((byte, i) => bytes[i] === byte);
}

function otherType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1');
  if (/^GIF8[79]a/.test(head)) return 'GIF';
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return 'TIFF';
  if (head.startsWith('BM') && bytes.length > 26) return 'BMP';
  if (head.startsWith('%PDF-')) return 'PDF';
  if (head.startsWith('\xff\x0a') || head.startsWith('\0\0\0\x0cJXL ')) return 'JPEG XL';
  if (head.startsWith('\0\0\0\x0cjP')) return 'JPEG 2000';
  if (head.startsWith('8BPS')) return 'Photoshop';
  if (/<svg[\s>]/i.test(head)) return 'SVG';
  if (/^\s*(<!doctype html|<html)/i.test(head)) return 'HTML';
  return undefined;
}

const truncated = (): ImageFault => new ImageFault('truncated', 'The picture ends before it is complete.');
const undecodable = (why: string): ImageFault => new ImageFault('undecodable', why);

/** Walks the markers (ITU-T T.81, annex B) from SOI to the EOI of the first picture. Reads nothing after it. */
function readJpeg(bytes: Uint8Array): Header {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let width = 0;
  let height = 0;
  let orientation = 1;
  let scans = 0;
  let at = 2;
  for (let parts = 0; ; parts++) {
    if (parts > MAX_PARTS) throw undecodable('The JPEG has too many segments.');
    // Decoders skip stray bytes between segments, and real cameras write some.
    at = buffer.indexOf(0xff, at);
    if (at < 0) throw truncated();
    while (at < buffer.length && buffer[at] === 0xff) at++;
    if (at >= buffer.length) throw truncated();
    const marker = buffer[at++];
    if (marker === 0xd9) break;
    if (marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (at + 2 > buffer.length) throw truncated();
    const length = buffer.readUInt16BE(at);
    if (length < 2) throw undecodable('A JPEG segment is shorter than its own length.');
    if (at + length > buffer.length) throw truncated();
    if (marker === 0xe1 && orientation === 1 && buffer.toString('latin1', at + 2, at + 8) === 'Exif\0\0') {
      orientation = readOrientation(buffer.subarray(at + 8, at + length)) ?? 1;
    } else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (width > 0) throw undecodable('The JPEG has two frame headers.');
      if (length < 8) throw undecodable('The JPEG frame header is too short.');
      if (marker === 0xc3 || marker > 0xca || (marker >= 0xc5 && marker <= 0xc7)) {
        throw undecodable('Lossless and hierarchical JPEG are not decoded.');
      }
      if (buffer[at + 2] !== 8) throw undecodable('Only JPEG with 8 bits a sample is decoded.');
      height = buffer.readUInt16BE(at + 3);
      width = buffer.readUInt16BE(at + 5);
      const components = buffer[at + 7];
      if (components !== 1 && components !== 3 && components !== 4) throw undecodable('Unknown JPEG colour layout.');
      if (width === 0 || height === 0) throw undecodable('The JPEG has no pixels.');
    }
    at += length;
    if (marker === 0xda) {
      if (width === 0) throw undecodable('The JPEG has a scan before its frame header.');
      scans++;
      at = endOfScan(buffer, at);
      if (at < 0) throw truncated();
    }
  }
  if (scans === 0) throw undecodable('The JPEG has no scan.');
  return { contentType: 'image/jpeg', width, height, orientation };
}

/** Offset of the marker that ends the entropy-coded data starting at `at`, -1 when the file ends first. */
function endOfScan(buffer: Buffer, at: number): number {
  for (;;) {
    // A call of indexOf costs as much as checking a few dozen bytes, so runs with many 0xff are checked in this loop.
    while (buffer[at] === 0xff && buffer[at + 1] === 0x00) at += 2;
    const near = Math.min(at + 64, buffer.length);
    while (at < near && buffer[at] !== 0xff) at++;
    if (at === near) at = buffer.indexOf(0xff, at);
    if (at < 0 || at + 1 >= buffer.length) return -1;
    const next = buffer[at + 1];
    if (next === 0x00 || (next >= 0xd0 && next <= 0xd7)) at += 2;
    else if (next === 0xff) at++;
    else return at;
  }
}

/** Walks the chunks (PNG 3rd edition, 5.3) from IHDR to IEND. */
function readPng(bytes: Uint8Array): Header {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let width = 0;
  let height = 0;
  let orientation = 1;
  let hasData = false;
  for (let at = 8, first = true, parts = 0; ; first = false, parts++) {
    if (parts > MAX_PARTS) throw undecodable('The PNG has too many chunks.');
    if (at + 12 > bytes.length) throw truncated();
    const length = data.getUint32(at);
    const type = fourcc(bytes, at + 4);
    if (length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) throw undecodable('A PNG chunk is malformed.');
    if (at + 12 + length > bytes.length) throw truncated();
    if (first) {
      if (type !== 'IHDR' || length !== 13) throw undecodable('The PNG does not begin with its header.');
      width = data.getUint32(at + 8);
      height = data.getUint32(at + 12);
    } else if (type === 'IDAT') {
      hasData = true;
    } else if (type === 'eXIf') {
      orientation = readOrientation(bytes.subarray(at + 8, at + 8 + length)) ?? 1;
    } else if (type === 'IEND') {
      break;
    }
    at += 12 + length;
  }
  if (!hasData) throw undecodable('The PNG has no picture data.');
  return { contentType: 'image/png', width, height, orientation };
}

/** Walks the RIFF chunks of WebP (RFC 9649). */
function readWebp(bytes: Uint8Array): Header {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = data.getUint32(4, true) + 8;
  if (end > bytes.length) throw truncated();
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasData = false;
  for (let at = 12, parts = 0; at + 8 <= end; parts++) {
    if (parts > MAX_PARTS) throw undecodable('The WebP has too many chunks.');
    const type = fourcc(bytes, at);
    const length = data.getUint32(at + 4, true);
    const body = at + 8;
    if (body + length > end) throw truncated();
    if (type === 'VP8X' && length >= 10) {
      size = { width: 1 + uint24(bytes, body + 4), height: 1 + uint24(bytes, body + 7) };
    } else if (type === 'VP8 ') {
      if (length < 10 || uint24(bytes, body + 3) !== 0x2a019d) throw undecodable('The WebP frame header is malformed.');
      size ??= { width: data.getUint16(body + 6, true) & 0x3fff, height: data.getUint16(body + 8, true) & 0x3fff };
      hasData = true;
    } else if (type === 'VP8L') {
      if (length < 5 || bytes[body] !== 0x2f) throw undecodable('The WebP frame header is malformed.');
      const bits = data.getUint32(body + 1, true);
      size ??= { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
      hasData = true;
    } else if (type === 'ANMF') {
      hasData = true;
    } else if (type === 'EXIF') {
      const exif = bytes.subarray(body, body + length);
      const prefixed = fourcc(exif, 0) === 'Exif';
      orientation = readOrientation(prefixed ? exif.subarray(6) : exif) ?? 1;
    }
    at = body + length + (length & 1);
  }
  if (!size || !hasData) throw undecodable('The WebP has no picture data.');
  return { contentType: 'image/webp', ...size, orientation };
}

function uint24(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
}

const HEVC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];

function readHeif(bytes: Uint8Array): Header {
  const found = brands(bytes);
  const known = new Set(found);
  let contentType: ImageType;
  if (known.has('avif') || known.has('avis')) contentType = 'image/avif';
  else if (HEVC_BRANDS.some(brand => known.has(brand))) contentType = 'image/heic';
  else if (known.has('mif1') || known.has('msf1') || known.has('mif2')) contentType = 'image/heif';
  else throw new ImageFault('unsupported_type', 'A video or other media file is not accepted.');
  const { list, broken } = boxes(bytes, 0, bytes.length);
  if (broken) throw truncated();
  if (!list.some(box => box.type === 'meta')) throw truncated();
  const item = primaryItem(bytes);
  if (!item) throw undecodable('The HEIF file names no primary picture.');
  const { width, height, codedPixels, av1 } = item;
  const maxPixels = av1 || contentType === 'image/avif' ? MAX_AV1_PIXELS : MAX_HEIF_PIXELS;
  return { contentType, width, height, orientation: 1, turned: item.turns % 2 === 1, codedPixels, maxPixels };
}
