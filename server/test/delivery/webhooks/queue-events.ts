import { endpointsOf, insertDeliveries } from '../../../src/delivery/webhooks/queue.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { newId } from '../../../src/platform/lib/ids.ts';

/** Queues events of a tenant to one address, as though they had been announced. */
export const queueEvents = (
  { db }: Pick<Deps, 'db'>,
  { tenantId, url }: { tenantId: string; url: string },
  count: number,
): Promise<{ endpointId: string; ids: string[] }> =>
  transaction(db, async tx => {
    const now = new Date();
    const [endpoint] = await endpointsOf(tx, [{ tenantId, livemode: true, url }], now);
    const endpointId = endpoint!.id;
    const eventIds = Array.from({ length: count }, () => newId('evt'));
    await tx.query(
      `insert into events (id, tenant_id, livemode, type, public_type, body, created_at)
       select id, $2, true, 'webhook.test', 'webhook.test', '{"type":"webhook.test"}', $3 from unnest($1::text[]) id`,
      [eventIds, tenantId, now],
    );
    const deliveries = eventIds.map(eventId => ({ eventId, endpointId }));
    const inserted = await insertDeliveries(tx, deliveries, now);
    return { endpointId, ids: inserted.map(({ id }) => id) };
  });
