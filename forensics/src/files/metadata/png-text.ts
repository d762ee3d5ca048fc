import { inflateSync } from 'node:zlib';
import type { Piece } from './containers.ts';
import type { FieldList } from './fields.ts';

/** A workflow of a few hundred kB is common. Text past this length is not read. */
const MAX_TEXT = 2 * 1024 * 1024;

/** Reads the text chunks of a PNG (tEXt, zTXt, iTXt), inflated up to a limit. Skips damaged ones. */
export function readPngText(bytes: Uint8Array, chunks: Piece[], fields: FieldList): void {
  for (const chunk of chunks) {
    if (chunk.type !== 'tEXt' && chunk.type !== 'zTXt' && chunk.type !== 'iTXt') continue;
    const text = readChunk(chunk.type, bytes.subarray(chunk.start, Math.min(chunk.end, chunk.start + MAX_TEXT)));
    if (text) fields.add('png', text.keyword, text.value);
  }
}

function readChunk(type: string, data: Uint8Array): { keyword: string; value: string } | undefined {
  const end = data.indexOf(0);
  if (end < 1 || end > 79) return undefined;
  const keyword = Buffer.from(data.subarray(0, end)).toString('latin1');
  if (type === 'tEXt') return { keyword, value: decodeText(data.subarray(end + 1)) };
  if (type === 'zTXt') {
    const inflated = inflate(data.subarray(end + 2));
    return inflated && { keyword, value: decodeText(inflated) };
  }
  const compressed = data[end + 1] === 1;
  const language = data.indexOf(0, end + 3);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  if (translated < 0) return undefined;
  const raw = data.subarray(translated + 1);
  const text = compressed ? inflate(raw) : raw;
  return text && { keyword, value: Buffer.from(text).toString('utf8') };
}

/** The standard requires Latin-1, but most generators write UTF-8. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

function inflate(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_TEXT });
  } catch {
    return undefined;
  }
}
