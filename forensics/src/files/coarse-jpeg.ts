import { ImageFault } from './image-fault.ts';

// Reads a large JPEG of several scans without holding all its coefficients. libjpeg holds them all for such a file
// (progressive, or one scan a component), at whatever scale it decodes: 600 MB for 100 megapixels of full colour. Past
// a bound, this code reads only the mean of each 8 × 8 block (the DC coefficient, ITU-T T.81). It writes the means as a
// JPEG of one scan, which libjpeg decodes at an eighth without holding anything.

/** Bytes of coefficients that a decoder may hold: 67 megapixels at 4:2:0, 33 at 4:4:4. */
const MAX_COEFFICIENT_BYTES = 192 * 1_048_576;

interface Component {
  id: number;
  h: number;
  v: number;
  /** Blocks per row and per column as stored, in whole MCUs. */
  columns: number;
  rows: number;
  /** Blocks that contain pixels, as in a scan of only this component. */
  shownColumns: number;
  shownRows: number;
  dc: Int16Array;
}

export interface Frame {
  progressive: boolean;
  arithmetic: boolean;
  /** The payload of the frame header. */
  header: Buffer;
  mcuColumns: number;
  mcuRows: number;
  components: Component[];
}

/** A Huffman table as stored: the number of codes of each length, and their symbols in order. */
export interface Codes {
  counts: Uint8Array;
  symbols: Uint8Array;
}

/** True when a decoder would hold more coefficients of this file than allowed. Reads only the headers. */
export function isHeldWhole(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return false;
  let frame: Frame | undefined;
  for (const { marker, body } of segments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    if (isFrame(marker)) frame = readFrame(marker, body);
    else if (marker === 0xda) return frame !== undefined && needsCoefficients(frame, body[0]!);
  }
  return false;
}

const needsCoefficients = (frame: Frame, componentsOfFirstScan: number): boolean =>
  coefficientBytes(frame) > MAX_COEFFICIENT_BYTES &&
  (frame.progressive || componentsOfFirstScan < frame.components.length);

/**
 * Rewrites the JPEG as one scan with one value per 8 × 8 block, to be decoded at an eighth. Undefined when a decoder may read the file as
 * it is.
 *
 * @throws ImageFault `undecodable` when the file is large and arithmetically coded, or cannot be written in one scan.
 */
export function coarseJpeg(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Buffer[] = [buffer.subarray(0, 2)];
  const tables = new Map<number, Codes>();
  let frame: Frame | undefined;
  let interval = 0;
  let scans = 0;
  for (const { marker, body, end } of segments(buffer)) {
    if (marker === 0xc4) readCodes(body, tables);
    else if (marker === 0xdd) interval = body.readUInt16BE(0);
    else if (isFrame(marker)) frame = readFrame(marker, body);
    else if (marker === 0xda && frame) {
      scans += 1;
      if (scans === 1) {
        if (!needsCoefficients(frame, body[0]!)) return undefined;
        allocate(frame);
      }
      const scan = readScan(body, frame, tables);
      if (scan.from === 0) decodeScan(buffer.subarray(end), frame, scan, interval);
    } else if (scans === 0) kept.push(buffer.subarray(body.byteOffset - buffer.byteOffset - 4, end));
  }
  if (!frame || scans === 0) return undefined;
  return Buffer.concat([...kept, ...write(frame)]);
}

const undecodable = (why: string): ImageFault => new ImageFault('undecodable', why);
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Yields the segments up to the end of the image. Skips entropy-coded data. */
export function* segments(buffer: Buffer): Generator<{ marker: number; body: Buffer; end: number }> {
  for (let at = 2; ; ) {
    at = buffer.indexOf(0xff, at);
    if (at < 0 || at + 1 >= buffer.length) return;
    const marker = buffer[++at]!;
    if (marker === 0xff) continue;
    at += 1;
    if (marker === 0xd9) return;
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (at + 2 > buffer.length) return;
    const end = at + buffer.readUInt16BE(at);
    if (end > buffer.length || end < at + 2) return;
    yield { marker, body: buffer.subarray(at + 2, end), end };
    at = end;
  }
}

