import { setImmediate as turn } from 'node:timers/promises';
import { type Codes, type Frame, isFrame, readCodes, readFrame, readScan, type Scan, segments } from './coarse-jpeg.ts';

/** Blocks read in one turn of the event loop: about 5 ms. */
const BLOCKS_A_TURN = 16_384;
/** Encoders write about ten scans. Each costs a walk over all blocks. */
const MAX_SCANS = 32;

/**
 * True when a JPEG has every bit of every pixel: each scan reaches its last block, and together the scans carry all coefficients. Decodes
 * the Huffman codes (ITU-T T.81, annexes F and G) and throws the values away. False for arithmetic coding, which it does not read.
 */
export async function isEveryPixelThere(bytes: Uint8Array): Promise<boolean> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = new Map<number, Codes>();
  let walk: Walk | undefined;
  let interval = 0;
  let scans = 0;
  for (const { marker, body, end } of segments(buffer)) {
    if (marker === 0xc4) readCodes(body, tables);
    else if (marker === 0xdd && body.length >= 2) interval = body.readUInt16BE(0);
    else if (isFrame(marker)) walk = new Walk(readFrame(marker, body));
    else if (marker === 0xda) {
      scans += 1;
      if (!walk || walk.frame.arithmetic || scans > MAX_SCANS) return false;
      const read = readScan(body, walk.frame, tables);
      if (!(await walk.scan(buffer.subarray(end), read, interval))) return false;
    }
  }
  return walk?.isComplete() ?? false;
}

/** Codes of up to this many bits are looked up. Longer ones are rare. */
const LOOKED_UP = 9;

/** A Huffman table to read from: by the next nine bits, `length << 8 | symbol`, 0 for a longer code. */
interface Lookup {
  short: Uint16Array;
  counts: Uint8Array;
  symbols: Uint8Array;
}

function lookupOf({ counts, symbols }: Codes): Lookup {
  const short = new Uint16Array(1 << LOOKED_UP);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= LOOKED_UP; length++) {
    for (let i = 0; i < counts[length - 1]!; i++, code++, index++) {
      const from = code << (LOOKED_UP - length);
      short.fill((length << 8) | (symbols[index] ?? 0), from, from + (1 << (LOOKED_UP - length)));
    }
    code <<= 1;
  }
  return { short, counts, symbols };
}

/** Reads the bits of one scan. `over`: more bits were asked for than there are, or bits that are no code. */
class Bits {
  readonly #data: Buffer;
  #at = 0;
  #held = 0;
  #count = 0;
  /** Bits of the held ones that are not in the file. */
  #lent = 0;
  over = false;

  constructor(data: Buffer) {
    this.#data = data;
  }

  #fill(): void {
    while (this.#count <= 16) {
      const byte = this.#data[this.#at];
      if (byte === undefined || (byte === 0xff && this.#data[this.#at + 1] !== 0)) {
        this.#held = (this.#held << 8) & 0xffffff;
        this.#lent += 8;
      } else {
        this.#held = ((this.#held << 8) | byte) & 0xffffff;
        this.#at += byte === 0xff ? 2 : 1;
      }
      this.#count += 8;
    }
  }

