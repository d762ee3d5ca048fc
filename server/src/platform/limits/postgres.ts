import { deleteInBatches, SWEEP_BATCH } from '../db/batches.ts';
import type { Queryable } from '../db/sql.ts';
import type { LimitStore } from './store.ts';

/**
 * Keeps windows in the database, by its clock, so every node sees the same. Uses one statement for any number of keys.
 */
export function createPostgresStore(db: Queryable): LimitStore {
  return {
    async take(wants) {
      const sorted = wants.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      const { rows } = await db.query<{ granted: number; remaining: number; wait_ms: string | null; reset_ms: string }>(
        'select granted, remaining, wait_ms, reset_ms from take_permits($1, $2, $3, $4)',
        [
          sorted.map(want => want.key),
          sorted.map(want => want.wanted),
          sorted.map(want => want.limit),
          sorted.map(want => want.windowMs),
        ],
      );
      const given = new Map(
        rows.map((row, index) => [
          sorted[index]!.key,
          {
            granted: row.granted,
            remaining: row.remaining,
            waitMs: row.wait_ms === null ? null : Number(row.wait_ms),
            resetMs: Number(row.reset_ms),
          },
        ]),
      );
      return wants.map(want => given.get(want.key)!);
    },
    async close() {},
  };
}

/** Removes windows that have been unused for longer than the longest window lasts. */
export async function forgetWindows(db: Queryable): Promise<void> {
  await deleteInBatches(() =>
    db.query(
      `delete from rate_windows where ctid = any (array(
         select ctid from rate_windows where touched_at < now() - interval '2 hours' limit $1 for update skip locked))`,
      [SWEEP_BATCH],
    ),
  );
}
