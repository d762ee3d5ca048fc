// Multi-index hashing (Norouzi, Punjani, Fleet 2012), filtered by the chain that follows each slot (pigeonring: Qin and Xiao 2018).
//
// Treat a hash as a ring of sixteen 16-bit slots. If two hashes differ by at most 31 bits, some slot starts a chain in which every prefix
// differs by at most 31/16 bits per slot. Proof: otherwise every slot would start a chain that exceeds this share, and those chains, joined
// around the ring, would differ by more than 31 bits in total. So that slot differs by at most 1 bit, and it and the next four together by
// at most 9 (5 × 31/16, rounded down).

/** Slots in a hash, each 16 bits, most significant first. */
const SLOTS = 16;
/**
 * Maximum number of differing bits in the four slots after a matching slot. Any value from 9 finds everything within 31 bits. This value
 * also passes most hashes within 63 bits, and 0.4% of unrelated ones.
 */
const MAX_CHAIN = 21;
/** Bytes in a record: the entry's number (6) and the next four slots (8). */
const RECORD = 14;

/** Larger scope numbers do not fit the key. */
export const MAX_SCOPE = 2 ** 43 - 1;

const keyOf = (scope: number, slot: number, bits: number): string =>
  ((BigInt(scope) << 20n) | BigInt((slot << 16) | bits)).toString();

const slotBits = (hash: Uint8Array, slot: number): number => (hash[slot * 2]! << 8) | hash[slot * 2 + 1]!;

/** Returns the four slots after `slot`, wrapping around the ring. */
function chain(hash: Uint8Array, slot: number): Buffer {
  const bytes = Buffer.alloc(8);
  for (let i = 0; i < 8; i++) bytes[i] = hash[(slot * 2 + 2 + i) % hash.length]!;
  return bytes;
}

/** Returns the sixteen records of an entry, each with its key. */
export function filings(scope: number, entry: number, hash: Uint8Array): { key: string; record: Buffer }[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    const record = Buffer.alloc(RECORD);
    record.writeUIntBE(entry, 0, 6);
    chain(hash, slot).copy(record, 6);
    return { key: keyOf(scope, slot, slotBits(hash, slot)), record };
  });
}

/** Returns the keys under which every entry within 31 bits is found: each slot unchanged and with one bit flipped, 272 keys per scope. */
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

/** The concatenated records found under one key of a hash. */
interface FoundRecords {
  slot: number;
  records: Buffer;
}

/** Keeps the entries whose chains match too: all within 31 bits, most within 63 bits, and few others. Returns each entry once. */
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

/** Counts the set bits of a 32-bit integer. */
export function bitCount(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The hash as PostgreSQL's bit(256) reads it. */
export const bitString = (hash: Uint8Array): string =>
  Array.from(hash, byte => byte.toString(2).padStart(8, '0')).join('');
