import type { ErrorCode } from '@firsthand/contract/base/errors.ts';
import type { BulkFilter } from '@firsthand/contract/batches/bulk-acts.ts';
import pg from 'pg';
import { audit } from '../../identity/audit/audit.ts';
import { isStillAllowed } from '../../identity/auth/still-allowed.ts';
import { one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { Problem } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { type FilterQuery, type Place, select } from '../../verification/verifications/select.ts';
import { type Acts, type Item, LEAST_ROLE } from './acts.ts';
import { type BulkActRow, hasEnded } from './row.ts';

/** Verifications that one transaction notes. */
const COLLECTED = 500;
/** A job hands on after this long, so that a long act keeps no other job waiting and a stopping process waits for none. */
const LASTS_MS = 2_000;

/**
 * Job: lists the verifications of an act, then acts on one after another. A verification, its result and the progress commit
 * together under the lock of the act, so each is acted on exactly once however often the job is killed or runs twice.
 */
export async function runBulkAct(deps: Deps, id: string, acts: Acts): Promise<void> {
  const until = performance.now() + LASTS_MS;
  while (performance.now() < until) {
    const act = await one<BulkActRow>(deps.db, 'select * from bulk_acts where id = $1', [id]);
    if (!act || hasEnded(act)) return;
    if (!(await mayGoOn(deps.db, act))) return stop(deps, id);
    if (act.filter) await collect(deps, act, act.filter);
    else if (!(await actOnNext(deps, id, acts))) return;
  }
  await addJob(deps.db, 'run_bulk_act', { bulk_act_id: id }, { key: `bulk:${id}` });
}

const mayGoOn = (db: Queryable, { tenant_id, act, activity }: BulkActRow): Promise<boolean> =>
  isStillAllowed(db, tenant_id, activity.actor, LEAST_ROLE[act]);

/** Ends an act whose author may not act any more. What was done stays done. */
const stop = (deps: Pick<Deps, 'db' | 'clock'>, id: string): Promise<void> =>
  transaction(deps.db, async tx => {
    const act = await lock(tx, id);
    if (!act || hasEnded(act)) return;
    const at = deps.clock.now();
    await tx.query(
      `update bulk_acts set state = 'cancelled', stopped = 'not_allowed', filter = null, collected_to = null, ended_at = $2
       where id = $1`,
      [id, at],
    );
    await audit(
      tx,
      { tenantId: act.tenant_id, actor: { kind: 'system' }, at },
      { action: 'bulk_act.stopped', target: id, detail: { act: act.act, reason: 'not_allowed' } },
    );
  });

/** Notes the next verifications of the filter. */
async function collect(deps: Pick<Deps, 'db' | 'clock'>, act: BulkActRow, filter: BulkFilter): Promise<void> {
  const selection = await select(deps, { tenantId: act.tenant_id, reads: act.modes }, queryOf(filter, act.created_at));
  const rows = await selection.page({ after: act.collected_to, limit: COLLECTED });
  const last = rows.at(-1);
  await transaction(deps.db, async tx => {
    const current = await lock(tx, act.id);
    // The job ran twice, or somebody stopped the act meanwhile.
    if (!current?.filter || hasEnded(current) || current.collected_to?.id !== act.collected_to?.id) return;
    await tx.query(
      `insert into bulk_act_items (bulk_act_id, number, verification_id)
       select $1, $2 + number, id from unnest($3::text[]) with ordinality as found (id, number)`,
      [act.id, current.total, rows.map(row => row.id)],
    );
    const place: Place | null = rows.length < COLLECTED ? null : { id: last!.id, created_at: last!.place };
    await tx.query(
      `update bulk_acts set total = total + $2, collected_to = $3, state = $4, filter = case when $3::jsonb is null then null else filter end
       where id = $1`,
      [act.id, rows.length, place && JSON.stringify(place), place ? 'collecting' : 'running'],
    );
  });
}

/** The filter as the list's query. A verification that is made after the act was ordered is not part of it. */
function queryOf({ metadata = {}, ...filter }: BulkFilter, orderedAt: Date): FilterQuery {
  const ordered = orderedAt.toISOString();
  const before = filter.created_before;
  return {
    ...filter,
    created_before: before !== undefined && Date.parse(before) < orderedAt.getTime() ? before : ordered,
    ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value])),
  };
}

const lock = (tx: Tx, id: string) => one<BulkActRow>(tx, 'select * from bulk_acts where id = $1 for update', [id]);

/** Acts on the next verification. Returns false when none is left. */
const actOnNext = (deps: Deps, id: string, acts: Acts): Promise<boolean> =>
  transaction(deps.db, async tx => {
    const act = await lock(tx, id);
    if (!act || hasEnded(act)) return false;
    // Looks again under the lock: nobody who has just lost the role redacts one more.
    if (!(await mayGoOn(tx, act))) return true;
    const item = await one<{ number: number; verification_id: string }>(
      tx,
      `select number, verification_id from bulk_act_items where bulk_act_id = $1 and state = 'waiting' order by number limit 1`,
      [id],
    );
    const at = deps.clock.now();
    if (!item) {
      await tx.query(`update bulk_acts set state = 'completed', ended_at = $2 where id = $1`, [id, at]);
      return false;
    }
    const result = await tried(tx, deps, act, acts, { number: item.number, verificationId: item.verification_id });
    await tx.query(
      'update bulk_act_items set state = $3, error = $4, created_id = $5 where bulk_act_id = $1 and number = $2',
      [id, item.number, result.error ? 'failed' : 'done', result.error, result.createdId],
    );
    await tx.query(`update bulk_acts set state = 'running', done = done + $2, failed = failed + $3 where id = $1`, [
      id,
      result.error ? 0 : 1,
      result.error ? 1 : 0,
    ]);
    return true;
  });

async function tried(
  tx: Tx,
  deps: Deps,
  act: BulkActRow,
  acts: Acts,
  item: Item,
): Promise<{ error: ErrorCode | null; createdId: string | null }> {
  await tx.query('savepoint item');
  try {
    const createdId = await acts[act.act](tx, deps, item, act, { ...act.activity, at: deps.clock.now() });
    return { error: null, createdId };
  } catch (error) {
    if (!(error instanceof Problem) && !isOfContent(error)) throw error;
    await tx.query('rollback to savepoint item');
    if (error instanceof Problem) return { error: error.code, createdId: null };
    deps.log.warn(
      { err: error, bulkAct: act.id, verificationId: item.verificationId },
      'a bulk act failed on one verification',
    );
    return { error: 'internal_error', createdId: null };
  }
}

/** Data that does not fit, or that a constraint refuses: SQLSTATE classes 22 and 23. */
const isOfContent = (error: unknown): boolean => error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
