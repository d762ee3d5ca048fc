import { concat, utf8 } from '@firsthand/evidence/bytes.ts';
import { leafHash, type NodeHash, nodesOf, type TreeNode } from '@firsthand/evidence/merkle.ts';
import { entryBundle, foldTile, nodeInTile, TILE_WIDTH, tileOf } from '@firsthand/evidence/tiles.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';

/** The level under which the entries themselves are kept. */
export const ENTRIES_LEVEL = -1;

const HASH_BYTES = 32;

/** Adds entries behind the `size` that the log has. The caller holds the log's row. */
export async function appendToTiles(
  tx: Tx,
  logId: number,
  size: bigint,
  entries: readonly Uint8Array[],
): Promise<void> {
  await appendEntries(tx, logId, size, entries);
  let hashes = entries.map(leafHash);
  let from = size;
  for (let level = 0; hashes.length > 0; level += 1) {
    const last = await lastTile(tx, logId, level, from);
    const whole = concat(last, ...hashes);
    const firstTile = from / BigInt(TILE_WIDTH);
    await storeTiles(tx, logId, level, firstTile, split(whole, TILE_WIDTH * HASH_BYTES));
    // Tiles that are full now have a hash one level up.
    const full = split(whole, TILE_WIDTH * HASH_BYTES).filter(tile => tile.length === TILE_WIDTH * HASH_BYTES);
    hashes = full.map(foldTile);
    from = firstTile;
  }
}

async function appendEntries(tx: Tx, logId: number, size: bigint, entries: readonly Uint8Array[]): Promise<void> {
  const last = await lastTile(tx, logId, ENTRIES_LEVEL, size);
  const room = TILE_WIDTH - Number(size % BigInt(TILE_WIDTH));
  const bundles = [concat(last, entryBundle(entries.slice(0, room)))];
  for (let at = room; at < entries.length; at += TILE_WIDTH)
    bundles.push(entryBundle(entries.slice(at, at + TILE_WIDTH)));
  await storeTiles(tx, logId, ENTRIES_LEVEL, size / BigInt(TILE_WIDTH), bundles);
}

/** The bytes of the tile that is being filled; empty when it has none yet. */
async function lastTile(tx: Tx, logId: number, level: number, from: bigint): Promise<Uint8Array> {
  if (from % BigInt(TILE_WIDTH) === 0n) return utf8('');
  const bytes = await readTile(tx, logId, level, from / BigInt(TILE_WIDTH));
  if (!bytes) throw new Error(`tile ${level}/${from / BigInt(TILE_WIDTH)} of log ${logId} is missing`);
  return bytes;
}

async function storeTiles(
  tx: Tx,
  logId: number,
  level: number,
  first: bigint,
  tiles: readonly Uint8Array[],
): Promise<void> {
  await tx.query(
    `insert into evidence_tiles (log_id, level, index, bytes)
     select $1, $2, $3::bigint + at - 1, bytes from unnest($4::bytea[]) with ordinality as tile (bytes, at)
     on conflict (log_id, level, index) do update set bytes = excluded.bytes`,
    [logId, level, first, tiles.map(tile => Buffer.from(tile))],
  );
}

function split(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}

export async function readTile(db: Queryable, logId: number, level: number, index: bigint): Promise<Buffer | null> {
  const row = await one<{ bytes: Buffer }>(
    db,
    'select bytes from evidence_tiles where log_id = $1 and level = $2 and index = $3',
    [logId, level, index],
  );
  return row?.bytes ?? null;
}

/** The hashes of the nodes that make up the given ranges of leaves, read with one query. */
export async function loadNodes(
  db: Queryable,
  logId: number,
  ranges: readonly (readonly [bigint, bigint])[],
): Promise<NodeHash> {
  const wanted = new Map<string, { level: number; index: bigint }>();
  for (const node of ranges.flatMap(([from, to]) => nodesOf(from, to))) wanted.set(keyOf(node), tileOf(node));
  const places = [...wanted.values()];
  const rows = await many<{ level: number; index: string; bytes: Buffer }>(
    db,
    `select level, index, bytes from evidence_tiles
     where log_id = $1 and (level, index) in (select * from unnest($2::smallint[], $3::bigint[]))`,
    [logId, places.map(({ level }) => level), places.map(({ index }) => index)],
  );
  const tiles = new Map(rows.map(row => [`${row.level}/${row.index}`, row.bytes]));
  return node => {
    const bytes = tiles.get(keyOf(node));
    if (!bytes) throw new Error(`tile ${keyOf(node)} of log ${logId} is missing`);
    return nodeInTile(bytes, node);
  };
}

function keyOf(node: TreeNode): string {
  const { level, index } = tileOf(node);
  return `${level}/${index}`;
}