export function readFrame(marker: number, body: Buffer): Frame {
  const [height, width, count] = [body.readUInt16BE(1), body.readUInt16BE(3), body[5]!];
  if (body.length < 6 + 3 * count) throw undecodable('The JPEG frame header is too short.');
  const parts = Array.from({ length: count }, (_, i) => {
    const sampling = body[7 + 3 * i]!;
    return { id: body[6 + 3 * i]!, h: sampling >> 4, v: sampling & 15 };
  });
  if (parts.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4)) throw undecodable('Unknown JPEG colour layout.');
  // With a single component, an MCU is one block, whatever the sampling factors say.
  const [only] = parts;
  if (count === 1 && only) Object.assign(only, { h: 1, v: 1 });
  const [hMax, vMax] = [Math.max(...parts.map(({ h }) => h)), Math.max(...parts.map(({ v }) => v))];
  const mcuColumns = Math.ceil(width / (8 * hMax));
  const mcuRows = Math.ceil(height / (8 * vMax));
  const components = parts.map(({ id, h, v }) => ({
    id,
    h,
    v,
    columns: mcuColumns * h,
    rows: mcuRows * v,
    shownColumns: Math.ceil((width * h) / hMax / 8),
    shownRows: Math.ceil((height * v) / vMax / 8),
    dc: new Int16Array(),
  }));
  const progressive = marker === 0xc2 || marker === 0xca;
  return { progressive, arithmetic: marker > 0xc2, header: body, mcuColumns, mcuRows, components };
}

const blocksOf = ({ columns, rows }: Component): number => columns * rows;
const coefficientBytes = ({ components }: Frame): number =>
  components.reduce((sum, component) => sum + blocksOf(component) * 128, 0);

function allocate(frame: Frame): void {
  if (frame.arithmetic) throw undecodable('A JPEG of this size is decoded only if it is Huffman-coded.');
  if (frame.components.reduce((sum, { h, v }) => sum + h * v, 0) > 10) throw undecodable('Unknown JPEG colour layout.');
  for (const component of frame.components) component.dc = new Int16Array(blocksOf(component));
}

export function readCodes(body: Buffer, tables: Map<number, Codes>): void {
  for (let at = 0; at + 17 <= body.length; ) {
    const counts = body.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    tables.set(body[at]!, { counts, symbols: body.subarray(at + 17, at + 17 + total) });
    at += 17 + total;
  }
}

export interface Scan {
  parts: { component: Component; dc: Codes | undefined; ac: Codes | undefined }[];
  /** First and last coefficient. Only scans from 0 contain DC. */
  from: number;
  to: number;
  /** Successive approximation: whether the scan refines, and the bit it ends at. */
  refines: boolean;
  low: number;
}

export function readScan(body: Buffer, frame: Frame, tables: ReadonlyMap<number, Codes>): Scan {
  const count = body[0] ?? 0;
  if (count < 1 || body.length < 4 + 2 * count) throw undecodable('A JPEG scan header is too short.');
  const parts = Array.from({ length: count }, (_, i) => {
    const component = frame.components.find(({ id }) => id === body[1 + 2 * i]);
    if (!component) throw undecodable('A JPEG scan names an unknown component.');
    const chosen = body[2 + 2 * i]!;
    return { component, dc: tables.get(chosen >> 4), ac: tables.get(0x10 | (chosen & 15)) };
  });
  const approximation = body[3 + 2 * count]!;
  if (!frame.progressive) return { parts, from: 0, to: 63, refines: false, low: 0 };
  const [from, to] = [body[1 + 2 * count]!, Math.min(63, body[2 + 2 * count]!)];
  return { parts, from, to, refines: approximation >> 4 > 0, low: approximation & 15 };
}

/** Reads the bits of one scan. At a marker it sets `ended` and returns zeros until `restart` finds an RST marker. */
class Bits {
  readonly #data: Buffer;
  #at = 0;
  #byte = 0;
  #left = 0;
  ended = false;

  constructor(data: Buffer) {
    this.#data = data;
  }

  bit(): number {
    if (this.#left === 0) {
      const at = this.#at;
      const byte = this.#data[at];
      if (this.ended || byte === undefined || (byte === 0xff && this.#data[at + 1] !== 0)) {
        this.ended = true;
        return 0;
      }
      this.#at = byte === 0xff ? at + 2 : at + 1;
      this.#byte = byte;
      this.#left = 8;
    }
    this.#left -= 1;
    return (this.#byte >> this.#left) & 1;
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) value = (value << 1) | this.bit();
    return value;
  }

  /** A signed number of `size` bits, as T.81 F.2.2.1 extends it. */
  signed(size: number): number {
    const value = this.bits(size);
    return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
  }

  symbol({ counts, symbols }: Codes): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 0; length < 16; length += 1) {
      code |= this.bit();
      const count = counts[length]!;
      if (code - count < first) return symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    this.ended = true;
    return 0;
  }

  /** Continues after the next restart marker. False when another marker or the end of the data comes first. */
  restart(): boolean {
    this.#left = 0;
    for (let at = this.#data.indexOf(0xff, this.#at); at >= 0; at = this.#data.indexOf(0xff, at + 1)) {
      const next = this.#data[at + 1];
      if (next === 0x00 || next === 0xff) continue;
      if (next === undefined || next < 0xd0 || next > 0xd7) return false;
      this.#at = at + 2;
      this.ended = false;
      return true;
    }
    return false;
  }
}