  /** @param n at most 16 */
  bits(n: number): number {
    if (this.#count < n) this.#fill();
    this.#count -= n;
    if (this.#count < this.#lent) this.over = true;
    return (this.#held >> this.#count) & ((1 << n) - 1);
  }

  symbol(table: Lookup): number {
    if (this.#count < 16) this.#fill();
    const found = table.short[(this.#held >> (this.#count - LOOKED_UP)) & ((1 << LOOKED_UP) - 1)]!;
    if (found > 0) {
      this.#count -= found >> 8;
      if (this.#count < this.#lent) this.over = true;
      return found & 255;
    }
    let [code, first, index] = [0, 0, 0];
    for (const count of table.counts) {
      code |= this.bits(1);
      if (code - count < first) return table.symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    this.over = true;
    return 0;
  }

  /** Continues after the next marker, which must be restart marker `n`. */
  restart(n: number): void {
    let at = this.#data.indexOf(0xff, this.#at);
    while (at >= 0 && (this.#data[at + 1] === 0x00 || this.#data[at + 1] === 0xff))
      at = this.#data.indexOf(0xff, at + 1);
    if (at < 0 || this.#data[at + 1] !== 0xd0 + n) this.over = true;
    this.#at = at + 2;
    this.#held = 0;
    this.#count = 0;
    this.#lent = 0;
  }
}

class Walk {
  readonly frame: Frame;
  /** By component and coefficient: the lowest bit read so far; 16 before the first. */
  readonly #low: Uint8Array[];
  /** By component: two words a block, a bit for each coefficient that is not zero. For refining scans. */
  readonly #filled: (Uint32Array | undefined)[];

  constructor(frame: Frame) {
    this.frame = frame;
    this.#low = frame.components.map(() => new Uint8Array(64).fill(16));
    this.#filled = frame.components.map(() => undefined);
  }

  isComplete(): boolean {
    return this.#low.every(coefficients => coefficients.every(low => low === 0));
  }

  /** Reads one scan. False when it ends before its last block. */
  async scan(data: Buffer, scan: Scan, interval: number): Promise<boolean> {
    const { frame } = this;
    const bits = new Bits(data);
    const [only] = scan.parts;
    const single = scan.parts.length === 1 && only ? only.component : undefined;
    const columns = single ? single.shownColumns : frame.mcuColumns;
    const mcus = columns * (single ? single.shownRows : frame.mcuRows);
    const readers = scan.parts.map(part => this.#readerOf(bits, scan, part));
    // The blocks of one MCU. Only scans of one component need to know which block it is.
    const unit = single
      ? readers
      : scan.parts.flatMap(({ component: { h, v } }, n) => Array.from({ length: h * v }, () => readers[n]!));
    const pause = Math.max(1, Math.floor(BLOCKS_A_TURN / unit.length));
    for (let mcu = 0; mcu < mcus; mcu++) {
      if (mcu > 0 && mcu % pause === 0) await turn();
      if (interval > 0 && mcu > 0 && mcu % interval === 0) {
        bits.restart((mcu / interval - 1) % 8);
        for (const reader of readers) reader.restart();
      }
      const at = single ? Math.floor(mcu / columns) * single.columns + (mcu % columns) : 0;
      for (let i = 0; i < unit.length; i++) unit[i]!.block(at);
      if (bits.over) return false;
    }
    for (const { component } of scan.parts) {
      this.#low[frame.components.indexOf(component)]!.fill(scan.low, scan.from, scan.to + 1);
    }
    return true;
  }

  #readerOf(bits: Bits, scan: Scan, part: Scan['parts'][number]): { block(at: number): void; restart(): void } {
    const none = {
      block: () => {
        bits.over = true;
      },
      restart: () => {},
    };
    const dc = part.dc && lookupOf(part.dc);
    const ac = part.ac && lookupOf(part.ac);
    if (!this.frame.progressive) {
      if (!dc || !ac) return none;
      return { block: () => wholeBlock(bits, dc, ac), restart: () => {} };
    }
    if (scan.from === 0) {
      if (scan.refines) return { block: () => bits.bits(1), restart: () => {} };
      if (!dc) return none;
      return { block: () => bits.bits(bits.symbol(dc) & 15), restart: () => {} };
    }
    if (!ac) return none;
    const n = this.frame.components.indexOf(part.component);
    this.#filled[n] ??= new Uint32Array(2 * part.component.columns * part.component.rows);
    return new Band(bits, ac, this.#filled[n], scan);
  }
}

/** One block of a sequential JPEG. */
function wholeBlock(bits: Bits, dc: Lookup, ac: Lookup): void {
  bits.bits(bits.symbol(dc) & 15);
  for (let k = 1; k < 64; k++) {
    const symbol = bits.symbol(ac);
    const size = symbol & 15;
    if (size === 0 && symbol !== 0xf0) return;
    k += symbol >> 4;
    bits.bits(size);
  }
}

/** The coefficients of one band of a progressive JPEG: first read, then refined bit by bit (annex G.1.2). */
class Band {
  readonly #bits: Bits;
  readonly #ac: Lookup;
  readonly #filled: Uint32Array;
  readonly #scan: Scan;
  /** Blocks that follow without anything new. */
  #empty = 0;

  constructor(bits: Bits, ac: Lookup, filled: Uint32Array, scan: Scan) {
    this.#bits = bits;
    this.#ac = ac;
    this.#filled = filled;
    this.#scan = scan;
  }

  restart(): void {
    this.#empty = 0;
  }

  block(at: number): void {
    if (this.#scan.refines) this.#refine(at);
    else this.#first(at);
  }

  #has = (at: number, k: number): boolean => ((this.#filled[2 * at + (k >> 5)]! >>> (k & 31)) & 1) === 1;

  #set(at: number, k: number): void {
    if (k < 64) this.#filled[2 * at + (k >> 5)]! |= 1 << (k & 31);
  }

  #first(at: number): void {
    if (this.#empty > 0) {
      this.#empty -= 1;
      return;
    }
    const bits = this.#bits;
    for (let k = this.#scan.from; k <= this.#scan.to; k++) {
      const symbol = bits.symbol(this.#ac);
      const [run, size] = [symbol >> 4, symbol & 15];
      if (size === 0 && run < 15) {
        this.#empty = (1 << run) - 1 + bits.bits(run);
        return;
      }
      k += run;
      if (size === 0) continue;
      bits.bits(size);
      this.#set(at, k);
    }
  }

  #refine(at: number): void {
    const bits = this.#bits;
    const { to } = this.#scan;
    let k = this.#scan.from;
    while (this.#empty === 0 && k <= to) {
      const symbol = bits.symbol(this.#ac);
      let run = symbol >> 4;
      const isNew = (symbol & 15) !== 0;
      if (!isNew && run < 15) {
        this.#empty = (1 << run) + bits.bits(run);
        break;
      }
      if (isNew) bits.bits(1);
      for (; k <= to; k++) {
        if (this.#has(at, k)) bits.bits(1);
        else if (run-- === 0) break;
      }
      if (isNew) this.#set(at, k);
      k += 1;
    }
    if (this.#empty === 0) return;
    for (; k <= to; k++) if (this.#has(at, k)) bits.bits(1);
    this.#empty -= 1;
  }
}
