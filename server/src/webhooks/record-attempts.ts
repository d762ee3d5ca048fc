import type { WebhookAttempt } from '@firsthand/contract/webhooks.ts';
import { many, type Tx, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { addJob } from '../jobs/queue.ts';
import type { Next } from './schedule.ts';

/** An attempt that ended, and what follows from it. */
export interface Outcome {
  deliveryId: string;
  endpointId: string;
  attempt: WebhookAttempt;
  next: Next;
  /** It was accepted, but late. */
  slow: boolean;
  /** Nothing was held against the endpoint when the attempt began. */
  wellBefore: boolean;
}

/** An endpoint that only failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;

/** Writes attempts down, in one transaction for all of them: the rows, the queue, the endpoints' health. */
export async function recordAttempts(deps: Deps, outcomes: readonly Outcome[]): Promise<void> {
  const now = deps.clock.now();
  const rows = outcomes.map(({ deliveryId, endpointId, attempt, next }) => ({
    delivery_id: deliveryId,
    endpoint_id: endpointId,
    attempt,
    status: next.status,
    next_at: next.inSeconds === null ? null : new Date(now.getTime() + next.inSeconds * 1_000).toISOString(),
  }));
  await transaction(deps.db, async tx => {
    // What a power cut undoes here is an attempt made again under the same webhook-id.
    await tx.query('set local synchronous_commit = off');
    await tx.query(
      `with outcome as materialized (
         select * from jsonb_to_recordset($1::jsonb)
           as o (delivery_id text, endpoint_id text, attempt jsonb, status text, next_at timestamptz)
       ), done as (
         delete from webhook_queue q using outcome o where q.delivery_id = o.delivery_id and o.next_at is null
       ), later as (
         update webhook_queue q set run_at = o.next_at, claimed_until = null, claimed_by = null from outcome o
         where q.delivery_id = o.delivery_id and o.next_at is not null
       )
       update webhook_deliveries d
       set attempts = d.attempts || o.attempt,
         -- Another node may have sent it too, after a claim that lapsed: nothing undoes that it arrived.
         status = case when d.status = 'pending' or o.status = 'succeeded' then o.status else d.status end,
         next_attempt_at = case when d.status = 'pending' then o.next_at end,
         failed_at = case when o.status = 'succeeded' then null when o.next_at is null then coalesce(d.failed_at, $2)
           else d.failed_at end
       from outcome o where d.id = o.delivery_id`,
      [JSON.stringify(rows), now],
    );
    const disabled = await recordHealth(tx, outcomes, rows, now);
    for (const id of disabled) await giveUp(tx, deps, id);
  });
}

/** Writes how the endpoints do; gives back those that are now disabled. Healthy ones that stay so are not written. */
async function recordHealth(
  tx: Tx,
  outcomes: readonly Outcome[],
  rows: readonly { next_at: string | null }[],
  now: Date,
): Promise<string[]> {
  const health = new Map<string, { endpoint_id: string; failed: boolean; ailing: boolean; next_at: string | null }>();
  outcomes.forEach(({ endpointId, attempt, slow, wellBefore }, index) => {
    const failed = attempt.error !== undefined;
    // Nothing to say. If it fell ill meanwhile, the retry of what failed says that it is well again.
    if (wellBefore && !failed && !slow && !health.has(endpointId)) return;
    const next = rows[index]?.next_at ?? null;
    const before = health.get(endpointId)?.next_at ?? null;
    // The last one counts; the earliest retry does.
    health.set(endpointId, {
      endpoint_id: endpointId,
      failed,
      ailing: failed || slow,
      next_at: next === null || (before !== null && before < next) ? before : next,
    });
  });
  if (health.size === 0) return [];
  const disabled = await many<{ id: string; now_disabled: boolean }>(
    tx,
    `with health as (
       select e.id, h.failed, h.ailing, h.next_at, e.disabled_at as was
       from jsonb_to_recordset($1::jsonb) as h (endpoint_id text, failed boolean, ailing boolean, next_at timestamptz)
       join webhook_endpoints e on e.id = h.endpoint_id
       where h.failed or e.ailing is distinct from h.ailing or e.failing_since is not null or e.disabled_at is not null
       order by e.id for no key update of e
     )
     update webhook_endpoints e
     set ailing = h.ailing,
       failing_since = case when h.failed then coalesce(e.failing_since, $2) end,
       disabled_at = case when h.failed then coalesce(e.disabled_at, case when e.failing_since <= $3 then $2 end) end,
       due_at = least(e.due_at, h.next_at)
     from health h where e.id = h.id
     returning e.id, h.was is null and e.disabled_at is not null as now_disabled`,
    [JSON.stringify([...health.values()]), now, new Date(now.getTime() - DISABLE_AFTER_MS)],
  );
  return disabled.filter(row => row.now_disabled).map(row => row.id);
}

/** What was queued at a disabled endpoint has failed; the tenant is told. */
async function giveUp(tx: Tx, deps: Deps, endpointId: string): Promise<void> {
  await tx.query(
    `with queued as (delete from webhook_queue where endpoint_id = $1 returning delivery_id)
     update webhook_deliveries d set status = 'failed', next_attempt_at = null, failed_at = $2
     from queued where d.id = queued.delivery_id and d.status = 'pending'`,
    [endpointId, deps.clock.now()],
  );
  await tx.query('update webhook_endpoints set due_at = null where id = $1', [endpointId]);
  if (deps.mailer) await addJob(tx, 'mail_endpoint_disabled', { endpoint_id: endpointId });
  deps.log.warn({ endpoint: endpointId }, 'a webhook endpoint that only failed for five days is disabled');
}
