import { one, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { addJob } from '../jobs/queue.ts';
import { newId } from '../lib/ids.ts';

interface EventRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  verification_id: string | null;
  public_type: string | null;
  webhook_url: string | null;
}

/** More than the retry schedule needs: the delivery's own row says when it ends, not the queue. */
const QUEUE_ATTEMPTS = 1_000;

/** Job: gives an event its delivery to the verification's webhook address, once, however often it runs. */
export async function announce(deps: Deps, eventId: string): Promise<void> {
  await transaction(deps.db, async tx => {
    const event = await one<EventRow>(
      tx,
      `select e.id, e.tenant_id, e.livemode, e.verification_id, e.public_type, v.config ->> 'webhook_url' as webhook_url
       from events e left join verifications v on v.id = e.verification_id where e.id = $1`,
      [eventId],
    );
    if (!event?.webhook_url || !event.public_type) return;
    const now = deps.clock.now();
    const delivery = await one<{ id: string }>(
      tx,
      `insert into webhook_deliveries (id, event_id, tenant_id, livemode, verification_id, type, url, next_attempt_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8) on conflict (event_id, url) do nothing returning id`,
      [
        newId('whd', now.getTime()),
        event.id,
        event.tenant_id,
        event.livemode,
        event.verification_id,
        event.public_type,
        event.webhook_url,
        now,
      ],
    );
    if (delivery) await addJob(tx, 'deliver', { delivery_id: delivery.id }, { maxAttempts: QUEUE_ATTEMPTS });
  });
}
