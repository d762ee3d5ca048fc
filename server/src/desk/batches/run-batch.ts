import type { BatchRowContent } from '@firsthand/contract/batches/batches.ts';
import { many, one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { issue } from '../../verification/verifications/issue.ts';
import { queueLinkMail } from '../long-work/mail-link.ts';
import { type LongWork, runLongWork } from '../long-work/run.ts';
import type { BatchRow } from './batch.ts';
import { requestOfRow } from './rows.ts';

interface Item {
  row: number;
  content: BatchRowContent;
}

/** Makes the verification of each row. */
export const BATCHES: LongWork<BatchRow, Item> = {
  name: 'batch',
  chunk: 100,
  unstorable: 'could not be stored',
  addJob: (tx, id) => addJob(tx, 'run_batch', { batch_id: id }, { key: `batch:${id}` }),
  lock: (tx, id) => one<BatchRow>(tx, 'select * from batches where id = $1 for update', [id]),
  orderedBy: ({ actor }) => ({ actor, least: 'member' }),
  waiting: (tx, { id }, limit) =>
    many<Item>(
      tx,
      'select row, content from batch_rows where batch_id = $1 and content is not null order by row limit $2',
      [id, limit],
    ),
  async doOne(tx, deps, batch, { content }) {
    const { tenant_id: tenantId, livemode, template } = batch;
    const request = requestOfRow(batch.request, content);
    const { id } = await issue(tx, deps, { tenantId, livemode, request, ...(template ? { template } : {}) });
    if (batch.send && content.subject?.person?.email) {
      const mailed = await one<{ place: number }>(
        tx,
        'update batches set mailed = mailed + 1 where id = $1 returning mailed as place',
        [batch.id],
      );
      await queueLinkMail(tx, deps, {
        tenantId,
        verificationId: id,
        orderedAt: batch.created_at,
        place: mailed!.place,
      });
    }
    return id;
  },
  async record(tx, { id }, results, endedAt) {
    await tx.query(
      `update batch_rows r set verification_id = made.id, error = made.error, content = null
       from unnest($2::integer[], $3::text[], $4::text[]) as made (row, id, error)
       where r.batch_id = $1 and r.row = made.row`,
      [id, results.map(({ item }) => item.row), results.map(made => made.madeId), results.map(({ error }) => error)],
    );
    const failed = results.filter(({ error }) => error !== null).length;
    await tx.query(
      `update batches set state = case when $4::timestamptz is null then 'running' else 'completed' end,
         created = created + $2, failed = failed + $3, ended_at = $4,
         -- What was the same for all rows is needed no longer, and may name people.
         request = case when $4 is null then request else '{}' end where id = $1`,
      [id, results.length - failed, failed, endedAt],
    );
  },
  /** Forgets the rows that were not made, too. */
  async cancel(tx, id, at, stopped) {
    await tx.query('update batch_rows set content = null where batch_id = $1 and content is not null', [id]);
    const cancelled = await one<BatchRow>(
      tx,
      `update batches set state = 'cancelled', ended_at = $2, stopped = $3, request = '{}' where id = $1 returning *`,
      [id, at, stopped],
    );
    return cancelled!;
  },
};

export const runBatch = (deps: Deps, id: string): Promise<void> => runLongWork(deps, BATCHES, id);
