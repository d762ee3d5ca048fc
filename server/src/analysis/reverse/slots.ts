/** Slots of 16 bits a hash is cut into, most significant first. */
const SLOTS = 16;

/** Scopes past this do not fit the key. */
export const MAX_SCOPE = 2 ** 43 - 1;

const keyOf = (scope: number, slot: number, bits: number): string =>
  ((BigInt(scope) << 20n) | BigInt((slot << 16) | bits)).toString();

const slotBits = (hash: Uint8Array, slot: number): number => (hash[slot * 2]! << 8) | hash[slot * 2 + 1]!;

/** The sixteen keys an entry is filed under. */
export function slotKeys(scope: number, hash: Uint8Array): string[] {
  return Array.from({ length: SLOTS }, (_, slot) => keyOf(scope, slot, slotBits(hash, slot)));
}

/**
 * The keys under which every entry within 31 bits is found: each slot as it is and with each one bit flipped, 272 a scope. (32 bits or more
 * may hide two in every slot; up to 63 most are found all the same.)
 */
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

/** The hash as PostgreSQL's bit(256) reads it. */
export const bitString = (hash: Uint8Array): string =>
  Array.from(hash, byte => byte.toString(2).padStart(8, '0')).join('');
