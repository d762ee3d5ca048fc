import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bitString, MAX_SCOPE, probeKeys, slotKeys } from './slots.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('hashes within 31 bits always share a key, wherever the bits lie', () => {
  const flips = fc.uniqueArray(fc.nat(255), { maxLength: 31 });
  fc.assert(
    fc.property(hash, flips, fc.integer({ min: 1, max: MAX_SCOPE }), (stored, bits, scope) => {
      const searched = Uint8Array.from(stored);
      for (const bit of bits) searched[bit >> 3]! ^= 1 << (bit & 7);
      const keys = new Set(probeKeys([scope], searched));
      expect(slotKeys(scope, stored).some(key => keys.has(key))).toBe(true);
    }),
  );
});

test('two bits off in each of the sixteen slots is the first distance that can be missed', () => {
  const stored = new Uint8Array(32);
  const searched = new Uint8Array(32).map((_, i) => (i % 2 ? 3 : 0));
  const keys = new Set(probeKeys([1], searched));
  expect(slotKeys(1, stored).some(key => keys.has(key))).toBe(false);
});

test('scopes never share a key, and keys fit a bigint', () => {
  fc.assert(
    fc.property(hash, fc.integer({ min: 1, max: MAX_SCOPE - 1 }), (value, scope) => {
      const other = new Set(probeKeys([scope + 1], value));
      expect(slotKeys(scope, value).some(key => other.has(key))).toBe(false);
      for (const key of slotKeys(scope, value)) expect(BigInt.asIntN(64, BigInt(key)) > 0n).toBe(true);
    }),
  );
});

test('the bit string reads as PostgreSQL orders bits', () => {
  expect(bitString(Uint8Array.of(0x80, 0x01))).toBe('1000000000000001');
});
