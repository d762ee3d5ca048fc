import { many, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { takeUnannounced } from '../../record/events/outbox.ts';
import { isForChat } from './for-chat.ts';
import { endpointsOf, insertDeliveries } from './queue.ts';

interface EventRow {
  id: string;
  verification_id: string | null;
  tenant_id: string;
  livemode: boolean;
  public_type: string;
  webhook_url: string | null;
  /** Where an erased verification's last events go, whose address is erased as well. */
  endpoint_id: string | null;
  notify_email: string | null;
  label: string | null;
  has_chat: boolean;
}

/** Events that also send an e-mail. */
const MAILED = new Set(['verification.completed', 'verification.expired', 'verification.failed']);

/**
 * Takes up to `batch` recorded events and adds, once for each, a delivery to the verification's webhook address, an e-mail job
 * and a message to the account's chat. Returns how many it took; fewer than `batch` means nothing is left.
 */
export async function announceEvents(deps: Pick<Deps, 'db' | 'clock' | 'mailer'>, batch = 500): Promise<number> {
  return transaction(deps.db, async tx => {
    // Safe to lose in a crash: the note stays, and the next run repeats the work.
    await tx.query('set local synchronous_commit = off');
    const taken = await takeUnannounced(tx, batch);
    if (taken.length === 0) return 0;
    // An event whose body was erased is passed over; see `eraseEvents` for the lock.
    const events = await many<EventRow>(
      tx,
      `select e.id, e.verification_id, e.tenant_id, e.livemode, e.public_type,
         e.endpoint_id, coalesce(v.private ->> 'webhook_url', v.config ->> 'webhook_url') as webhook_url, v.config ->> 'notify_email' as notify_email,
         v.verdict ->> 'label' as label,
         exists (select from chat_webhooks c where c.tenant_id = e.tenant_id) as has_chat
       from events e left join verifications v on v.id = e.verification_id
       where e.id = any($1) and e.body is not null order by e.id for key share of e`,
      [taken],
    );
    const now = deps.clock.now();
    const sent = events.flatMap(({ id, verification_id: verificationId, tenant_id, livemode, webhook_url }) =>
      webhook_url === null
        ? []
        : [{ eventId: id, to: { tenantId: tenant_id, livemode, url: webhook_url, verificationId } }],
    );
    const destinations = sent.map(({ to }) => to);
    const endpointOf = sent.length > 0 ? await endpointsOf(tx, destinations, now) : null;
    await insertDeliveries(
      tx,
      [
        ...sent.map(({ eventId, to }) => ({ eventId, endpointId: endpointOf!(to) })),
        ...events.flatMap(({ id, endpoint_id }) => (endpoint_id ? [{ eventId: id, endpointId: endpoint_id }] : [])),
      ],
      now,
    );
    if (deps.mailer) {
      for (const event of events) {
        if (event.notify_email && MAILED.has(event.public_type)) {
          await addJob(tx, 'mail_outcome', { event_id: event.id }, { key: `mail:${event.id}` });
        }
      }
    }
    for (const event of events) {
      if (!event.has_chat || !isForChat(event)) continue;
      await addJob(tx, 'chat_outcome', { event_id: event.id }, { key: `chat:${event.id}`, maxAttempts: 12 });
    }
    return taken.length;
  });
}
