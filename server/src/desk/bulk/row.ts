import type { BulkAct, BulkFilter } from '@firsthand/contract/batches/bulk-acts.ts';
import type { Activity } from '../../identity/audit/audit.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Principal } from '../../platform/http/principal.ts';
import type { Place } from '../../verification/verifications/select.ts';

export interface BulkActRow {
  id: string;
  tenant_id: string;
  modes: boolean[];
  act: BulkAct['act'];
  options: { send?: boolean; reason?: string };
  /** Without its time, which JSON does not keep: each verification has its own. */
  activity: Omit<Activity, 'at'>;
  state: BulkAct['state'];
  filter: BulkFilter | null;
  collected_to: Place | null;
  total: number;
  done: number;
  failed: number;
  created_at: Date;
  ended_at: Date | null;
  stopped: 'not_allowed' | null;
}

/** The caller's act, or undefined. A person sees the acts of the mode that is open. */
export const findBulkAct = (db: Queryable, principal: Principal, id: string): Promise<BulkActRow | undefined> =>
  one<BulkActRow>(db, 'select * from bulk_acts where id = $1 and tenant_id = $2 and modes && $3', [
    id,
    principal.tenantId,
    principal.reads,
  ]);

export const hasEnded = ({ state }: Pick<BulkActRow, 'state'>): boolean =>
  state === 'completed' || state === 'cancelled';

export const presentBulkAct = (row: BulkActRow): BulkAct => ({
  id: row.id,
  act: row.act,
  state: row.state,
  total: row.total,
  done: row.done,
  failed: row.failed,
  created_at: row.created_at.toISOString(),
  ...(row.ended_at ? { ended_at: row.ended_at.toISOString() } : {}),
  ...(row.stopped ? { stopped: row.stopped } : {}),
});
