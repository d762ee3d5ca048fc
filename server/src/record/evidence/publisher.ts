import { equal, utf8 } from '@firsthand/evidence/bytes.ts';
import { type Checkpoint, checkpointText, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { rootOf } from '@firsthand/evidence/merkle.ts';
import { parseNote, signNote } from '@firsthand/evidence/note.ts';
import { BlobMissing } from '../../platform/blobs/faults.ts';
import { one, type Queryable, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { createLog, currentLog, type LogRow, signerFor, writeOwnKeys } from './log.ts';
import { loadNodes } from './tiles.ts';

/** How long a publisher that dies keeps the others waiting. */
const LEASE_SECONDS = 10;
const MAX_NOTE_BYTES = 65_536;

const highWaterKey = (logId: number): string => `evidence/high-water/${logId}`;

/**
 * Signs the log as it is committed, when it has grown. The note also goes to the blob store, before anybody sees it: a database
 * that was set back to an earlier state is known by it. Gives back whether it signed.
 */
export async function publish(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'blobs' | 'keyring' | 'clock'>,
): Promise<boolean> {
  const leased = await one<{ id: number }>(
    deps.db,
    `update evidence_logs set publishing_until = now() + make_interval(secs => $1)
     where id = (select max(id) from evidence_logs) and size > checkpoint_size
       and (publishing_until is null or publishing_until < now())
     returning id`,
    [LEASE_SECONDS],
  );
  if (!leased) return false;
  let released = false;
  try {
    const log = await followingHighWater(deps, leased.id);
    if (!log) return false;
    const size = BigInt(log.size);
    const checkpoint = { origin: log.origin, size, root: await rootAt(deps.db, log.id, size) };
    const note = signNote(checkpointText(checkpoint), await signerFor(deps.db, deps, log, 'log'));
    await writeHighWater(deps, log.id, note);
    // A rotation meanwhile changes the size that was signed last: then the new key signs at the next look.
    const stored = await deps.db.query(
      `update evidence_logs set checkpoint = $2, checkpoint_size = $3, checkpoint_at = now(), publishing_until = null
       where id = $1 and checkpoint_size = $4`,
      [log.id, note, size, log.checkpoint_size],
    );
    released = stored.rowCount === 1;
    if (released) return true;
    // This publisher was so slow that another took over and published more. Its note is the high water.
    const now = await one<LogRow>(deps.db, 'select * from evidence_logs where id = $1', [log.id]);
    if (now?.checkpoint && BigInt(now.checkpoint_size) > size) await writeHighWater(deps, log.id, now.checkpoint);
    return false;
  } finally {
    if (!released) await deps.db.query('update evidence_logs set publishing_until = null where id = $1', [leased.id]);
  }
}

export async function rootAt(db: Queryable, logId: number, size: bigint): Promise<Uint8Array> {
  return rootOf(size, await loadNodes(db, logId, [[0n, size]]));
}

/** Compares the log with what was published last, before the service adds to it. */
export async function checkHighWater(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'blobs' | 'keyring' | 'clock'>,
): Promise<void> {
  const log = await currentLog(deps.db);
  if (log) await followingHighWater(deps, log.id);
}

/** The log, if it goes on from what was published. Null if not: then the next epoch begins, because signing would make a fork. */
async function followingHighWater(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'blobs' | 'keyring' | 'clock'>,
  logId: number,
): Promise<LogRow | null> {
  const published = await readHighWater(deps, logId);
  // Read after the note: meanwhile another node may add to the log and publish it.
  const log = (await one<LogRow>(deps.db, 'select * from evidence_logs where id = $1', [logId]))!;
  if (!published) return log;
  const follows =
    published.origin === log.origin &&
    published.size <= BigInt(log.size) &&
    equal(await rootAt(deps.db, log.id, published.size), published.root);
  if (follows) return log;
  const origin = await startEpoch(deps, log);
  deps.log.error(
    { origin: log.origin, size: log.size, published_size: published.size.toString(), new_origin: origin },
    'the database is behind what the log published: a new epoch of the log begins instead of a fork',
  );
  return null;
}

const writeHighWater = (deps: Pick<Deps, 'blobs'>, logId: number, note: string): Promise<void> =>
  deps.blobs.put(highWaterKey(logId), utf8(note), { contentType: 'text/plain' });

/**
 * Begins the next epoch of a log that was restored from a backup: nobody knows what the log published after the backup. Returns
 * the name of the log that grows from now on, or null without a log.
 */
export async function startAfterRestore(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'keyring' | 'clock'>,
): Promise<string | null> {
  const log = await currentLog(deps.db);
  return log ? startEpoch(deps, log) : null;
}

async function readHighWater(deps: Pick<Deps, 'blobs'>, logId: number): Promise<Checkpoint | null> {
  try {
    const note = await deps.blobs.get(highWaterKey(logId), { maxBytes: MAX_NOTE_BYTES });
    return parseCheckpoint(parseNote(note).text);
  } catch (error) {
    if (error instanceof BlobMissing) return null;
    throw error;
  }
}

/**
 * Starts a log under a new name and returns it. Entries that the old one never signed are taken over, before those that wait behind
 * them.
 */
async function startEpoch(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'keyring' | 'clock'>,
  before: LogRow,
): Promise<string> {
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
       ), waiting as (
         delete from evidence_pending where verification_id in (select verification_id from unsigned)
         returning verification_id, seq, commitment
       )
       insert into evidence_pending (verification_id, seq, commitment)
       select * from (select * from unsigned union all select * from waiting) every order by verification_id, seq`,
      [before.id, before.checkpoint_size],
    );
    return true;
  });
  if (started) await writeOwnKeys(deps);
  return origin;
}
