import { Readable } from 'node:stream';
import { constants, crc32, createInflate } from 'node:zlib';
import { fourcc, view } from './bmff.ts';

export interface PngHeader {
  width: number;
  height: number;
  depth: number;
  colorType: number;
  interlaced: boolean;
}

/** A chunk that claims to reach further is left as it is. */
const MAX_BYTES = 64 * 1_048_576;

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Adam7: first column and row of each pass, and its steps (PNG 3rd edition, 8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The bytes of all rows, with the filter byte of each. */
function bytesOfRows({ width, height, depth, colorType, interlaced }: PngHeader): number {
  const bits = depth * (CHANNELS[colorType] ?? 4);
  const rows = (columns: number, count: number) => (columns > 0 ? count * (1 + Math.ceil((columns * bits) / 8)) : 0);
  if (!interlaced) return rows(width, height);
  return PASSES.reduce(
    (sum, [x, y, dx, dy]) => sum + rows(Math.ceil((width - x) / dx), Math.max(0, Math.ceil((height - y) / dy))),
    0,
  );
}

/** True when the picture data of a PNG, given as the contents of its `IDAT` chunks, holds every row. */
export async function isEveryRowThere(header: PngHeader, parts: readonly Uint8Array[]): Promise<boolean> {
  const expected = bytesOfRows(header);
  // Data that stops early is no error here: the rows are counted.
  const rows = Readable.from(parts).pipe(createInflate({ finishFlush: constants.Z_SYNC_FLUSH }));
  let found = 0;
  try {
    for await (const piece of rows) {
      found += (piece as Buffer).length;
      if (found >= expected) return true;
    }
  } catch {
    // Not deflated data.
  }
  return false;
}

const IEND = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

/** Returns a PNG with the end that it lacks: the rest of its last chunk, and `IEND`. The same bytes where it has one. */
export function withEnd(bytes: Uint8Array): Uint8Array {
  const data = view(bytes);
  let at = 8;
  while (at + 8 <= bytes.length) {
    const type = fourcc(bytes, at + 4);
    const end = at + 8 + data.getUint32(at);
    if (type === 'IEND') return bytes;
    if (end + 4 > bytes.length || !/^[A-Za-z]{4}$/.test(type)) {
      if (type !== 'IDAT' || end > MAX_BYTES) break;
      const last = Buffer.alloc(end - at + 4);
      last.set(bytes.subarray(at, Math.min(end, bytes.length)));
      last.writeUInt32BE(crc32(last.subarray(4, -4)), last.length - 4);
      return Buffer.concat([bytes.subarray(0, at), last, IEND]);
    }
    at = end + 4;
  }
  return Buffer.concat([bytes.subarray(0, Math.min(at, bytes.length)), IEND]);
}
