const HEX = '0123456789abcdef';
const BASE64_URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => `${HEX[byte >> 4]}${HEX[byte & 15]}`).join('');

/** Without padding, as Play Integrity takes it. */
export function base64UrlOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const sextets = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    text += sextets
      .slice(0, Math.min(3, bytes.length - at) + 1)
      .map(sextet => BASE64_URL[sextet])
      .join('');
  }
  return text;
}

/** The bytes of a text of ASCII characters. */
export const asciiOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, character => character.charCodeAt(0));
