import { duplicate, type Fault, fault } from '@firsthand/contract/base/fault.ts';

/** Bounds of a body's form. A body that exceeds one is refused with one fault before it is parsed. */
export const STRUCTURE = {
  /** Values of all kinds, containers included. */
  nodes: 10_000,
  depth: 64,
  /** Bytes of JSON, excluding the strings of image fields. */
  textBytes: 1_048_576,
  /** Bytes of one string outside the image fields. */
  stringBytes: 262_144,
  /** Bytes of one member's name. */
  nameBytes: 1_024,
} as const;

const TOO_DEEP = fault('body', 'too_deep', `is nested more than ${STRUCTURE.depth} levels deep`, {
  max: STRUCTURE.depth,
});
const TOO_MANY = fault('body', 'too_many', `holds more than ${STRUCTURE.nodes} values`, { max: STRUCTURE.nodes });
const TOO_LONG = fault('body', 'too_many_bytes', `holds a text of more than ${STRUCTURE.stringBytes} bytes`, {
  max: STRUCTURE.stringBytes,
});

/** Replaces a picture's base64 in the parsed body; the bytes are in `images`. */
export const IMAGE_PLACEHOLDER = 'base64';

export interface Scanned {
  /** The JSON without the image strings. */
  text: Buffer;
  /** The characters of each image field exactly as they stand between its quotes, escapes included. */
  images: Map<string, Buffer>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Checks the form of a JSON body from its bytes in one pass, while they arrive, and takes the image strings out. JSON.parse
 * takes seconds for megabytes of brackets or names; this takes about a millisecond for a megabyte of text, and skips
 * pictures. Lets invalid JSON pass, because the parser refuses it.
 */
export class Scanner {
  readonly #imageFields: readonly string[];
  readonly #images = new Map<string, Buffer>();
  readonly #spans: { image: string; start: number; end: number }[] = [];
  #at = 0;
  #skipped = 0;
  #depth = 0;
  #nodes = 1;
  #opened = false;
  #nameStart = 0;
  #nameEnd = 0;
  /** The image field whose value comes next. */
  #image: string | null = null;
  /** Where the string begins that the bytes so far have not ended; -1 outside of strings. */
  #stringStart = -1;

  constructor(imageFields: readonly string[]) {
    this.#imageFields = imageFields;
  }

  /**
   * Reads on to the end of `raw`: all bytes so far, those of the last call unchanged. Returns a fault when the body exceeds a
   * bound; then no more bytes are needed.
   */
  advance(raw: Buffer): Fault | null {
    for (; this.#at < raw.length; this.#at += 1) {
      if (this.#stringStart >= 0) {
        const found = this.#image === null ? this.#skipString(raw) : this.#skipImage(raw);
        if (found) return found;
        if (this.#stringStart >= 0) return null;
        continue;
      }
      const at = this.#at;
      if (at - this.#skipped > STRUCTURE.textBytes)
        return fault('body', 'too_many_bytes', 'is too large', { max: STRUCTURE.textBytes });
      const byte = raw[at]!;
      // Skips whitespace, so `[ ]` is as empty as `[]`.
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      const closes = byte === 0x5d || byte === 0x7d;
      if (this.#opened) {
        this.#opened = false;
        if (!closes) this.#nodes += 1;
      }
      if (byte === QUOTE) {
        this.#stringStart = at + 1;
        continue;
      }
      if (byte === COMMA) {
        this.#nodes += 1;
        this.#image = null;
      } else if (byte === COLON) {
        if (this.#nameEnd - this.#nameStart > STRUCTURE.nameBytes) {
          const max = STRUCTURE.nameBytes;
          return fault('body', 'too_many_bytes', `holds a name of more than ${max} bytes`, { max });
        }
        if (this.#depth === 1 && this.#imageFields.length > 0) {
          const name = raw.toString('latin1', this.#nameStart, this.#nameEnd);
          this.#image = this.#imageFields.includes(name) ? name : null;
        }
      } else if (byte === 0x5b || byte === 0x7b) {
        this.#depth += 1;
        this.#image = null;
        if (this.#depth > STRUCTURE.depth) return TOO_DEEP;
        this.#opened = true;
      } else if (closes) this.#depth -= 1;
      if (this.#nodes > STRUCTURE.nodes) return TOO_MANY;
    }
    return null;
  }

  /** Returns what the whole body holds, once `advance` has read it without a fault. */
  finish(raw: Buffer): Scanned {
    // The picture has no end, so neither has the JSON: it is not parsed with the picture in it.
    if (this.#stringStart >= 0 && this.#image !== null) return { text: Buffer.alloc(0), images: new Map() };
    if (this.#spans.length === 0) return { text: raw, images: this.#images };
    const kept: Buffer[] = [];
    let keptTo = 0;
    for (const { image, start, end } of this.#spans) {
      this.#images.set(image, raw.subarray(start, end));
      kept.push(raw.subarray(keptTo, start), Buffer.from(IMAGE_PLACEHOLDER));
      keptTo = end;
    }
    kept.push(raw.subarray(keptTo));
    return { text: Buffer.concat(kept), images: this.#images };
  }

  /** Goes on to the quote that ends a string, or to the end of the bytes. */
  #skipString(raw: Buffer): Fault | null {
    const last = this.#stringStart + STRUCTURE.stringBytes;
    for (; this.#at < raw.length; this.#at += 1) {
      if (this.#at > last) return TOO_LONG;
      const byte = raw[this.#at];
      if (byte === BACKSLASH) this.#at += 1;
      else if (byte === QUOTE) {
        [this.#nameStart, this.#nameEnd, this.#stringStart] = [this.#stringStart, this.#at, -1];
        if (this.#nodes > STRUCTURE.nodes) return TOO_MANY;
        return null;
      }
    }
    return null;
  }

  /** Goes on to the first quote in an image string, or to the end of the bytes. */
  #skipImage(raw: Buffer): Fault | null {
    const [start, image] = [this.#stringStart, this.#image!];
    const end = raw.indexOf(QUOTE, this.#at);
    this.#at = end < 0 ? raw.length : end;
    if (end < 0) return null;
    let backslashes = 0;
    while (end - 1 - backslashes >= start && raw[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    // Base64 contains no quote.
    if (backslashes % 2 === 1) {
      return fault(image, 'format', 'is not base64 (RFC 4648)', { format: 'base64' });
    }
    if (this.#spans.some(span => span.image === image)) return duplicate(image, 'is sent twice');
    if (end > start) {
      this.#spans.push({ image, start, end });
      this.#skipped += end - start;
    }
    this.#stringStart = -1;
    return null;
  }
}
