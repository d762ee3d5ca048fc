import { many, type Queryable } from '../../platform/db/sql.ts';
import { storableText } from '../../platform/db/storable.ts';
import { type Claim, createTurns } from '../../platform/jobs/turns.ts';
import type { CaptureRow } from '../verifications/row.ts';

/** A capture claimed for analysis. `analysis_attempts` counts this attempt. */
export type ClaimedCapture = CaptureRow & Claim & { analysis_attempts: number };

/** Captures wait here for their analysis, and take turns by account and mode. */
export const CAPTURES = createTurns<ClaimedCapture>({
  kind: 'captures',
  channel: 'firsthand_analysis',
  table: 'captures',
  waiting: "analysis_state = 'pending'",
  turn: 'analysis_turn',
  class: 'analysis_class',
  attempts: 'analysis_attempts',
  due: 'analysis_due_at',
});

/** Records a permanent failure. Nothing from the picture goes into it except text made storable. */
export async function failAnalysis(db: Queryable, id: string, at: Date, reason: string): Promise<void> {
  await db.query(
    `update captures set analysis_state = 'failed', analyzed_at = $2, analysis_error = $3
     where id = $1 and analysis_state = 'pending'`,
    [id, at, storableText(reason, 500)],
  );
}

export const OVERDUE_MINUTES = 10;

/** Captures that have waited longer than {@link OVERDUE_MINUTES}, oldest first: their number, the longest wait, and a few of them. */
export async function overdueCaptures(
  db: Queryable,
): Promise<{ count: number; oldestSeconds: number; some: { id: string; attempts: number }[] }> {
  const rows = await many<{ id: string; attempts: number; count: string; seconds: number }>(
    db,
    `select id, analysis_attempts as attempts, count(*) over () as count,
       extract(epoch from now() - created_at)::float8 as seconds
     from captures where analysis_state = 'pending' and created_at < now() - make_interval(mins => $1)
     order by created_at limit 10`,
    [OVERDUE_MINUTES],
  );
  return {
    count: Number(rows[0]?.count ?? 0),
    oldestSeconds: rows[0]?.seconds ?? 0,
    some: rows.map(({ id, attempts }) => ({ id, attempts })),
  };
}
