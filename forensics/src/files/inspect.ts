import { imageTypeOf, MAX_AV1_PIXELS, maxPixelsOf } from '@firsthand/contract/capture/pictures.ts';
import { boxes, fourcc, primaryItem, view } from './bmff.ts';
import { ImageFault } from './image-fault.ts';
import { heifItems } from './metadata/containers.ts';
import { exifOrientation } from './orientation.ts';
import { isEveryRowThere, type PngHeader } from './png-complete.ts';
import { isEveryPixelThere } from './scan-complete.ts';
import { readWebp } from './webp.ts';

export { ImageFault, type ImageFaultCode } from './image-fault.ts';

export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/heic' | 'image/heif' | 'image/avif';

export interface ImageInfo {
  contentType: ImageType;
  /** Pixels, upright: after the EXIF orientation or the HEIF rotation. */
  width: number;
  height: number;
  /** EXIF orientation 1..8 as found in the file; 1 for HEIF and AVIF, whose rotation is a property of the item. */
  orientation: number;
}

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
  const most = header.maxPixels ?? maxPixelsOf(contentType);
  if (Math.max(header.width * header.height, header.codedPixels ?? 0) > most) {
    const fault = new ImageFault('too_many_pixels', `The picture has more than ${most / 1e6} megapixels.`);
    fault.maxMegapixels = most / 1e6;
    throw fault;
  }
  if (header.isWhole && !(await header.isWhole())) throw truncated();
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
  /** Where it is not that of the type. */
  maxPixels?: number;
  /** Set where the file stops before its end mark: resolves to whether it has every pixel all the same. */
  isWhole?: () => Promise<boolean>;
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
  if (fourcc(bytes, 0) === 'RIFF' && fourcc(bytes, 8) === 'WEBP') return readWebpHeader;
  if (fourcc(bytes, 4) === 'ftyp') return readHeif;
  return undefined;
}

function readWebpHeader(bytes: Uint8Array): Header {
  const { width, height, orientation } = readWebp(bytes);
  return { contentType: 'image/webp', width, height, orientation };
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

/**
 * Walks the markers (ITU-T T.81, annex B) from SOI to the EOI of the first picture. Reads nothing after it. A file without EOI may have
 * every pixel: some programs leave the marker out, some transfers drop the last bytes.
 */
function readJpeg(bytes: Uint8Array): Header {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let width = 0;
  let height = 0;
  let orientation: number | undefined;
  let scans = 0;
  let ended = false;
  let at = 2;
  for (let parts = 0; ; parts++) {
    if (parts > MAX_PARTS) throw undecodable('The JPEG has too many segments.');
    // Decoders skip stray bytes between segments, and real cameras write some.
    at = buffer.indexOf(0xff, at);
    if (at < 0) break;
    while (at < buffer.length && buffer[at] === 0xff) at++;
    if (at >= buffer.length) break;
    const marker = buffer[at++];
    ended = marker === 0xd9;
    if (ended) break;
    if (marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (at + 2 > buffer.length) break;
    const length = buffer.readUInt16BE(at);
    if (length < 2) throw undecodable('A JPEG segment is shorter than its own length.');
    if (at + length > buffer.length) break;
    if (marker === 0xe1 && scans === 0 && buffer.toString('latin1', at + 2, at + 7) === 'Exif\0') {
      // The first block counts, as in browsers. 0 keeps a second one from being read.
      orientation ??= exifOrientation(buffer.subarray(at + 2, at + length)) ?? 0;
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
      if (at < 0) break;
    }
  }
  if (!ended && scans === 0) throw truncated();
  if (scans === 0) throw undecodable('The JPEG has no scan.');
  const header: Header = { contentType: 'image/jpeg', width, height, orientation: orientation || 1 };
  return ended ? header : { ...header, isWhole: () => isEveryPixelThere(bytes) };
}

/** Offset of the marker that ends the entropy-coded data starting at `at`, -1 when the file ends first. */
function endOfScan(buffer: Buffer, at: number): number {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  for (;;) {
    // A call of indexOf costs as much as checking a few dozen bytes, so runs with many 0xff are checked in these loops.
    while (at + 4 <= buffer.length && view.getUint32(at) === 0xff00ff00) at += 4;
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

/** Walks the chunks (PNG 3rd edition, 5.3) from IHDR to IEND. The rows may all be there without IEND. */
function readPng(bytes: Uint8Array): Header {
  const data = view(bytes);
  let png: PngHeader | undefined;
  let orientation: number | undefined;
  const rows: Uint8Array[] = [];
  let ended = false;
  let cut = false;
  for (let at = 8, parts = 0; at + 8 <= bytes.length; parts++) {
    if (parts > MAX_PARTS) throw undecodable('The PNG has too many chunks.');
    const length = data.getUint32(at);
    const type = fourcc(bytes, at + 4);
    if (length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) {
      if (rows.length > 0) break;
      throw undecodable('A PNG chunk is malformed.');
    }
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IDAT' && content.length > 0) rows.push(content);
    cut = type === 'IDAT' && at + 8 + length > bytes.length;
    if (at + 12 + length > bytes.length) break;
    if (!png) {
      if (type !== 'IHDR' || length !== 13) throw undecodable('The PNG does not begin with its header.');
      const [width, height] = [data.getUint32(at + 8), data.getUint32(at + 12)];
      png = { width, height, depth: bytes[at + 16]!, colorType: bytes[at + 17]!, interlaced: bytes[at + 20] === 1 };
    } else if (type === 'eXIf') {
      orientation ??= exifOrientation(content) ?? 0;
    } else if (type === 'IEND') {
      ended = true;
      break;
    }
    at += 12 + length;
  }
  if (!png || (!ended && rows.length === 0)) throw truncated();
  if (rows.length === 0) throw undecodable('The PNG has no picture data.');
  const { width, height } = png;
  const header: Header = { contentType: 'image/png', width, height, orientation: orientation || 1 };
  // Without the last bytes of its data, even only the checksum, the decoder leaves rows out.
  return ended ? header : { ...header, isWhole: async () => !cut && isEveryRowThere(png, rows) };
}

function readHeif(bytes: Uint8Array): Header {
  const contentType = imageTypeOf(bytes);
  if (!contentType) throw new ImageFault('unsupported_type', 'A video or other media file is not accepted.');
  const { list, broken } = boxes(bytes, 0, bytes.length);
  if (!list.some(box => box.type === 'meta' && box.end <= bytes.length)) throw truncated();
  // Bytes after the last box harm nothing, nor does a last box without its end where no picture lies.
  if (broken) {
    const items = heifItems(bytes).filter(({ type }) => type !== 'Exif' && type !== 'mime');
    if (items.length === 0 || items.some(({ cut }) => cut)) throw truncated();
  }
  const item = primaryItem(bytes);
  if (!item) throw undecodable('The HEIF file names no primary picture.');
  const { width, height, codedPixels, av1 } = item;
  const header = { contentType, width, height, orientation: 1, turned: item.turns % 2 === 1, codedPixels };
  return av1 ? { ...header, maxPixels: MAX_AV1_PIXELS } : header;
}
