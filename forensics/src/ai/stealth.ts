import { gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { containerOf } from '../files/metadata/containers.ts';
import type { MetadataField } from '../files/metadata/fields.ts';

/** Written column by column: one bit per pixel in alpha, or one bit per colour channel. `…comp`: compressed with gzip. */
const SIGNATURES = {
  stealth_pnginfo: false,
  stealth_pngcomp: true,
  stealth_rgbinfo: false,
  stealth_rgbcomp: true,
} as const;

const SIGNATURE_LENGTH = 15;
const MAX_BYTES = 1024 * 1024;
const MAX_PIXELS = 25_000_000;

/**
 * Reads the parameters that Stable Diffusion front ends and NovelAI hide in the lowest bits of a lossless PNG ("stealth PNG info").
 * @returns the text as a field for the generator rules; undefined without such a signature.
 */
export async function readStealth(bytes: Uint8Array): Promise<MetadataField | undefined> {
  if (containerOf(bytes) !== 'png') return undefined;
  let raw: { data: Buffer; info: { width: number; height: number; channels: number } };
  try {
    raw = await sharp(bytes, { limitInputPixels: MAX_PIXELS })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  } catch {
    return undefined;
  }
  const { data, info } = raw;
  if (info.channels === 4) {
    const found = parse(alphaBits(data, info.width, info.height));
    if (found) return found;
  }
  return info.channels >= 3 ? parse(colourBits(data, info)) : undefined;
}

/** A bit source with a known length. */
interface Bits {
  length: number;
  at(index: number): number;
}

function alphaBits(data: Buffer, width: number, height: number): Bits {
  return {
    length: width * height,
    at: index => data[((index % height) * width + Math.floor(index / height)) * 4 + 3]! & 1,
  };
}

function colourBits(data: Buffer, info: { width: number; height: number; channels: number }): Bits {
  const { width, height, channels } = info;
  return {
    length: width * height * 3,
    at: index => {
      const pixel = Math.floor(index / 3);
      return data[((pixel % height) * width + Math.floor(pixel / height)) * channels + (index % 3)]! & 1;
    },
  };
}

function take(bits: Bits, from: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let i = 0; i < count * 8; i++) bytes[i >> 3] = (bytes[i >> 3]! << 1) | bits.at(from + i);
  return bytes;
}

function parse(bits: Bits): MetadataField | undefined {
  const header = SIGNATURE_LENGTH * 8;
  if (bits.length < header + 32) return undefined;
  const signature = take(bits, 0, SIGNATURE_LENGTH).toString('latin1');
  if (!(signature in SIGNATURES)) return undefined;
  const length = take(bits, header, 4).readUInt32BE() / 8;
  if (!Number.isInteger(length) || length > MAX_BYTES || header + 32 + length * 8 > bits.length) return undefined;
  const body = take(bits, header + 32, length);
  try {
    const text = SIGNATURES[signature as keyof typeof SIGNATURES]
      ? gunzipSync(body, { maxOutputLength: MAX_BYTES })
      : body;
    return { source: 'png', name: 'parameters', value: text.toString('utf8') };
  } catch {
    return undefined;
  }
}
