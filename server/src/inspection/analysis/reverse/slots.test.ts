import { random } from '@firsthand/forensics/pixels/random.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bitString, candidates, filings, MAX_SCOPE, probeKeys } from './slots.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** True when a search for one hash finds the other, which is stored in scope 1 as entry 7. */
function finds(searched: Uint8Array, stored: Uint8Array): boolean {
  const probes = new Map(probeKeys([1], searched).map((key, i) => [key, Math.floor(i / 17)]));
  const found = filings(1, 7, stored).flatMap(({ key, record }) =>
    probes.has(key) ? [{ slot: probes.get(key)!, records: record }] : [],
  );
  return candidates(found, searched).includes(7);
}

const changed = (from: Uint8Array, bits: readonly number[]): Uint8Array => {
  const to = Uint8Array.from(from);
  for (const bit of bits) to[bit >> 3]! ^= 128 >> (bit & 7);
  return to;
};

test('slots find every hash within 31 bits, wherever the bits differ', () => {
  const flips = fc.uniqueArray(fc.nat(255), { minLength: 20, maxLength: 31 });
  fc.assert(
    fc.property(hash, flips, (stored, bits) => finds(changed(stored, bits), stored)),
    { numRuns: 2_000 },
  );
});

test('slots find every hash within 31 bits, for every distribution of bits over the slots', () => {
  // The number of equal cuts is the number of bits in a slot. This can produce every distribution of 31 bits over sixteen slots.
  const cuts = fc.array(fc.nat(15), { minLength: 31, maxLength: 31 });
  const few = fc.array(fc.constantFrom(...[0, 1, 2, 3, 8, 16]), { minLength: 16, maxLength: 16 });
  const divided = fc.oneof(
    cuts.map(list => Array.from({ length: 16 }, (_, slot) => list.filter(cut => cut === slot).length)),
    few.filter(list => list.reduce((sum, n) => sum + n) <= 31),
  );
  fc.assert(
    fc.property(hash, divided, (stored, counts) => {
      fc.pre(counts.every(count => count <= 16));
      const bits = counts.flatMap((count, slot) => Array.from({ length: count }, (_, i) => slot * 16 + ((i * 7) % 16)));
      return finds(changed(stored, bits), stored);
    }),
    { numRuns: 2_000 },
  );
});

test('slots can miss a hash only from two bits in each of the sixteen slots on', () => {
  const stored = new Uint8Array(32);
  const searched = new Uint8Array(32).map((_, i) => (i % 2 ? 3 : 0));
  expect(finds(searched, stored)).toBe(false);
});

test('slots find most hashes within 63 bits, and hardly any other', () => {
  const rng = random(5);
  const share = (distance: number) => {
    let found = 0;
    for (let run = 0; run < 2_000; run++) {
      const bits = Array.from({ length: 256 }, (_, bit) => ({ bit, rank: rng.uniform() })).sort(
        (a, b) => a.rank - b.rank,
      );
      const stored = new Uint8Array(32);
      const searched = changed(
        stored,
        bits.slice(0, distance).map(({ bit }) => bit),
      );
      if (finds(searched, stored)) found += 1;
    }
    return found / 2_000;
  };
  expect(share(40)).toBeGreaterThan(0.985);
  expect(share(50)).toBeGreaterThan(0.93);
  expect(share(60)).toBeGreaterThan(0.7);
  expect(share(128)).toBeLessThan(0.005);
});

test('slots give scopes different keys, and keys and entries fit', () => {
  fc.assert(
    fc.property(hash, fc.integer({ min: 1, max: MAX_SCOPE - 1 }), fc.maxSafeNat(), (value, scope, large) => {
      const other = new Set(probeKeys([scope + 1], value));
      const entry = large % 2 ** 48;
      for (const [slot, { key, record }] of filings(scope, entry, value).entries()) {
        expect(other.has(key)).toBe(false);
        expect(BigInt.asIntN(64, BigInt(key)) > 0n).toBe(true);
        expect((BigInt(key) >> 16n) & 15n).toBe(BigInt(slot));
        expect(candidates([{ slot, records: record }], value)).toEqual([entry]);
      }
    }),
  );
});

test('bitString has PostgreSQL’s order of bits', () => {
  expect(bitString(Uint8Array.of(0x80, 0x01))).toBe('1000000000000001');
});
