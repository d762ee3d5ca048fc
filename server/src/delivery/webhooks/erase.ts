import { many, type Queryable, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { sha256 } from '../../platform/lib/keyring.ts';

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

/** Notes the addresses that only these verifications used. They go as soon as the event of the erasure was delivered or given up. */
export const eraseAddresses = (tx: Queryable, verificationIds: readonly string[]) =>
  tx.query('update webhook_endpoints set forget = true where only_for = any($1)', [verificationIds]);

/** Sweep: leaves of the noted addresses the host, once nothing waits to be sent there. */
export const sweepAddresses = ({ db }: Pick<Deps, 'db'>): Promise<void> =>
  transaction(db, async tx => {
    const rows = await many<{ id: string; url: string }>(
      tx,
      `select e.id, e.url from webhook_endpoints e
       where e.forget
         and not exists (
           select from webhook_deliveries d
           where d.verification_id = e.only_for and d.endpoint_id = e.id and d.status = 'pending')
         and not exists (select from event_outbox o join events v on v.id = o.event_id where v.endpoint_id = e.id)
       order by e.id limit 500 for no key update of e skip locked`,
    );
    if (rows.length === 0) return;
    await tx.query(
      `update webhook_endpoints e set url = gone.url, url_sha256 = gone.url_sha256, forget = false, only_for = null
       from unnest($1::text[], $2::text[], $3::bytea[]) as gone (id, url, url_sha256) where e.id = gone.id`,
      [
        rows.map(({ id }) => id),
        rows.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : 'erased')),
        // Nobody is told at this address again: the next verification at this host makes an endpoint of its own.
        rows.map(({ id }) => sha256(id)),
      ],
    );
  });
