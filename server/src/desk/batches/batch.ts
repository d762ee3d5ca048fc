import type { Batch, BatchState } from '@firsthand/contract/batches/batches.ts';
import type { Actor } from '../../identity/audit/audit.ts';
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
