import { turn } from './event-loop.ts';

/** Characters read in one turn of the event loop: about a millisecond. A multiple of `PIECE`. */
const SLICE = 524_288;
/** Characters decoded at once: a text short enough for the collection of young objects. A multiple of 4. */
const PIECE = 32_768;
const BACKSLASH = 0x5c;

/**
 * Decodes base64 (RFC 4648, 4; padding is optional) from the inside of a JSON string, escapes such as `\/` included. Passes over a `data:`
 * prefix, line breaks and spaces, which common tools write. Returns `malformed` for anything else and `too_large` past `maxBytes`. Long
 * texts take many turns of the event loop.
 */
export async function decodeBase64(
  json: Buffer,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | 'malformed' | 'too_large'> {
  // One base64 character takes at most six characters of JSON (`\u002f`).
  if (json.length > 6 * (Math.ceil(maxBytes / 3) * 4 + 4)) return 'too_large';
  if (json.length > SLICE) await turn();
  const plain = json.includes(BACKSLASH) ? await unescaped(json) : json;
  if (plain === null) return 'malformed';
  const text = await withoutSpace(withoutPrefix(plain));
  let end = text.length;
  while (end > 0 && text.length - end < 2 && text[end - 1] === 0x3d) end -= 1;
  if (end === 0 || end % 4 === 1) return 'malformed';
  const size = Math.floor((end * 3) / 4);
  if (size > maxBytes) return 'too_large';
  // Node's decoder also accepts the URL-safe alphabet. It skips characters outside both alphabets, and then writes
  // fewer bytes.
  if (text.includes(0x2d) || text.includes(0x5f)) return 'malformed';
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < end; at += PIECE) {
    if (at > 0 && at % SLICE === 0) await turn();
    const piece = text.toString('latin1', at, Math.min(end, at + PIECE));
    if (bytes.write(piece, (at / 4) * 3, 'base64') !== Math.floor((piece.length * 3) / 4)) return 'malformed';
  }
  return bytes;
}

/** The longest `data:image/svg+xml;charset=utf-8;base64,` that is looked for. */
const MAX_PREFIX = 128;

function withoutPrefix(text: Buffer): Buffer {
  const prefix = /^\s*data:[^,]*;base64,/i.exec(text.toString('latin1', 0, MAX_PREFIX));
  return prefix ? text.subarray(prefix[0].length) : text;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Drops white space: at the end without a copy, within the text, where tools wrap lines, with one. */
async function withoutSpace(text: Buffer): Promise<Buffer> {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1])) end -= 1;
  const trimmed = text.subarray(0, end);
  if (![0x20, 0x09, 0x0a, 0x0d].some(space => trimmed.includes(space))) return trimmed;
  const out = Buffer.allocUnsafe(trimmed.length);
  let length = 0;
  for (let at = 0; at < trimmed.length; at += 1) {
    if (at > 0 && at % SLICE === 0) await turn();
    if (!isSpace(trimmed[at])) out[length++] = trimmed[at]!;
  }
  return out.subarray(0, length);
}

/** The white space of JSON's short escapes. */
const ESCAPED_SPACE: Readonly<Record<number, number>> = { 110: 0x0a, 114: 0x0d, 116: 0x09 };

/** Returns the characters that a JSON string stands for, or null when one of them is neither base64 nor white space. */
async function unescaped(json: Buffer): Promise<Buffer | null> {
  const out = Buffer.allocUnsafe(json.length);
  let length = 0;
  let pause = SLICE;
  for (let at = 0; at < json.length; at += 1) {
    if (at >= pause) {
      pause += SLICE;
      await turn();
    }
    let byte = json[at]!;
    if (byte === BACKSLASH) {
      at += 1;
      byte = json[at] ?? 0;
      if (byte === 0x75) {
        const code = Number.parseInt(json.toString('latin1', at + 1, at + 5), 16);
        if (!(code > 0x20 && code < 0x7f) && !isSpace(code)) return null;
        byte = code;
        at += 4;
      } else if (byte in ESCAPED_SPACE) byte = ESCAPED_SPACE[byte]!;
      else if (byte !== 0x2f) return null;
    }
    out[length] = byte;
    length += 1;
  }
  return out.subarray(0, length);
}
