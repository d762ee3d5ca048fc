import type { WebhookEventType } from '@firsthand/contract/webhooks/webhooks.ts';
import { type Queryable, ringAfterCommit } from '../../platform/db/sql.ts';
import { newId } from '../../platform/lib/ids.ts';
import { traceparentOf } from '../../platform/lib/tracing.ts';

/** Internal names whose public name differs. */
const PUBLIC_NAME = {
  'verification.capture.persisted': 'verification.capture_received',
  'verification.case.completed': 'verification.case_completed',
} as const satisfies Partial<Record<InternalEvent, WebhookEventType>>;

export type InternalEvent =
  | 'verification.created'
  | 'verification.capture.persisted'
  | 'verification.completed'
  | 'verification.expired'
  | 'verification.failed'
  | 'verification.case.completed'
  | 'verification.redacted'
  | 'verification.reviewed';

export interface Fact {
  type: InternalEvent;
  tenantId: string;
  livemode: boolean;
  verificationId: string;
  /** The number of this event within the verification: 1, 2, 3… */
  sequence: number;
  at: Date;
  /** The tenant's view at this moment, without presigned URLs. */
  data: object;
}

/** The channel on which nodes hear of new events, and of deliveries due before their next look. */
export const WEBHOOKS_CHANNEL = 'firsthand_webhooks';

const publicNameOf = (type: InternalEvent): WebhookEventType =>
  type in PUBLIC_NAME
    ? PUBLIC_NAME[type as keyof typeof PUBLIC_NAME]
    : (type as Exclude<InternalEvent, keyof typeof PUBLIC_NAME>);

/**
 * Records a fact in the transaction that makes it true, with a note that its announcement is pending. Freezes the
 * public body: every attempt of every delivery sends these bytes, whatever happens to the verification later.
 */
export async function recordEvent(tx: Queryable, fact: Fact): Promise<string> {
  const id = newId('evt', fact.at.getTime());
  const publicType = publicNameOf(fact.type);
  const body = JSON.stringify({
    type: publicType,
    timestamp: fact.at.toISOString(),
    data: { ...fact.data, sequence: fact.sequence },
  });
  await tx.query(
    `with event as (
       insert into events (id, tenant_id, livemode, verification_id, type, public_type, sequence, body, created_at, traceparent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id
     )
     insert into event_outbox (event_id) select id from event`,
    [
      id,
      fact.tenantId,
      fact.livemode,
      fact.verificationId,
      fact.type,
      publicType,
      fact.sequence,
      body,
      fact.at,
      traceparentOf(),
    ],
  );
  ringAfterCommit(tx, WEBHOOKS_CHANNEL, 'event');
  return id;
}

/**
 * Erases the bodies of verifications' events; those not yet announced never will be. Locks the events: whoever announces one
 * holds it until the deliveries are there, so the caller's next statement sees them.
 */
export async function eraseEvents(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  await tx.query(`delete from event_outbox where event_id in (select id from events where verification_id = any($1))`, [
    verificationIds,
  ]);
  await tx.query('select 1 from events where verification_id = any($1) order by id for update', [verificationIds]);
  await tx.query('update events set body = null where verification_id = any($1)', [verificationIds]);
}

/** Says where the events go that follow an erasure: the verification's address has gone with it. */
export async function routeEvents(tx: Queryable, endpoints: ReadonlyMap<string, string>): Promise<void> {
  if (endpoints.size === 0) return;
  await tx.query(
    `update events e set endpoint_id = route.endpoint_id
     from unnest($1::text[], $2::text[]) as route (verification_id, endpoint_id)
     where e.verification_id = route.verification_id and e.body is not null`,
    [[...endpoints.keys()], [...endpoints.values()]],
  );
}

/** Records a `webhook.test` event. It belongs to no verification; the caller chooses where to send it. */
export async function recordTestEvent(
  tx: Queryable,
  o: { tenantId: string; livemode: boolean; at: Date },
): Promise<string> {
  const id = newId('evt', o.at.getTime());
  const body = JSON.stringify({
    type: 'webhook.test' satisfies WebhookEventType,
    timestamp: o.at.toISOString(),
    data: { message: 'This is a test. The URL and the signature work.', livemode: o.livemode },
  });
  await tx.query(
    `insert into events (id, tenant_id, livemode, type, public_type, body, created_at, traceparent)
     values ($1, $2, $3, 'webhook.test', 'webhook.test', $4, $5, $6)`,
    [id, o.tenantId, o.livemode, body, o.at, traceparentOf()],
  );
  return id;
}
