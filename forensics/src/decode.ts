import sharp, { type Sharp } from 'sharp';
import { ImageFault, type ImageInfo, inspect, MAX_PIXELS } from './inspect.ts';
import { halved, type Picture } from './picture.ts';

/** Longest side of a preview. */
const PREVIEW_SIDE = 1600;

/**
 * A picture opened for decoding. HEIC and HEIF are decoded once (libheif in WebAssembly, since the prebuilt libvips has no
 * HEVC decoder) and then served from memory; everything else goes to libvips.
 */
interface Source {
  /** A fresh upright pipeline without alpha in sRGB. */
  pipeline(): Sharp;
}

async function open(bytes: Uint8Array, info: ImageInfo): Promise<Source> {
  if (info.contentType === 'image/heic' || info.contentType === 'image/heif') {
    const decoded = await decodeHeif(bytes);
    if (decoded) {
      const raw = { width: decoded.width, height: decoded.height, channels: 4 as const };
      return { pipeline: () => sharp(decoded.data, { raw, limitInputPixels: MAX_PIXELS }).removeAlpha() };
    }
  }
  return {
    pipeline: () =>
      sharp(bytes, { failOn: 'none', limitInputPixels: MAX_PIXELS, sequentialRead: true })
        .autoOrient()
        .flatten({ background: '#808080' })
        .toColourspace('srgb'),
  };
}

/** libheif's RGBA of the primary picture, rotated as the file asks; undefined when it cannot decode this one. */
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

/** The pixels and a preview of one picture, from one opening of the file. */
export interface Decoded {
  info: ImageInfo;
  /** The whole picture at full size. */
  picture: Picture;
  /** JPEG, at most 1600 pixels a side, without metadata. */
  preview: Buffer;
}

/**
 * Decodes a picture once, upright, 8-bit sRGB (an alpha channel is laid on mid grey; of an animation the first frame), and
 * makes its preview from the same pixels. Damage inside the compressed data is decoded as far as it goes, as browsers do.
 *
 * @throws ImageFault as `inspect` does, and `undecodable` when the decoder gives up.
 */
export async function decode(bytes: Uint8Array): Promise<Decoded> {
  const info = await inspect(bytes);
  const picture = await decodePicture(bytes, info);
  const source = Math.max(picture.width, picture.height) >= 2 * PREVIEW_SIDE ? halved(picture) : picture;
  const raw = { width: source.width, height: source.height, channels: 3 as const };
  const preview = await encodePreview(sharp(source.data, { raw, limitInputPixels: MAX_PIXELS }));
  return { info, picture, preview };
}

/** As `decode`, without the preview. */
export async function decodePicture(bytes: Uint8Array, info: ImageInfo): Promise<Picture> {
  try {
    const source = await open(bytes, info);
    const { data, info: out } = await source.pipeline().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    if (out.channels === 3) return { width: out.width, height: out.height, data };
    return { width: out.width, height: out.height, data: spread(data, out.channels) };
  } catch (cause) {
    throw undecodable(cause);
  }
}

/** Grey (one channel) or more than three to three. */
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
      // Huffman tables of its own would save such a picture one byte in a hundred and take as long again as all the rest.
      .jpeg({ quality: 80, optimiseCoding: false })
      .toBuffer()
  );
}

/**
 * A JPEG of at most 1600 pixels a side, upright, without any metadata (so without position and device).
 *
 * @throws ImageFault as `decode` does.
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
