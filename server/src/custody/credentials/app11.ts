import { jpegSegments } from '@firsthand/forensics/files/metadata/containers.ts';

// A manifest lies in APP11 segments, as JUMBF boxes of other uses do, and some makers' own data. c2pa-rs takes a segment for a part of the
// manifest by its bytes 2 and 3, which number the boxes of JUMBF (ISO 19566-5, D.2), and reads no segment of 17 to 27 bytes.

const APP11 = 'ffeb';
/** The number that c2pa-rs gives to the box of its manifest. */
const MANIFEST = 0x0211;
const UNREAD_FROM = 17;
const READ_FROM = 28;

/**
 * The JPEG as c2pa-rs can write a manifest into it: other boxes with the manifest's number get a free one, and short segments are filled
 * up with spaces. A segment of a maker with that number is no box, so it is left out.
 */
export function withRoomForManifest(jpeg: Buffer): Buffer {
  const segments = jpegSegments(jpeg).filter(({ type }) => type === APP11);
  const parts: Buffer[] = [];
  const used = new Set(segments.map(({ start, end }) => numberOf(jpeg.subarray(start, end))));
  const renumbered = new Map<number, number>();
  let at = 0;
  let store = { number: MANIFEST, sequence: 0 };
  for (const { start, end } of segments) {
    const payload = jpeg.subarray(start, end);
    const box = payload.length >= 8 && payload.toString('latin1', 0, 2) === 'JP';
    const number = numberOf(payload);
    const sequence = box ? payload.readUInt32BE(4) : 0;
    const continues = store.sequence > 0 && number === store.number && sequence === store.sequence + 1;
    if (box && (payload.toString('latin1', 24, 28) === 'c2pa' || continues)) {
      store = { number, sequence };
      continue;
    }
    const short = payload.length >= UNREAD_FROM && payload.length < READ_FROM;
    const clashes = payload.length >= UNREAD_FROM && (number === MANIFEST || number === store.number);
    if (!short && !clashes) continue;
    parts.push(jpeg.subarray(at, start - 4));
    at = end;
    if (clashes && !box) continue;
    const filled = Buffer.alloc(Math.max(payload.length, READ_FROM), ' ');
    payload.copy(filled);
    if (clashes) {
      if (!renumbered.has(number)) renumbered.set(number, freeNumber(used));
      filled.writeUInt16BE(renumbered.get(number)!, 2);
    }
    parts.push(Buffer.of(0xff, 0xeb, (filled.length + 2) >> 8, (filled.length + 2) & 0xff), filled);
  }
  return parts.length === 0 ? jpeg : Buffer.concat([...parts, jpeg.subarray(at)]);
}

const numberOf = (payload: Buffer): number => (payload.length >= 4 ? payload.readUInt16BE(2) : -1);

function freeNumber(used: Set<number>): number {
  let number = MANIFEST + 1;
  while (used.has(number)) number += 1;
  used.add(number);
  return number;
}
