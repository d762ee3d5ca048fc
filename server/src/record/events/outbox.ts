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
