import type { Queryable } from '../db/sql.ts';

/**
 * Ends the deliveries of erased events and drops what receivers answered. What a node is sending at this moment still goes
 * out; its attempt is recorded without the answer.
 */
export async function eraseDeliveries(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  const erased = `select id from webhook_deliveries d
    where verification_id = any($1) and exists (select from events e where e.id = d.event_id and e.body is null)`;
  await tx.query(`delete from webhook_queue where delivery_id in (${erased})`, [verificationIds]);
  await tx.query(
    `update webhook_deliveries d
     set status = case when status = 'pending' then 'cancelled' else status end, next_attempt_at = null,
       failed_at = case when status = 'pending' then now() else failed_at end,
       attempts = coalesce((select jsonb_agg(attempt - 'response_excerpt' order by place)
                            from jsonb_array_elements(attempts) with ordinality as each (attempt, place)), '[]')
     where id in (${erased})`,
    [verificationIds],
  );
}
