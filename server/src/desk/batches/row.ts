import type { Batch, BatchState } from '@firsthand/contract/batches/batches.ts';
import type { Actor } from '../../identity/audit/audit.ts';
import { one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Principal } from '../../platform/http/principal.ts';
import type { BatchBase } from './rows.ts';

export interface BatchRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  state: BatchState;
  request: BatchBase;
  template: { id: string; version: number; retentionDays: number | null } | null;
  send: boolean;
  total: number;
  created: number;
  failed: number;
  created_at: Date;
  ended_at: Date | null;
  actor: Actor;
  stopped: 'not_allowed' | null;
}

/** The caller's batch, or undefined. */
export const findBatch = (db: Queryable, principal: Principal, id: string): Promise<BatchRow | undefined> =>
  one<BatchRow>(db, 'select * from batches where id = $1 and tenant_id = $2 and livemode = any($3)', [
    id,
    principal.tenantId,
    principal.reads,
  ]);

export const presentBatch = (row: BatchRow): Batch => ({
  id: row.id,
  state: row.state,
  total: row.total,
  created: row.created,
  failed: row.failed,
  send: row.send,
  ...(row.template ? { template_id: row.template.id } : {}),
  livemode: row.livemode,
  created_at: row.created_at.toISOString(),
  ...(row.ended_at ? { ended_at: row.ended_at.toISOString() } : {}),
  ...(row.stopped ? { stopped: row.stopped } : {}),
});

/** Cancels a batch, and forgets the rows that were not made. */
export async function endBatch(
  tx: Tx,
  id: string,
  at: Date,
  stopped: BatchRow['stopped'] = null,
): Promise<BatchRow | undefined> {
  await tx.query('update batch_rows set content = null where batch_id = $1 and content is not null', [id]);
  return one<BatchRow>(
    tx,
    `update batches set state = 'cancelled', ended_at = $2, stopped = $3, request = '{}' where id = $1 returning *`,
    [id, at, stopped],
  );
}
