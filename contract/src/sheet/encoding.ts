/** Encodings that no bytes tell for certain, by their names in the Encoding Standard. */
export const GUESSED_ENCODINGS = [
  'windows-1252',
  'macintosh',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'shift_jis',
  'gb18030',
] as const;
export type SheetEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | (typeof GUESSED_ENCODINGS)[number];

/** How to read the bytes of a list. `sure`: no other reading makes sense. A word names what cannot be read. */
export type Reading = { encoding: SheetEncoding; sure: boolean } | 'workbook' | 'utf-32';

const SAMPLE_BYTES = 4_096;
const CLASSES = {
  mac: /[a-z][\x80-\x90\x95-\x9f]|[\x80-\x90\x95-\x9f][a-z]/g,
  windows: /[a-z][\xc0-\xff]|[\xc0-\xff][a-z]/g,
};

/** Tells the encoding of a list. `isUtf8`: whether bytes are UTF-8, where the caller has a faster way to tell. */
export function encodingOf(bytes: Uint8Array, isUtf8 = (all: Uint8Array) => decodes(all, 'utf-8')): Reading {
  const begins = (...start: number[]) => start.every((byte, index) => bytes[index] === byte);
  if (begins(0x50, 0x4b, 3, 4) || begins(0xd0, 0xcf, 0x11, 0xe0)) {
    return 'workbook';
  }
  if (begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff)) return 'utf-32';
  if (begins(0xff, 0xfe)) return { encoding: 'utf-16le', sure: true };
  if (begins(0xfe, 0xff)) return { encoding: 'utf-16be', sure: true };
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.includes(0)) {
    const [little, big] = [asciiIn(sample, 'utf-16le'), asciiIn(sample, 'utf-16be')];
    if (little !== big) return { encoding: little > big ? 'utf-16le' : 'utf-16be', sure: true };
  }
  if (isUtf8(bytes)) return { encoding: 'utf-8', sure: true };
  return { encoding: singleByteOf(bytes), sure: false };
}

/** Decodes a whole list. Null: a byte of it stands for nothing in this encoding. */
export function decoded(bytes: Uint8Array, encoding: SheetEncoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const decodes = (bytes: Uint8Array, encoding: SheetEncoding): boolean => decoded(bytes, encoding) !== null;

/**
 * How many ASCII characters the sample has as UTF-16. Line ends and separators are some; read the wrong way round they are rare letters, and a
 * rare letter may be a separator. 0: it is no list in this encoding.
 */
function asciiIn(sample: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): number {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
    return /[\r\n,;\t|]/.test(text) && !text.includes('\0') ? text.replace(/[\u0080-\uffff]/g, '').length : 0;
  } catch {
    return 0;
  }
}

/** Letters with accents lie between 0xC0 and 0xFF in Windows-1252, and below 0xA0 in Mac Roman. */
function singleByteOf(bytes: Uint8Array): SheetEncoding {
  let mac = 0;
  let windows = 0;
  for (let at = 0; at < bytes.length; at += SAMPLE_BYTES) {
    const text = String.fromCharCode(...bytes.subarray(at, at + SAMPLE_BYTES)).toLowerCase();
    mac += text.match(CLASSES.mac)?.length ?? 0;
    windows += text.match(CLASSES.windows)?.length ?? 0;
  }
  return mac > windows ? 'macintosh' : 'windows-1252';
}
