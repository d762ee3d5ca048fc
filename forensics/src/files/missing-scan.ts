import { ImageFault } from './inspect.ts';

// Decoders fill what a file lacks with grey and say so only in a warning. A part that was not decoded was not looked at, so a picture
// that lacks one must not pass for looked at.

/** How strict the decoder is: `none` decodes as far as possible, `warning` gives up at the first warning. */
export type Strictness = 'none' | 'warning';

/** Warnings of libjpeg and libpng that mean missing data. Others (stray bytes between segments, for example) leave every pixel in place. */
const MISSING = /premature end of data segment|found marker 0xd9 instead of RST|libpng read error/i;

/**
 * Decodes strictly, and once more as far as possible if the decoder gave up for another reason than missing data.
 *
 * @throws ImageFault `truncated` when the file ends its picture data before every pixel is there. libvips looks for warnings before each
 * strip of rows, so what lacks only in the last one (8 to 16 rows, times the factor that the decoder shrinks by) goes unnoticed.
 */
export async function decodeAllOf<T>(decode: (failOn: Strictness) => Promise<T>): Promise<T> {
  try {
    return await decode('warning');
  } catch (cause) {
    if (MISSING.test(String((cause as Error).message)))
      throw new ImageFault('truncated', 'A part of the picture is missing.', { cause });
    return decode('none');
  }
}

const EOI = [0xff, 0xd9];

/** A JPEG with an end marker. Without one libjpeg warns only of the end, and not of picture data that is missing before it. */
export function terminated(bytes: Uint8Array): Uint8Array {
  const end = bytes.subarray(-EOI.length);
  if (EOI.every((byte, at) => end[at] === byte)) return bytes;
  const whole = new Uint8Array(bytes.length + EOI.length);
  whole.set(bytes);
  whole.set(EOI, bytes.length);
  return whole;
}