/** Reads the DC coefficients of a scan. After damaged data, the rest up to the next restart stays unchanged. */
function decodeScan(data: Buffer, frame: Frame, scan: Scan, interval: number): void {
  const bits = new Bits(data);
  const last = scan.parts.map(() => 0);
  const [only] = scan.parts;
  const single = scan.parts.length === 1 && only ? only.component : undefined;
  const columns = single ? single.shownColumns : frame.mcuColumns;
  const mcus = columns * (single ? single.shownRows : frame.mcuRows);

  const block = (part: Scan['parts'][number], at: number, n: number): void => {
    const { dc } = part.component;
    if (scan.refines) {
      dc[at] |= bits.bit() << scan.low;
      return;
    }
    if (!part.dc) throw undecodable('A JPEG scan has no Huffman table.');
    const value = last[n]! + bits.signed(bits.symbol(part.dc) & 15);
    if (bits.ended) return;
    last[n] = value;
    dc[at] = value << scan.low;
    if (!frame.progressive) skipAc(bits, part.ac);
  };

  for (let mcu = 0; mcu < mcus; mcu += 1) {
    if (interval > 0 && mcu > 0 && mcu % interval === 0) {
      if (!bits.restart()) return;
      last.fill(0);
    }
    const [x, y] = [mcu % columns, Math.floor(mcu / columns)];
    if (single && only) block(only, y * single.columns + x, 0);
    else {
      for (const [n, part] of scan.parts.entries()) {
        const { h, v, columns: stride } = part.component;
        for (let row = 0; row < v; row += 1) {
          for (let column = 0; column < h; column += 1) block(part, (y * v + row) * stride + x * h + column, n);
        }
      }
    }
    if (bits.ended) {
      if (interval === 0) return;
      mcu += interval - 1 - (mcu % interval);
    }
  }
}

function skipAc(bits: Bits, codes: Codes | undefined): void {
  if (!codes) throw undecodable('A JPEG scan has no Huffman table.');
  for (let k = 1; k < 64 && !bits.ended; k += 1) {
    const symbol = bits.symbol(codes);
    const size = symbol & 15;
    if (size === 0 && symbol !== 0xf0) return;
    k += symbol >> 4;
    bits.bits(size);
  }
}

/** Values outside this range mean damaged data. */
const [DC_MIN, DC_MAX] = [-2048, 2047];
/** Sizes of differences, 0 to 12, as 5-bit codes. Simple to write, and half a megabyte longer than optimal. */
const DC_CODES = [0x00, 0, 0, 0, 0, 13, ...Array<number>(11).fill(0), ...Array.from({ length: 13 }, (_, size) => size)];
/** One symbol, the end of the block, as one zero bit. */
const AC_CODES = [0x10, 1, ...Array<number>(15).fill(0), 0];

/** Frame header, tables, one scan and the end of the image. */
function write(frame: Frame): Buffer[] {
  const { components } = frame;
  const segment = (marker: number, body: Uint8Array | number[]) =>
    Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body]);
  const chosen = components.flatMap(({ id }) => [id, 0x00]);
  return [
    segment(0xc1, frame.header),
    segment(0xc4, [...DC_CODES, ...AC_CODES]),
    segment(0xda, [components.length, ...chosen, 0, 63, 0]),
    writeScan(frame),
    Buffer.from([0xff, 0xd9]),
  ];
}

function writeScan({ components, mcuColumns, mcuRows }: Frame): Buffer {
  const blocks = components.reduce((sum, component) => sum + blocksOf(component), 0);
  // At most 18 bits per block, and a stuffed byte after each byte.
  const out = Buffer.allocUnsafe(blocks * 5 + 8);
  let [length, held, count] = [0, 0, 0];
  const put = (value: number, size: number): void => {
    held = (held << size) | value;
    count += size;
    while (count >= 8) {
      count -= 8;
      const byte = (held >> count) & 255;
      out[length++] = byte;
      if (byte === 0xff) out[length++] = 0;
    }
    held &= (1 << count) - 1;
  };
  const last = components.map(() => 0);
  for (let y = 0; y < mcuRows; y += 1) {
    for (let x = 0; x < mcuColumns; x += 1) {
      for (let n = 0; n < components.length; n += 1) {
        const { h, v, columns, dc } = components[n]!;
        for (let row = 0; row < v; row += 1) {
          for (let column = 0; column < h; column += 1) {
            const value = Math.min(DC_MAX, Math.max(DC_MIN, dc[(y * v + row) * columns + x * h + column]!));
            const difference = value - last[n]!;
            last[n] = value;
            const size = 32 - Math.clz32(Math.abs(difference));
            put(size, 5);
            put(difference < 0 ? difference + (1 << size) - 1 : difference, size);
            put(0, 1);
          }
        }
      }
    }
  }
  if (count > 0) put((1 << (8 - count)) - 1, 8 - count);
  return out.subarray(0, length);
}
