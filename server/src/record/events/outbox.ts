import { many, type Tx } from '../../platform/db/sql.ts';

/**
 * Takes up to `limit` notes of unannounced events, oldest first, and returns the events' ids. Two nodes never take the
 * same note. A failed transaction leaves its notes.
 */
export async function takeUnannounced(tx: Tx, limit: number): Promise<string[]> {
  const rows = await many<{ event_id: string }>(
    tx,
    `delete from event_outbox where event_id = any (array(
       select event_id from event_outbox order by event_id limit $1 for update skip locked))
     returning event_id`,
    [limit],
  );
  return rows.map(({ event_id }) => event_id);
}

/**
 * Puts events whose transactions this cluster has not run, because a dump brought them, before all that it will run: in the order of
 * their ids. Where they are, the stream would hide them, and show them as new in months.
 */
export const putEventsBefore = (tx: Tx) =>
  tx.query(`update events set recorded_in = '3' where recorded_in >= pg_snapshot_xmin(pg_current_snapshot())`);
