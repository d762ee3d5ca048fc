import { LIVE_IMAGE_TYPES, type LiveImageType } from '../base/enums.ts';
import { UPLOAD_HARD_CAP_BYTES } from '../base/limits.ts';
import type { PictureStep } from './steps.ts';

// What the service takes as a picture. The capture page asks the same functions before it sends.

/** The media types that a step takes. */
export const acceptedBy = (step: PictureStep): readonly string[] =>
  step.type === 'upload' ? step.accept : LIVE_IMAGE_TYPES;

/** The most bytes that a picture of a step may have. */
export const maxBytesOf = (step: PictureStep): number =>
  step.type === 'upload' ? step.max_size_bytes : UPLOAD_HARD_CAP_BYTES;

/** Returns the registered name of a media type: lower case, without parameters; `image/jpg` is a common slip for `image/jpeg`. */
export function mediaTypeOf(contentType: string): string {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return type === 'image/jpg' || type === 'image/pjpeg' ? 'image/jpeg' : type;
}

/** So many first bytes of a file tell its type and, in nearly every file, its size in pixels. */
const HEAD_BYTES = 512;

const HEVC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];
const HEIF_BRANDS = ['mif1', 'msf1', 'mif2'];

/** Returns a picture's media type by its first {@link HEAD_BYTES}; undefined when the service decodes no such format. */
export function imageTypeOf(head: Uint8Array): LiveImageType | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  const brands = brandsOf(head);
  const has = (wanted: readonly string[]) => wanted.some(brand => brands.includes(brand));
  if (has(['avif', 'avis'])) return 'image/avif';
  if (has(HEVC_BRANDS)) return 'image/heic';
  return has(HEIF_BRANDS) ? 'image/heif' : undefined;
}

/** The brands of the leading `ftyp` box, major brand first; empty when the file does not begin with one. */
function brandsOf(bytes: Uint8Array): string[] {
  const text = (from: number) => String.fromCharCode(...bytes.subarray(from, from + 4));
  if (bytes.length < 12 || text(4) !== 'ftyp') return [];
  const declared = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const end = Math.min(declared, bytes.length, HEAD_BYTES);
  const found: string[] = [];
  // The four bytes after the major brand are a version.
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12) found.push(text(at));
  return found;
}

/** A larger picture is refused before anything is decoded. */
export const MAX_PIXELS = 100_000_000;
/** HEIC and HEIF are decoded whole, at some 11 bytes a pixel. Phones make 48 and 50 megapixels. */
const MAX_HEIF_PIXELS = 52_000_000;
/** AV1 is decoded whole, at 18.4 bytes a pixel (libheif 1.23 with libaom 3.15, measured from 12 to 100 megapixels): 240 MB. */
export const MAX_AV1_PIXELS = 13_000_000;

/** The most pixels that a picture of this type may have. */
export function maxPixelsOf(type: LiveImageType): number {
  if (type === 'image/avif') return MAX_AV1_PIXELS;
  return type === 'image/heic' || type === 'image/heif' ? MAX_HEIF_PIXELS : MAX_PIXELS;
}
