import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equal, fromBase64, utf8 } from '../src/bytes.ts';
import {
  consistencyRanges,
  EMPTY_ROOT,
  inclusionRanges,
  leafHash,
  rangeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '../src/merkle.ts';
import { nodesOver } from './build.ts';
import { testdata } from './vectors.ts';

interface Inclusion {
  name: string;
  leafIdx: number;
  treeSize: number;
  root: string | null;
  leafHash: string | null;
  proof: (string | null)[] | null;
  wantErr: boolean;
}
interface Consistency {
  name: string;
  size1: number;
  size2: number;
  root1: string | null;
  root2: string | null;
  proof: (string | null)[] | null;
  wantErr: boolean;
}

const vectors = testdata<{ inclusion: Inclusion[]; consistency: Consistency[] }>('merkle.json');
const bytes = (text: string | null) => fromBase64(text ?? '')!;

describe('verifyInclusion', () => {
  it.each(vectors.inclusion.map(vector => [vector.name, vector] as const))(
    'agrees with transparency-dev on %s',
    (_, v) => {
      const holds = verifyInclusion({
        leaf: bytes(v.leafHash),
        index: BigInt(v.leafIdx),
        size: BigInt(v.treeSize),
        proof: (v.proof ?? []).map(bytes),
        root: bytes(v.root),
      });
      expect(holds).toBe(!v.wantErr);
    },
  );
});

describe('verifyConsistency', () => {
  it.each(vectors.consistency.map(vector => [vector.name, vector] as const))(
    'agrees with transparency-dev on %s',
    (_, v) => {
      const holds = verifyConsistency({
        old: BigInt(v.size1),
        oldRoot: bytes(v.root1),
        size: BigInt(v.size2),
        root: bytes(v.root2),
        proof: (v.proof ?? []).map(bytes),
      });
      expect(holds).toBe(!v.wantErr);
    },
  );
});

describe('proofs', () => {
  const leaves = Array.from({ length: 70 }, (_, index) => leafHash(utf8(`entry ${index}`)));
  const hashOf = nodesOver(leaves);
  const sizes = fc.integer({ min: 1, max: 70 });

  it('of inclusion verify for their entry, and for no other', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, a, b) => {
        const [index, other] = [a % size, b % size];
        const n = BigInt(size);
        const proof = inclusionRanges(BigInt(index), n).map(range => rangeHash(range, hashOf));
        const holds = (leaf: Uint8Array, at: bigint) =>
          verifyInclusion({ leaf, index: at, size: n, proof, root: rootOf(n, hashOf) });
        expect(holds(leaves[index]!, BigInt(index))).toBe(true);
        expect(holds(leaves[other]!, BigInt(index))).toBe(other === index);
        expect(holds(leaves[index]!, BigInt(other))).toBe(other === index);
      }),
    );
  });

  it('of consistency verify between any two states, and not for another root', () => {
    fc.assert(
      fc.property(fc.nat({ max: 70 }), sizes, (a, b) => {
        const [old, size] = [BigInt(Math.min(a, b)), BigInt(Math.max(a, b))];
        const proof = consistencyRanges(old, size).map(range => rangeHash(range, hashOf));
        const o = { old, oldRoot: rootOf(old, hashOf), size, root: rootOf(size, hashOf), proof };
        expect(verifyConsistency(o)).toBe(true);
        expect(verifyConsistency({ ...o, oldRoot: leafHash(utf8('another')) })).toBe(false);
        // Everything is consistent with nothing.
        expect(verifyConsistency({ ...o, root: leafHash(utf8('another')) })).toBe(old === 0n && size > 0n);
      }),
    );
  });

  it('rootOf of no entries is the hash of the empty string', () => {
    expect(equal(rootOf(0n, hashOf), EMPTY_ROOT)).toBe(true);
  });
});
