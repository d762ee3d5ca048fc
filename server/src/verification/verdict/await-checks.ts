import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob, addSlowJob } from '../../platform/jobs/queue.ts';
import type { VerificationRow } from '../verifications/row.ts';
import { markChecksStarted } from '../verifications/write.ts';

/** How settling treats the object and condition checks. Decided without a database. */
export type ChecksState = 'none' | 'start' | 'wait' | 'over';

/** The verdict waits for the checks only while they run and their time budget lasts. */
export function checksState(
  row: Pick<VerificationRow, 'config' | 'checks_started_at' | 'checks_done_at'>,
  budgetMs: number | null,
  now: Date,
): ChecksState {
  const asked = row.config.expected_object !== undefined || row.config.condition_aspects !== undefined;
  if (!asked || budgetMs === null) return 'none';
  if (!row.checks_started_at) return 'start';
  if (row.checks_done_at) return 'over';
  return now.getTime() - row.checks_started_at.getTime() < budgetMs ? 'wait' : 'over';
}

/**
 * Starts the checks of a verification that is otherwise ready for its verdict. Resolves to true while the verdict has
 * to wait. A job looks again when the time budget is used up, whether or not the model has answered.
 */
export async function awaitChecks(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'vision'>,
  row: VerificationRow,
): Promise<boolean> {
  const now = deps.clock.now();
  const budgetMs = deps.vision?.config.checksBudgetMs ?? null;
  const state = checksState(row, budgetMs, now);
  if (budgetMs === null || state === 'none' || state === 'over') return false;
  if (state === 'start') {
    await markChecksStarted(tx, row.id, now);
    await addSlowJob(tx, 'check_subject', row.id, row);
    if (budgetMs === 0) return false;
  }
  // Adds the job again while it waits: by another machine's clock it may run a moment early.
  const runAt = new Date((row.checks_started_at ?? now).getTime() + budgetMs);
  await addJob(tx, 'settle', { verification_id: row.id }, { runAt, key: `checks:${row.id}` });
  return true;
}
