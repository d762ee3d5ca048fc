import type { WebhookAttempt } from '@firsthand/contract/webhooks/webhooks.ts';
import { many, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { claimsOf, type Held } from './claim.ts';
import type { Next } from './schedule.ts';

/** An attempt of a delivery that ended, and its consequences. */
export interface Outcome extends Held {
  endpointId: string;
  attempt: WebhookAttempt;
  next: Next;
  /** The receiver accepted it, but late. */
  slow: boolean;
  /** The endpoint had no failures on record when the attempt began. */
  wellBefore: boolean;
}

/** An endpoint whose attempts have all failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;

/** Records attempts in one transaction: the rows, the queue, the claims and the endpoints' health. */
export async function recordAttempts(
  deps: Pick<Deps, 'log' | 'db' | 'clock' | 'mailer'>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const now = deps.clock.now();
  const rows = outcomes.map(({ id, attempt, next }) => ({
    delivery_id: id,
    attempt,
    status: next.status,
    next_at: next.inSeconds === null ? null : new Date(now.getTime() + next.inSeconds * 1_000).toISOString(),
  }));
  const note = (db: Queryable) =>
    db.query(
      // Safe to lose in a crash: a node repeats the attempt with the same webhook-id.
      `with unhurried as materialized (select set_config('synchronous_commit', 'off', true)
       ), outcome as materialized (
         select o.* from unhurried cross join jsonb_to_recordset($1::jsonb)
           as o (delivery_id text, attempt jsonb, status text, next_at timestamptz)
       ), noted as (
         update webhook_deliveries d
         -- Answers about a redacted verification are not kept, because they may repeat its data.
         set attempts = d.attempts || case when exists (
             select from verifications v where v.id = d.verification_id and v.redacted_at is not null)
           then o.attempt - 'response_excerpt' else o.attempt end,
           -- After a lapsed claim another node may also have sent it. A success stays a success.
           status = case when d.status = 'pending' or o.status = 'succeeded' then o.status else d.status end,
           next_attempt_at = case when d.status = 'pending' then o.next_at end,
           failed_at = case when o.status = 'succeeded' then null when o.next_at is null then coalesce(d.failed_at, $2)
             else d.failed_at end
         from outcome o where d.id = o.delivery_id
         returning d.id, d.endpoint_id, d.event_id, d.next_attempt_at, d.attempts, d.earlier_attempts
       ), settled as (
         update webhook_claims set delivery_ids = array(select unnest(delivery_ids) except select delivery_id from outcome)
         where id = any($3)
       )
       insert into webhook_queue (delivery_id, endpoint_id, event_id, attempts, run_at)
       select id, endpoint_id, event_id, jsonb_array_length(attempts) - earlier_attempts, next_attempt_at
       from noted where next_attempt_at is not null
       on conflict (delivery_id) do nothing`,
      [JSON.stringify(rows), now, claimsOf(outcomes)],
    );
  const health = healthOf(outcomes, rows);
  if (health.length === 0) {
    await note(deps.db);
    return;
  }
  await transaction(deps.db, async tx => {
    await note(tx);
    const disabled = await recordHealth(tx, health, now);
    for (const id of disabled) await giveUp(tx, deps, id);
  });
}

interface Health {
  endpoint_id: string;
  failed: boolean;
  ailing: boolean;
  next_at: string | null;
}

/** Returns the health of endpoints that were not well before or are not well now. */
function healthOf(outcomes: readonly Outcome[], rows: readonly { next_at: string | null }[]): Health[] {
  const health = new Map<string, Health>();
  outcomes.forEach(({ endpointId, attempt, slow, wellBefore }, index) => {
    const failed = attempt.error !== undefined;
    // Nothing to record. If the endpoint failed in the meantime, the retry of that delivery records its recovery.
    if (wellBefore && !failed && !slow && !health.has(endpointId)) return;
    const next = rows[index]?.next_at ?? null;
    const before = health.get(endpointId)?.next_at ?? null;
    // The last outcome counts, and so does the earliest retry.
    health.set(endpointId, {
      endpoint_id: endpointId,
      failed,
      ailing: failed || slow,
      next_at: next === null || (before !== null && before < next) ? before : next,
    });
  });
  return [...health.values()];
}

/** Writes the endpoints' health. Returns the endpoints that are now disabled. */
async function recordHealth(tx: Tx, health: readonly Health[], now: Date): Promise<string[]> {
  const disabled = await many<{ id: string; now_disabled: boolean }>(
    tx,
    `with health as (
       select e.id, h.failed, h.ailing, h.next_at, e.disabled_at as was
       from jsonb_to_recordset($1::jsonb) as h (endpoint_id text, failed boolean, ailing boolean, next_at timestamptz)
       join webhook_endpoints e on e.id = h.endpoint_id
       where h.failed or h.next_at is not null or e.ailing is distinct from h.ailing or e.failing_since is not null
         or e.disabled_at is not null
       order by e.id for no key update of e
     )
     update webhook_endpoints e
     set ailing = h.ailing,
       failing_since = case when h.failed then coalesce(e.failing_since, $2) end,
       disabled_at = case when h.failed then coalesce(e.disabled_at, case when e.failing_since <= $3 then $2 end) end,
       due_at = least(e.due_at, h.next_at)
     from health h where e.id = h.id
     returning e.id, h.was is null and e.disabled_at is not null as now_disabled`,
    [JSON.stringify(health), now, new Date(now.getTime() - DISABLE_AFTER_MS)],
  );
  return disabled.filter(row => row.now_disabled).map(row => row.id);
}

/** Fails all queued and claimed deliveries of a disabled endpoint, and tells the tenant. */
async function giveUp(tx: Tx, deps: Pick<Deps, 'log' | 'clock' | 'mailer'>, endpointId: string): Promise<void> {
  await tx.query(
    `with queued as (delete from webhook_queue where endpoint_id = $1 returning delivery_id)
     update webhook_deliveries d set status = 'failed', next_attempt_at = null, failed_at = $2
     from (select delivery_id from queued union select unnest(delivery_ids) from webhook_claims) open (delivery_id)
     where d.id = open.delivery_id and d.endpoint_id = $1 and d.status = 'pending'`,
    [endpointId, deps.clock.now()],
  );
  await tx.query('update webhook_endpoints set due_at = null where id = $1', [endpointId]);
  if (deps.mailer) await addJob(tx, 'mail_endpoint_disabled', { endpoint_id: endpointId });
  deps.log.warn({ endpoint: endpointId }, 'a webhook endpoint that only failed for five days is disabled');
}
