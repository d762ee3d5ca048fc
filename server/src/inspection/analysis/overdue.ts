import { many, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { OVERDUE_MINUTES, overdueCaptures } from '../../verification/captures/analysis-queue.ts';
import { settle } from '../../verification/verdict/settle.ts';
import { giveUpOn } from '../../verification/verifications/advance.ts';

/** Verifications looked at in one round. */
const BATCH = 500;

/**
 * Sweep. Names captures that have waited longer than ten minutes in the log. Settles verifications whose captures were
 * all analysed more than ten minutes ago; one that cannot be settled fails. Each round looks at one batch of the open verifications.
 */
export function createOverdueSweep(): (deps: Deps) => Promise<void> {
  let after = '';
  return async deps => {
    const overdue = await overdueCaptures(deps.db);
    if (overdue.count > 0) {
      deps.log.warn(
        { captures: overdue.count, oldestSeconds: Math.round(overdue.oldestSeconds), some: overdue.some },
        `captures have waited longer than ${OVERDUE_MINUTES} minutes for their analysis`,
      );
    }
    const open = await many<{ id: string; ready: boolean }>(
      deps.db,
      `select v.id, coalesce(c.ready, false) as ready from verifications v left join lateral (
         select bool_and(analysis_state <> 'pending' and analyzed_at < now() - make_interval(mins => $3)) as ready
         from captures where verification_id = v.id
       ) c on true
       where v.status in ('partially_captured', 'abandoned') and v.id > $1 order by v.id limit $2`,
      [after, BATCH, OVERDUE_MINUTES],
    );
    after = open.length === BATCH ? open.at(-1)!.id : '';
    for (const { id, ready } of open) if (ready) await settleOrFail(deps, id);
  };
}

async function settleOrFail(deps: Deps, id: string): Promise<void> {
  try {
    await transaction(deps.db, tx => settle(tx, deps, id));
  } catch (error) {
    deps.log.error({ err: error, verificationId: id }, 'a verification cannot be settled: it fails');
    await transaction(deps.db, tx => giveUpOn(tx, deps, id));
  }
}
