import type { BatchRowContent } from '@firsthand/contract/batches/batches.ts';
import pg from 'pg';
import { audit } from '../../identity/audit/audit.ts';
import { isStillAllowed } from '../../identity/auth/still-allowed.ts';
import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { issue } from '../../verification/verifications/issue.ts';
import { type BatchRow, endBatch } from './row.ts';
import { requestOfRow } from './rows.ts';

/** Of a person who orders a batch, and keeps while it runs. */
const LEAST_ROLE = 'member';
/** Rows that one transaction makes. A killed process loses at most so many, and makes them again. */
const SLICE = 100;
/** A job hands on after this long, so that a long batch keeps no other job waiting and a stopping process waits for none. */
const LASTS_MS = 2_000;
/** Mails of one batch leave at most this often. */
const MAILS_PER_SECOND = 20;

/**
 * Job: makes the verifications of a batch, slice by slice. A slice, its progress and its mails commit together, under the
 * lock of the batch, so each row gets exactly one verification however often the job is killed or runs twice.
 */
export async function runBatch(deps: Pick<Deps, 'log' | 'db' | 'origins' | 'clock'>, batchId: string): Promise<void> {
  const until = performance.now() + LASTS_MS;
  let size = SLICE;
  for (;;) {
    const last = performance.now() >= until;
    try {
      const left = await transaction(deps.db, async tx => {
        const more = await runSlice(tx, deps, batchId, size);
        if (more && last) await addJob(tx, 'run_batch', { batch_id: batchId }, { key: `batch:${batchId}` });
        return more;
      });
      if (!left || last) return;
    } catch (error) {
      // One row that the database cannot hold must not stop the others: it is found by going one by one.
      if (size === 1 || !isOfContent(error)) throw error;
      size = 1;
    }
  }
}

/** Data that does not fit, or that a constraint refuses: SQLSTATE classes 22 and 23. */
const isOfContent = (error: unknown): boolean => error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');

/** Makes up to `size` rows. Returns whether more are left. */
async function runSlice(
  tx: Tx,
  deps: Pick<Deps, 'log' | 'origins' | 'clock'>,
  batchId: string,
  size: number,
): Promise<boolean> {
  const batch = await one<BatchRow>(tx, 'select * from batches where id = $1 for update', [batchId]);
  if (!batch || batch.state === 'completed' || batch.state === 'cancelled') return false;
  if (!(await isStillAllowed(tx, batch.tenant_id, batch.actor, LEAST_ROLE))) {
    const at = deps.clock.now();
    await endBatch(tx, batchId, at, 'not_allowed');
    await audit(
      tx,
      { tenantId: batch.tenant_id, actor: { kind: 'system' }, at },
      { action: 'batch.stopped', target: batchId, detail: { reason: 'not_allowed' } },
    );
    return false;
  }
  const rows = await many<{ row: number; content: BatchRowContent | null }>(
    tx,
    'select row, content from batch_rows where batch_id = $1 and content is not null order by row limit $2',
    [batchId, size],
  );
  const made: { row: number; id: string | null; error: string | null }[] = [];
  for (const { row, content } of rows) made.push({ row, ...(await makeOne(tx, deps, batch, content!, size === 1)) });
  await tx.query(
    `update batch_rows r set verification_id = made.id, error = made.error, content = null
     from unnest($2::integer[], $3::text[], $4::text[]) as made (row, id, error)
     where r.batch_id = $1 and r.row = made.row`,
    [batchId, made.map(({ row }) => row), made.map(({ id }) => id), made.map(({ error }) => error)],
  );
  const failed = made.filter(({ id }) => id === null).length;
  const more = rows.length === size;
  await tx.query(
    `update batches set state = $2, created = created + $3, failed = failed + $4,
       -- What was the same for all rows is needed no longer, and may name people.
       request = case when $2 = 'completed' then '{}' else request end,
       ended_at = case when $2 = 'completed' then $5::timestamptz end where id = $1`,
    [batchId, more ? 'running' : 'completed', made.length - failed, failed, deps.clock.now()],
  );
  return more;
}

async function makeOne(
  tx: Tx,
  deps: Pick<Deps, 'log' | 'origins' | 'clock'>,
  batch: BatchRow,
  content: BatchRowContent,
  alone: boolean,
): Promise<{ id: string | null; error: string | null }> {
  if (alone) await tx.query('savepoint row');
  try {
    const { id } = await issue(tx, deps, {
      tenantId: batch.tenant_id,
      livemode: batch.livemode,
      request: requestOfRow(batch.request, content),
      ...(batch.template ? { template: batch.template } : {}),
    });
    if (batch.send && content.subject?.person?.email) await queueMail(tx, deps, batch, id);
    return { id, error: null };
  } catch (error) {
    if (!alone || !isOfContent(error)) throw error;
    await tx.query('rollback to savepoint row');
    deps.log.warn({ err: error, batch: batch.id }, 'a row of a batch could not be made');
    return { id: null, error: 'could not be stored' };
  }
}

/** Mails leave one after another, spread over time by the batch's own pace. */
async function queueMail(tx: Tx, deps: Pick<Deps, 'clock'>, batch: BatchRow, verificationId: string): Promise<void> {
  const place = await one<{ mailed: number }>(
    tx,
    'update batches set mailed = mailed + 1 where id = $1 returning mailed',
    [batch.id],
  );
  const due = batch.created_at.getTime() + (place!.mailed * 1_000) / MAILS_PER_SECOND;
  await addJob(
    tx,
    'mail_capture_link',
    { verification_id: verificationId },
    {
      runAt: new Date(Math.max(due, deps.clock.now().getTime())),
      queue: `links:${batch.tenant_id}`,
      key: `link:${verificationId}`,
      maxAttempts: 10,
    },
  );
}
