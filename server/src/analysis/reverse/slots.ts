// Multi-index hashing (Norouzi, Punjani, Fleet 2012) with a check of the chain that follows a slot (pigeonring: Qin and Xiao 2018).
//
// A hash is a ring of sixteen slots of 16 bits. Of two hashes within 31 bits, some slot begins a chain of which every beginning
// is no further apart than its share of the whole, 31/16 bits a slot: were there none, each slot would begin a chain that is
// further apart than its share, and such chains laid end to end around the ring would add up to more than 31. So that slot differs by one
// bit at most, and it and the four after it by 9 (5 × 31/16, rounded down).

/** Slots a hash is cut into, most significant first, each of 16 bits. */
const SLOTS = 16;
/**
 * Bits by which the four slots after one that agrees may differ. Anything from 9 is exact up to 31 bits; this lets most of what is up to
 * 63 bits away pass too, and 0.4% of what has nothing to do with the hash.
 */
const MAX_CHAIN = 21;
/** Bytes of a record: the entry's number (6) and the four slots that follow (8). */
const RECORD = 14;

/** Scopes past this do not fit the key. */
export const MAX_SCOPE = 2 ** 43 - 1;

const keyOf = (scope: number, slot: number, bits: number): string =>
  ((BigInt(scope) << 20n) | BigInt((slot << 16) | bits)).toString();

const slotBits = (hash: Uint8Array, slot: number): number => (hash[slot * 2]! << 8) | hash[slot * 2 + 1]!;

/** The four slots after one, around the ring. */
function chain(hash: Uint8Array, slot: number): Buffer {
  const bytes = Buffer.alloc(8);
  for (let i = 0; i < 8; i++) bytes[i] = hash[(slot * 2 + 2 + i) % hash.length]!;
  return bytes;
}

/** Where an entry is filed: sixteen records, each under its key. */
export function filings(scope: number, entry: number, hash: Uint8Array): { key: string; record: Buffer }[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    const record = Buffer.alloc(RECORD);
    record.writeUIntBE(entry, 0, 6);
    chain(hash, slot).copy(record, 6);
    return { key: keyOf(scope, slot, slotBits(hash, slot)), record };
  });
}

/** The keys that hold every entry within 31 bits: each slot as it is and with each one bit flipped, 272 a scope. */
export function probeKeys(scopes: readonly number[], hash: Uint8Array): string[] {
  const keys: string[] = [];
  for (const scope of scopes)
    for (let slot = 0; slot < SLOTS; slot++) {
      const bits = slotBits(hash, slot);
      keys.push(keyOf(scope, slot, bits));
      for (let bit = 0; bit < 16; bit++) keys.push(keyOf(scope, slot, bits ^ (1 << bit)));
    }
  return keys;
}

/** Records found under one of a hash's keys, one after the other. */
export interface FoundRecords {
  slot: number;
  records: Buffer;
}

/**
 * The entries among what {@link probeKeys} found whose chains agree too: all of those within 31 bits, most of those within 63, and few
 * others. Each once.
 */
export function candidates(found: readonly FoundRecords[], hash: Uint8Array): number[] {
  const chains = Array.from({ length: SLOTS }, (_, slot) => {
    const bytes = chain(hash, slot);
    return [bytes.readInt32BE(0), bytes.readInt32BE(4)] as const;
  });
  const entries = new Set<number>();
  for (const { slot, records } of found) {
    const [left, right] = chains[slot]!;
    for (let at = 0; at < records.length; at += RECORD) {
      const differing = bitCount(records.readInt32BE(at + 6) ^ left) + bitCount(records.readInt32BE(at + 10) ^ right);
      if (differing <= MAX_CHAIN) entries.add(records.readUIntBE(at, 6));
    }
  }
  return [...entries];
}

/** Set bits of 32. */
function bitCount(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The hash as PostgreSQL's bit(256) reads it. */
export const bitString = (hash: Uint8Array): string =>
  Array.from(hash, byte => byte.toString(2).padStart(8, '0')).join('');
