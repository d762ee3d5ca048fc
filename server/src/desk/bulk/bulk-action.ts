import type { BulkAction, BulkFilter } from '@firsthand/contract/batches/bulk-actions.ts';
import type { Activity } from '../../identity/audit/audit.ts';
import type { Place } from '../../verification/verifications/select.ts';

export interface BulkActionRow {
  id: string;
  tenant_id: string;
  modes: boolean[];
  act: BulkAction['act'];
  options: { send?: boolean; reason?: string };
  /** Without its time, which JSON does not keep: each verification has its own. */
  activity: Omit<Activity, 'at'>;
  state: BulkAction['state'];
  filter: BulkFilter | null;
  collected_to: Place | null;
  total: number;
  done: number;
  failed: number;
  created_at: Date;
  ended_at: Date | null;
  stopped: 'not_allowed' | null;
}

export const presentBulkAction = (row: BulkActionRow): BulkAction => ({
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
