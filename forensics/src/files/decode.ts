import { MAX_PIXELS } from '@firsthand/contract/capture/pictures.ts';
import sharp, { type Sharp } from 'sharp';
import { halved, type Picture } from '../pixels/picture.ts';
import { coarseJpeg } from './coarse-jpeg.ts';
import { ImageFault, type ImageInfo, inspect } from './inspect.ts';
import { decodeAllOf, type Strictness, terminated } from './missing-scan.ts';
import { withEnd } from './png-complete.ts';
import { withRightSize } from './webp.ts';

/**
 * Pictures over this many pixels are decoded at half their width and height, and over four times as many at a quarter.
 * The decoder shrinks JPEG as it reads, and PNG row by row, so the whole picture is never in memory. A large JPEG of
 * several scans is decoded at an eighth; see `coarse-jpeg.ts`.
 */
export const FULL_PIXELS = 24_000_000;

/** The factor by which decoding shrinks a picture's sides: 1, 2 or 4. */
export function shrinkOnLoad({ width, height }: Pick<ImageInfo, 'width' | 'height'>): number {
  const pixels = width * height;
  if (pixels <= FULL_PIXELS) return 1;
  return pixels <= 4 * FULL_PIXELS ? 2 : 4;
}

/** A larger picture is analysed with no other beside it, because its analysis takes up to 450 MB. */
const LARGE_PIXELS = 16_000_000;
/** The same for an AVIF over this many pixels: its decoder takes six times its pixels. */
const LARGE_AVIF_PIXELS = 4_000_000;

export const isLarge = ({ width, height, contentType }: Pick<ImageInfo, 'width' | 'height' | 'contentType'>): boolean =>
  width * height > (contentType === 'image/avif' ? LARGE_AVIF_PIXELS : LARGE_PIXELS);

/** Longest side of a preview. */
const PREVIEW_SIDE = 1600;

/**
 * A picture opened for decoding. HEIC and HEIF are decoded once and kept in memory: libheif in WebAssembly does it, because the prebuilt
 * libvips has no HEVC decoder. libvips reads everything else.
 */
interface Source {
  /** The factor by which decoding shrinks the sides. */
  factor: number;
  /** Creates a new pipeline in sRGB without alpha; upright unless `asStored`. */
  pipeline(o?: { asStored?: boolean; failOn?: Strictness }): Sharp;
}

async function open(bytes: Uint8Array, info: ImageInfo): Promise<Source> {
  if (info.contentType === 'image/heic' || info.contentType === 'image/heif') {
    const decoded = await decodeHeif(bytes);
    if (decoded) {
      const raw = { width: decoded.width, height: decoded.height, channels: 4 as const };
      return {
        factor: shrinkOnLoad(info),
        pipeline: () => sharp(decoded.data, { raw, limitInputPixels: MAX_PIXELS }).removeAlpha(),
      };
    }
  }
  const isJpeg = info.contentType === 'image/jpeg';
  const coarse = isJpeg ? coarseJpeg(bytes) : undefined;
  const whole = isJpeg ? terminated(coarse ?? bytes) : mended(bytes, info.contentType);
  return {
    factor: coarse ? 8 : shrinkOnLoad(info),
    pipeline: ({ asStored = false, failOn = 'none' } = {}) => {
      const opened = sharp(whole, { failOn, limitInputPixels: MAX_PIXELS, sequentialRead: true });
      const turned = asStored ? opened : turnUpright(opened, info.orientation);
      return turned.flatten({ background: '#808080' }).toColourspace('srgb');
    },
  };
}

/** Returns the file as the decoder takes it, which is stricter than `inspect` about what follows the pixels. */
export function mended(bytes: Uint8Array, contentType: string): Uint8Array {
  if (contentType === 'image/webp') return withRightSize(bytes);
  return contentType === 'image/png' ? withEnd(bytes) : bytes;
}

/** Decodes the primary picture to RGBA with libheif, rotated as the file says; undefined when libheif cannot decode it. */
async function decodeHeif(bytes: Uint8Array): Promise<{ data: Buffer; width: number; height: number } | undefined> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js');
  const images = new libheif.HeifDecoder().decode(bytes);
  try {
    const image = images.find(one => one.is_primary()) ?? images[0];
    if (!image) return undefined;
    const width = image.get_width();
    const height = image.get_height();
    if (width * height > MAX_PIXELS)
      throw new ImageFault('too_many_pixels', 'The picture has more than 100 megapixels.');
    const target = { data: new Uint8ClampedArray(width * height * 4), width, height };
    const shown = await new Promise<boolean>(resolve => image.display(target, result => resolve(result !== null)));
    return shown ? { data: Buffer.from(target.data.buffer), width, height } : undefined;
  } finally {
    for (const image of images) image.free();
  }
}

function undecodable(cause: unknown): ImageFault {
  if (cause instanceof ImageFault) return cause;
  return new ImageFault('undecodable', 'The picture could not be decoded.', { cause });
}

export interface Decoded {
  info: ImageInfo;
  /** The whole picture, shrunk if it is large. */
  picture: Picture;
}

/**
 * Decodes a picture to upright 8-bit sRGB, shrunk above {@link FULL_PIXELS}. Blends alpha onto mid grey and takes the
 * first frame of an animation. Decodes damaged data as far as possible, as browsers do, but no picture of which a part
 * is missing.
 *
 * @throws ImageFault as `inspect` does, `truncated` when a part is missing, and `undecodable` when the decoder gives up.
 */
