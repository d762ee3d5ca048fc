import { sha256 } from '#sha256';
import { concat, equal, utf8 } from './bytes.ts';

// Tree hashing and proofs of RFC 6962, section 2.1. Indices and sizes are BigInt: a log may outgrow 2^53.

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** A complete subtree: the leaves from `index` × 2^`height`, 2^`height` of them. */
export interface TreeNode {
  height: number;
  index: bigint;
}

/** The hash of a complete subtree. */
export type NodeHash = (node: TreeNode) => Uint8Array;

export const EMPTY_ROOT: Uint8Array = sha256(utf8(''));

export const leafHash = (entry: Uint8Array): Uint8Array => sha256(concat(LEAF, entry));

export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concat(NODE, left, right));

const scratch = new Uint8Array(65);
scratch.set(NODE);

/** The hash over a node whose two children lie side by side: 64 bytes. A proof in a large log takes a thousand of these. */
export function pairHash(children: Uint8Array): Uint8Array {
  scratch.set(children, 1);
  return sha256(scratch);
}

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: bigint): bigint {
  let split = 1n;
  while (split << 1n < size) split <<= 1n;
  return split;
}

/** The complete subtrees that make up the leaves [from, to), from left to right. */
export function nodesOf(from: bigint, to: bigint): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let at = from; at < to; ) {
    let height = 0;
    while ((at >> BigInt(height)) % 2n === 0n && at + (2n << BigInt(height)) <= to) height += 1;
    nodes.push({ height, index: at >> BigInt(height) });
    at += 1n << BigInt(height);
  }
  return nodes;
}

/** A run of leaves under one node of some tree: [from, to). */
export type LeafRange = readonly [from: bigint, to: bigint];

/** The root over the leaves of a range that is a subtree of some tree. */
export function rangeHash([from, to]: LeafRange, hashOf: NodeHash): Uint8Array {
  if (from === to) return EMPTY_ROOT;
  return nodesOf(from, to)
    .map(hashOf)
    .reduceRight((right, left) => nodeHash(left, right));
}

/** The root of a tree of `size` leaves. */
export const rootOf = (size: bigint, hashOf: NodeHash): Uint8Array => rangeHash([0n, size], hashOf);

/** The subtrees whose roots prove that leaf `index` is in the tree of `size` leaves, from the leaf upwards. */
export function inclusionRanges(index: bigint, size: bigint): LeafRange[] {
  if (index < 0n || index >= size) throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  const path = (from: bigint, to: bigint): LeafRange[] => {
    if (to - from === 1n) return [];
    const middle = from + splitOf(to - from);
    return index < middle ? [...path(from, middle), [middle, to]] : [...path(middle, to), [from, middle]];
  };
  return path(0n, size);
}

/** The subtrees whose roots prove that the tree of `old` leaves is the start of the one of `size` leaves. */
export function consistencyRanges(old: bigint, size: bigint): LeafRange[] {
  if (old < 0n || old > size) throw new RangeError(`a tree of ${old} leaves is no start of one of ${size}`);
  const path = (from: bigint, to: bigint, whole: boolean): LeafRange[] => {
    if (old === to) return whole ? [] : [[from, to]];
    const middle = from + splitOf(to - from);
    return old <= middle ? [...path(from, middle, whole), [middle, to]] : [...path(middle, to, false), [from, middle]];
  };
  return old === 0n ? [] : path(0n, size, true);
}

/** Whether `proof` shows that the leaf with this hash stands at `index` of the tree with this size and root. */
export function verifyInclusion(o: {
  leaf: Uint8Array;
  index: bigint;
  size: bigint;
  proof: readonly Uint8Array[];
  root: Uint8Array;
}): boolean {
  const { index, size, proof } = o;
  if (index < 0n || index >= size || [o.leaf, ...proof].some(hash => hash.length !== 32)) return false;
  const ranges = inclusionRanges(index, size);
  if (proof.length !== ranges.length) return false;
  const upwards = (hash: Uint8Array, [from]: LeafRange, step: number) =>
    from > index ? nodeHash(hash, proof[step]!) : nodeHash(proof[step]!, hash);
  return equal(ranges.reduce(upwards, o.leaf), o.root);
}

/** Whether `proof` shows that the tree of `old` leaves is the start of the one of `size` leaves. */
export function verifyConsistency(o: {
  old: bigint;
  oldRoot: Uint8Array;
  size: bigint;
  root: Uint8Array;
  proof: readonly Uint8Array[];
}): boolean {
  const { old, oldRoot, size, root, proof } = o;
  if (old < 0n || old > size || proof.some(hash => hash.length !== 32)) return false;
  if (size === 0n && !equal(root, EMPTY_ROOT)) return false;
  if (old === size) return proof.length === 0 && equal(oldRoot, root);
  if (old === 0n) return proof.length === 0 && root.length === 32 && equal(oldRoot, EMPTY_ROOT);
  const ranges = consistencyRanges(old, size);
  if (proof.length !== ranges.length) return false;
  // The old tree is itself a subtree of the new one exactly when no proof hash stands for its right edge.
  const whole = (old & (old - 1n)) === 0n;
  let hash = whole ? oldRoot : proof[0]!;
  let oldHash = hash;
  for (let step = whole ? 0 : 1; step < ranges.length; step += 1) {
    const beside = proof[step]!;
    if (ranges[step]![0] >= old) hash = nodeHash(hash, beside);
    else [hash, oldHash] = [nodeHash(beside, hash), nodeHash(beside, oldHash)];
  }
  return equal(oldHash, oldRoot) && equal(hash, root);
}
