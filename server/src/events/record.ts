import type { Queryable } from '../db/sql.ts';
import { addJob } from '../jobs/queue.ts';
import { newId } from '../lib/ids.ts';

export const PUBLIC_EVENTS = [
  'verification.created',
  'verification.capture_received',
  'verification.completed',
  'verification.expired',
  'verification.failed',
  'verification.case_completed',
  'verification.redacted',
  'webhook.test',
] as const;
export type PublicEvent = (typeof PUBLIC_EVENTS)[number];

/** Internal names that differ from the public one they are translated to. */
const PUBLIC_NAME: Readonly<Record<string, PublicEvent>> = {
  'verification.capture.persisted': 'verification.capture_received',
  'verification.case.completed': 'verification.case_completed',
};

export type InternalEvent =
  | 'verification.created'
  | 'verification.capture.persisted'
  | 'verification.completed'
  | 'verification.expired'
  | 'verification.failed'
  | 'verification.case.completed'
  | 'verification.redacted';

export interface Fact {
  type: InternalEvent;
  tenantId: string;
  livemode: boolean;
  verificationId: string;
  /** The number of this event among the verification's: 1, 2, 3… */
  sequence: number;
  at: Date;
  /** The tenant's view at this moment, without presigned URLs. */
  data: object;
}

/**
 * Records a fact in the transaction that makes it true and adds the job that announces it. The public body is frozen
 * here: whatever happens to the verification later, every attempt of every delivery sends these bytes.
 */
export async function recordEvent(tx: Queryable, fact: Fact): Promise<string> {
  const id = newId('evt', fact.at.getTime());
  const publicType = PUBLIC_NAME[fact.type] ?? fact.type;
  const body = JSON.stringify({
    type: publicType,
    timestamp: fact.at.toISOString(),
    data: { ...fact.data, sequence: fact.sequence },
  });
  await tx.query(
    `insert into events (id, tenant_id, livemode, verification_id, type, public_type, sequence, body, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, fact.tenantId, fact.livemode, fact.verificationId, fact.type, publicType, fact.sequence, body, fact.at],
  );
  await addJob(tx, 'announce', { event_id: id });
  return id;
}
