// Writes DER (X.690), as far as a certificate needs it.

export function tlv(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const n = body.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: Uint8Array[]): Buffer => tlv(0x31, ...parts);
export const integer = (bytes: Uint8Array): Buffer => tlv(0x02, bytes);
export const bits = (data: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.from([unused]), data);
export const octets = (data: Uint8Array): Buffer => tlv(0x04, data);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
export const printable = (text: string): Buffer => tlv(0x13, Buffer.from(text));
export const TRUE = tlv(0x01, Buffer.from([0xff]));

/** UTCTime until 2049, GeneralizedTime afterwards (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = `${at
    .toISOString()
    .replaceAll(/[-:T]|\.\d+/g, '')
    .slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050 ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits));
}

export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  const bytes = [first! * 40 + second!];
  for (const part of rest) {
    const groups = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** The whole elements of a constructed element. */
export function elementsOf(der: Uint8Array): Buffer[] {
  const bytes = Buffer.from(der);
  const [start, end] = contentOf(bytes, 0);
  const found: Buffer[] = [];
  for (let at = start; at < end; ) {
    const [, next] = contentOf(bytes, at);
    found.push(bytes.subarray(at, next));
    at = next;
  }
  return found;
}

function contentOf(bytes: Buffer, at: number): [start: number, end: number] {
  const first = bytes[at + 1] ?? 0;
  const count = first < 128 ? 0 : first & 127;
  if (count > 4) throw new Error('a DER length that is too long');
  const start = at + 2 + count;
  const length = count === 0 ? first : bytes.readUIntBE(at + 2, count);
  if (start + length > bytes.length) throw new Error('DER that ends early');
  return [start, start + length];
}
