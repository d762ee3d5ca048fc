import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

// Bytes and their text forms. Decoders are strict: one text for each value, so a changed character never goes unnoticed.

export const utf8: (text: string) => Uint8Array = utf8ToBytes;
export const concat: (...parts: Uint8Array[]) => Uint8Array = concatBytes;
export const hex: (bytes: Uint8Array) => string = bytesToHex;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; null for bytes that are not well-formed. */
export function fromUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

export const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Decodes base64 with padding (RFC 4648, section 4); null unless the text is exactly what `base64` writes. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  return base64(bytes) === text ? bytes : null;
}

/** Reads an ASCII decimal without leading zeroes below 2^63; null for anything else. */
export function fromDecimal(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return value < 1n << 63n ? value : null;
}
