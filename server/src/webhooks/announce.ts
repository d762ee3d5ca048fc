import { many, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { addJob } from '../jobs/queue.ts';
import { endpointsOf, insertDeliveries } from './queue.ts';

interface EventRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  public_type: string;
  webhook_url: string | null;
  notify_email: string | null;
}

/** Events that are worth an e-mail. */
const MAILED = new Set(['verification.completed', 'verification.expired', 'verification.failed']);

/**
 * Takes up to `batch` recorded events and gives each what follows from it, once: a delivery to the verification's webhook
 * address, an e-mail job. Gives back how many it took; fewer than `batch`: nothing is left.
 */
export async function announceEvents(deps: Deps, batch = 500): Promise<number> {
  return transaction(deps.db, async tx => {
    // What a power cut undoes here is done again: the note is then still there.
    await tx.query('set local synchronous_commit = off');
    const events = await many<EventRow>(
      tx,
      `with taken as (
         delete from event_outbox where event_id = any (array(
           select event_id from event_outbox order by event_id limit $1 for update skip locked))
         returning event_id
       )
       select e.id, e.tenant_id, e.livemode, e.public_type,
         v.config ->> 'webhook_url' as webhook_url, v.config ->> 'notify_email' as notify_email
       from taken join events e on e.id = taken.event_id left join verifications v on v.id = e.verification_id
       order by e.id`,
      [batch],
    );
    const now = deps.clock.now();
    const sent = events.flatMap(({ id, tenant_id, livemode, webhook_url }) =>
      webhook_url === null ? [] : [{ eventId: id, to: { tenantId: tenant_id, livemode, url: webhook_url } }],
    );
    if (sent.length > 0) {
      const destinations = sent.map(({ to }) => to);
      const endpointOf = await endpointsOf(tx, destinations, now);
      await insertDeliveries(
        tx,
        sent.map(({ eventId, to }) => ({ eventId, endpointId: endpointOf(to) })),
        now,
      );
    }
    if (deps.mailer) {
      for (const event of events) {
        if (event.notify_email && MAILED.has(event.public_type)) {
          await addJob(tx, 'mail_outcome', { event_id: event.id }, { key: `mail:${event.id}` });
        }
      }
    }
    return events.length;
  });
}
