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

/** The hash over a node whose two children lie side by side: 64 bytes. */
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
  const ranges: LeafRange[] = [];
  let [from, to] = [0n, size];
  while (to - from > 1n) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
    }
  }
  return ranges.reverse();
}

/** The subtrees whose roots prove that the tree of `old` leaves is the start of the one of `size` leaves. */
export function consistencyRanges(old: bigint, size: bigint): LeafRange[] {
  if (old < 0n || old > size) throw new RangeError(`a tree of ${old} leaves is no start of one of ${size}`);
  if (old === 0n || old === size) return [];
  const ranges: LeafRange[] = [];
  let [from, to] = [0n, size];
  let whole = true;
  while (old !== to) {
    const middle = from + splitOf(to - from);
    if (old <= middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
      whole = false;
    }
  }
  if (!whole) ranges.push([from, to]);
  return ranges.reverse();
}

/** The root that an inclusion proof leads to, or null when it has not the length of one. */
export function rootFromInclusion(
  leaf: Uint8Array,
  index: bigint,
  size: bigint,
  proof: readonly Uint8Array[],
): Uint8Array | null {
  if (index < 0n || index >= size) return null;
  const ranges = inclusionRanges(index, size);
  if (proof.length !== ranges.length || [leaf, ...proof].some(hash => hash.length !== 32)) return null;
  return ranges.reduce(
    (hash, [from], step) => (from > index ? nodeHash(hash, proof[step]!) : nodeHash(proof[step]!, hash)),
    leaf,
  );
}

/** Whether `proof` shows that the leaf with this hash stands at `index` of the tree with this size and root. */
export function verifyInclusion(o: {
  leaf: Uint8Array;
  index: bigint;
  size: bigint;
  proof: readonly Uint8Array[];
  root: Uint8Array;
}): boolean {
  const root = rootFromInclusion(o.leaf, o.index, o.size, o.proof);
  return root !== null && equal(root, o.root);
}

/** Whether `proof` shows that the tree of `old` leaves is the start of the one of `size` leaves. */
export function verifyConsistency(o: {
  old: bigint;
  oldRoot: Uint8Array;
  size: bigint;
  root: Uint8Array;
  proof: readonly Uint8Array[];
}): boolean {
  const { old, size, proof } = o;
  if (old < 0n || old > size || proof.some(hash => hash.length !== 32)) return false;
  if (size === 0n && !equal(o.root, EMPTY_ROOT)) return false;
  if (old === size) return proof.length === 0 && equal(o.oldRoot, o.root);
  if (old === 0n) return proof.length === 0 && o.root.length === 32 && equal(o.oldRoot, EMPTY_ROOT);
  const ranges = consistencyRanges(old, size);
  if (proof.length !== ranges.length) return false;
  // The old tree is itself a subtree of the new one exactly when no proof hash stands for its right edge.
  let steps = ranges.map((range, step) => ({ range, hash: proof[step]! }));
  let oldHash = o.oldRoot;
  let hash = o.oldRoot;
  if ((old & (old - 1n)) !== 0n) {
    hash = steps[0]!.hash;
    oldHash = hash;
    steps = steps.slice(1);
  }
  for (const step of steps) {
    if (step.range[0] >= old) {
      hash = nodeHash(hash, step.hash);
    } else {
      hash = nodeHash(step.hash, hash);
      oldHash = nodeHash(step.hash, oldHash);
    }
  }
  return equal(oldHash, o.oldRoot) && equal(hash, o.root);
}
