import { equal, utf8 } from '@firsthand/evidence/bytes.ts';
import { type Checkpoint, checkpointText, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { rootOf } from '@firsthand/evidence/merkle.ts';
import { parseNote, signNote } from '@firsthand/evidence/note.ts';
import { BlobMissing } from '../blobs/store.ts';
import { one, type Queryable, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { createLog, type LogRow, signerFor, writeOwnKeys } from './log.ts';
import { loadNodes } from './tiles.ts';

/** How long a publisher that dies keeps the others waiting. */
const LEASE_SECONDS = 10;
const MAX_NOTE_BYTES = 65_536;

const highWaterKey = (logId: number): string => `evidence/high-water/${logId}`;

/**
 * Signs the log as it is committed, when it has grown. The note also goes to the blob store, before anybody sees it: a database
 * that was set back to an earlier state is known by it. Gives back whether it signed.
 */
export async function publish(deps: Deps): Promise<boolean> {
  const log = await one<LogRow>(
    deps.db,
    `update evidence_logs set publishing_until = now() + make_interval(secs => $1)
     where id = (select max(id) from evidence_logs) and size > checkpoint_size
       and (publishing_until is null or publishing_until < now())
     returning *`,
    [LEASE_SECONDS],
  );
  if (!log) return false;
  try {
    const size = BigInt(log.size);
    if (!(await followsHighWater(deps, log))) return false;
    const checkpoint = { origin: log.origin, size, root: await rootAt(deps.db, log.id, size) };
    const note = signNote(checkpointText(checkpoint), await signerFor(deps.db, deps, log, 'log'));
    await deps.blobs.put(highWaterKey(log.id), utf8(note), { contentType: 'text/plain' });
    // A rotation meanwhile changes the size that was signed last: then the new key signs at the next look.
    const stored = await deps.db.query(
      'update evidence_logs set checkpoint = $2, checkpoint_size = $3, checkpoint_at = now() where id = $1 and checkpoint_size = $4',
      [log.id, note, size, log.checkpoint_size],
    );
    return stored.rowCount === 1;
  } finally {
    await deps.db.query('update evidence_logs set publishing_until = null where id = $1', [log.id]);
  }
}

export async function rootAt(db: Queryable, logId: number, size: bigint): Promise<Uint8Array> {
  return rootOf(size, await loadNodes(db, logId, [[0n, size]]));
}

/** Compares the log with what was published last, before the service adds to it. */
export async function checkHighWater(deps: Deps): Promise<void> {
  const log = await one<LogRow>(deps.db, 'select * from evidence_logs order by id desc limit 1');
  if (log) await followsHighWater(deps, log);
}

/** Whether the log goes on from what was published. If not, the next epoch begins: signing would make a fork. */
async function followsHighWater(deps: Deps, log: LogRow): Promise<boolean> {
  const published = await readHighWater(deps, log.id);
  if (!published) return true;
  const follows =
    published.origin === log.origin &&
    published.size <= BigInt(log.size) &&
    equal(await rootAt(deps.db, log.id, published.size), published.root);
  if (!follows) {
    const origin = await startEpoch(deps, log);
    deps.log.error(
      { origin: log.origin, size: log.size, published_size: published.size.toString(), new_origin: origin },
      'the database is behind what the log published: a new epoch of the log begins instead of a fork',
    );
  }
  return follows;
}

/**
 * Begins the next epoch of a log that was restored from a backup: nobody knows what the log published after the backup. Returns
 * the name of the log that grows from now on, or null without a log.
 */
export async function startAfterRestore(deps: Deps): Promise<string | null> {
  const log = await one<LogRow>(deps.db, 'select * from evidence_logs order by id desc limit 1');
  return log ? startEpoch(deps, log) : null;
}

async function readHighWater(deps: Deps, logId: number): Promise<Checkpoint | null> {
  try {
    const note = await deps.blobs.get(highWaterKey(logId), { maxBytes: MAX_NOTE_BYTES });
    return parseCheckpoint(parseNote(note).text);
  } catch (error) {
    if (error instanceof BlobMissing) return null;
    throw error;
  }
}

/** Starts a log under a new name and returns it. Entries that the old one never signed are taken over. */
async function startEpoch(deps: Deps, before: LogRow): Promise<string> {
  let id = before.id + 1;
  // An epoch that the restored database has forgotten keeps its name.
  while (await readHighWater(deps, id)) id += 1;
  const base = before.origin.replace(/\/epoch-\d+$/, '');
  const origin = `${base}/epoch-${id}`;
  const started = await transaction(deps.db, async tx => {
    const current = await one<LogRow>(tx, 'select * from evidence_logs order by id desc limit 1 for update');
    if (current?.id !== before.id) return false;
    await createLog(tx, deps, id, origin);
    await tx.query(
      `with unsigned as (
         update evidence_statements set log_id = null, leaf_index = null
         where log_id = $1 and leaf_index >= $2 returning verification_id, seq, commitment
       )
       insert into evidence_pending (verification_id, seq, commitment)
       select verification_id, seq, commitment from unsigned order by verification_id, seq`,
      [before.id, before.checkpoint_size],
    );
    return true;
  });
  if (started) await writeOwnKeys(deps);
  return origin;
}