export async function decode(bytes: Uint8Array): Promise<Decoded> {
  const info = await inspect(bytes);
  return { info, picture: await decodePicture(bytes, info) };
}

/**
 * Encodes a decoded picture as JPEG, at most 1600 pixels a side, without metadata. Reads its pixels on another thread
 * until the promise is settled: do not release them before.
 */
export function previewOf(picture: Picture): Promise<Buffer> {
  const source = Math.max(picture.width, picture.height) >= 2 * PREVIEW_SIDE ? halved(picture) : picture;
  const raw = { width: source.width, height: source.height, channels: 3 as const };
  return encodePreview(sharp(source.data, { raw, limitInputPixels: MAX_PIXELS }));
}

/** Like `decode`, of an inspected picture. */
export async function decodePicture(bytes: Uint8Array, info: ImageInfo): Promise<Picture> {
  try {
    const source = await open(bytes, info);
    return await decodeAllOf(async failOn => {
      if (source.factor > 1) return decodeShrunk(source, info, failOn);
      const pixels = source.pipeline({ failOn }).raw({ depth: 'uchar' });
      const { data, info: out } = await pixels.toBuffer({ resolveWithObject: true });
      if (out.channels === 3) return { width: out.width, height: out.height, data };
      return { width: out.width, height: out.height, data: spread(data, out.channels) };
    });
  } catch (cause) {
    throw undecodable(cause);
  }
}

/** The EXIF orientations in sharp's terms: mirror first, then rotate. */
const UPRIGHT: Readonly<Record<number, { flip?: boolean; flop?: boolean; turn: number }>> = {
  2: { flop: true, turn: 0 },
  3: { turn: 180 },
  4: { flip: true, turn: 0 },
  5: { flop: true, turn: 270 },
  6: { turn: 90 },
  7: { flop: true, turn: 90 },
  8: { turn: 270 },
};

/** Rotates the picture after shrinking it. Otherwise the decoder needs the whole picture before it can output the first rotated row. */
async function decodeShrunk(source: Source, info: ImageInfo, failOn: Strictness): Promise<Picture> {
  const { width, height, orientation } = info;
  const { factor } = source;
  const [storedWidth, storedHeight] = orientation >= 5 ? [height, width] : [width, height];
  const { data, info: out } = await source
    .pipeline({ asStored: true, failOn })
    // Rounded up like a JPEG decoder's shrink, so nothing is left to resample.
    .resize({ width: Math.ceil(storedWidth / factor), height: Math.ceil(storedHeight / factor), fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels = out.channels === 3 ? data : spread(data, out.channels);
  return uprightOf({ width: out.width, height: out.height, data: pixels }, orientation);
}

/**
 * Mirrors and turns what a pipeline reads, as an orientation of `inspect` says. Never `autoOrient`: the decoder's own reader of EXIF takes
 * the last block where `inspect` takes the first, and passes over what it does not expect.
 */
export function turnUpright(pipeline: Sharp, orientation: number): Sharp {
  const upright = UPRIGHT[orientation];
  if (!upright) return pipeline;
  return pipeline
    .flip(upright.flip ?? false)
    .flop(upright.flop ?? false)
    .rotate(upright.turn);
}

/** Mirrors and turns a picture as its EXIF orientation says. */
export async function uprightOf(picture: Picture, orientation: number): Promise<Picture> {
  if (!UPRIGHT[orientation]) return picture;
  const raw = { width: picture.width, height: picture.height, channels: 3 as const };
  const turned = await turnUpright(sharp(picture.data, { raw, limitInputPixels: MAX_PIXELS }), orientation)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: turned.info.width, height: turned.info.height, data: turned.data };
}

/** Converts grey (one channel), or more than three channels, to three. */
function spread(data: Uint8Array, channels: number): Uint8Array {
  const pixels = data.length / channels;
  const rgb = new Uint8Array(pixels * 3);
  for (let i = 0; i < pixels; i++) {
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = data[i * channels + (channels >= 3 ? c : 0)];
  }
  return rgb;
}

function encodePreview(pipeline: Sharp): Promise<Buffer> {
  return (
    pipeline
      .resize({ width: PREVIEW_SIDE, height: PREVIEW_SIDE, fit: 'inside', withoutEnlargement: true })
      // Optimised Huffman tables would save 1% of the bytes and take as long as all other steps together.
      .jpeg({ quality: 80, optimiseCoding: false })
      .toBuffer()
  );
}

/** Types that most browsers cannot show. */
export const NOT_IN_BROWSERS: ReadonlySet<string> = new Set(['image/heic', 'image/heif']);

/** Encodes all pixels of a decoded picture as JPEG, close enough to the original to look at single pixels. */
export function encodeDisplay({ width, height, data }: Picture): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: MAX_PIXELS })
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4', optimiseCoding: false })
    .toBuffer();
}

/**
 * Makes an upright JPEG of at most 1600 pixels a side, without metadata (so without position and device).
 *
 * @throws ImageFault like `decode`.
 */
export async function makePreview(bytes: Uint8Array): Promise<Buffer> {
  const info = await inspect(bytes);
  try {
    const source = await open(bytes, info);
    return await encodePreview(source.pipeline());
  } catch (cause) {
    throw undecodable(cause);
  }
}
