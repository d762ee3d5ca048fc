import { concat } from '../src/bytes.ts';
import { pairHash, type TreeNode } from '../src/merkle.ts';

// Tiles of c2sp.org/tlog-tiles: 256 hashes of one level side by side, so that a log is a set of files which never change.

export const TILE_WIDTH = 256;

/** A tile's place: `level` 0 holds leaf hashes, each above it the roots of full tiles below. */
export interface TileAt {
  level: number | 'entries';
  index: bigint;
  /** How many hashes or entries are in it; 256 when it is full. */
  width: number;
}

/** The path of a tile after `tile/`: `0/x001/x234/067`, with `.p/<width>` for one that is not full. */
export function tilePath({ level, index, width }: TileAt): string {
  const digits = index.toString();
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g)!;
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${level}/${number}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Reads a path after `tile/`; null unless it is exactly what {@link tilePath} writes. */
export function parseTilePath(path: string): TileAt | null {
  const parts = /^(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path);
  if (!parts) return null;
  const level = parts[1] === 'entries' ? 'entries' : Number(parts[1]);
  const tile: TileAt = {
    level,
    index: BigInt(parts[2]!.replaceAll(/[x/]/g, '')),
    width: parts[3] === undefined ? TILE_WIDTH : Number(parts[3]),
  };
  if (level !== 'entries' && level > 63) return null;
  if (tile.width < 1 || tile.width > TILE_WIDTH) return null;
  return tilePath(tile) === path ? tile : null;
}

/** How many hashes the tile has in a log of `size` entries. */
export function widthAt(level: number, index: bigint, size: bigint): number {
  const here = (size >> BigInt(8 * level)) - index * 256n;
  return here <= 0n ? 0 : here > 256n ? TILE_WIDTH : Number(here);
}

/** The tile that holds, or whose hashes make up, a complete subtree. */
export const tileOf = ({ height, index }: TreeNode): { level: number; index: bigint } => ({
  level: Math.floor(height / 8),
  index: index >> BigInt(8 - (height % 8)),
});

/** The hash of a complete subtree from its tile's hashes, 32 bytes each. Throws a RangeError when they do not reach. */
export function nodeInTile(hashes: Uint8Array, { height, index }: TreeNode): Uint8Array {
  const inTile = height % 8;
  const count = 1 << inTile;
  const first = Number(index % BigInt(1 << (8 - inTile))) * count;
  if ((first + count) * 32 > hashes.length) throw new RangeError('the tile is too short for that node');
  return foldTile(hashes.subarray(first * 32, (first + count) * 32));
}

/** The root over a power of two of hashes. */
export function foldTile(hashes: Uint8Array): Uint8Array {
  let level = hashes;
  while (level.length > 32) {
    const above = new Uint8Array(level.length / 2);
    for (let at = 0; at < above.length; at += 32) above.set(pairHash(level.subarray(2 * at, 2 * at + 64)), at);
    level = above;
  }
  return level.slice();
}

/** The bytes of an entry bundle: each entry after its length, a big-endian uint16. */
export const entryBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  concat(...entries.map(entry => concat(Uint8Array.of(entry.length >> 8, entry.length & 255), entry)));

/** The entries of a bundle; null when its lengths do not fit its bytes. */
export function parseEntryBundle(bytes: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (at + 2 + length > bytes.length) return null;
    entries.push(bytes.slice(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return entries;
}
