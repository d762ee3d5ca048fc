import { many, type Queryable, type Tx } from '../db/sql.ts';
import { WEBHOOKS_CHANNEL } from '../events/record.ts';
import { newId } from '../lib/ids.ts';
import { sha256, sha256Hex } from '../lib/keyring.ts';

export interface Destination {
  tenantId: string;
  livemode: boolean;
  url: string;
}

export interface EndpointRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  url: string;
  disabled_at: Date | null;
}

/** The endpoint of each destination, made where it is new. */
export async function endpointsOf(
  tx: Tx,
  destinations: readonly Destination[],
  now: Date,
): Promise<(destination: Destination) => EndpointRow> {
  const keyOf = (d: Destination, hash = sha256Hex(d.url)) => `${d.tenantId} ${d.livemode} ${hash}`;
  // In one order everywhere, so that two batches with the same addresses cannot wait for each other.
  const distinct = [...new Map(destinations.map(d => [keyOf(d), d])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, destination]) => destination);
  const columns = [distinct.map(d => d.tenantId), distinct.map(d => d.livemode), distinct.map(d => sha256(d.url))];
  const find = () =>
    many<EndpointRow>(
      tx,
      `select e.id, e.tenant_id, e.livemode, e.url, e.disabled_at
       from unnest($1::text[], $2::boolean[], $3::bytea[]) as d (tenant_id, livemode, url_sha256)
       join webhook_endpoints e using (tenant_id, livemode, url_sha256)`,
      columns,
    );
  let rows = await find();
  if (rows.length < distinct.length) {
    await tx.query(
      `insert into webhook_endpoints (tenant_id, livemode, url_sha256, url, id, created_at)
       select *, $6::timestamptz from unnest($1::text[], $2::boolean[], $3::bytea[], $4::text[], $5::text[])
       on conflict (tenant_id, livemode, url_sha256) do nothing`,
      [...columns, distinct.map(d => d.url), distinct.map(() => newId('whe', now.getTime())), now],
    );
    rows = await find();
  }
  const byKey = new Map(
    rows.map(row => [keyOf({ tenantId: row.tenant_id, livemode: row.livemode, url: row.url }), row]),
  );
  return destination => {
    const row = byKey.get(keyOf(destination));
    if (!row) throw new Error('an endpoint was not made');
    return row;
  };
}

export interface NewDelivery {
  eventId: string;
  verificationId: string | null;
  type: string;
  endpoint: EndpointRow;
  /** False: kept as failed without an attempt, for a later recovery. */
  queued: boolean;
}

/** Inserts deliveries, each once for its event and endpoint, and queues them for now. Gives back the ids of new ones. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const rows = await many<{ id: string; endpoint_id: string; queued: boolean }>(
    tx,
    `insert into webhook_deliveries
       (id, event_id, tenant_id, livemode, verification_id, type, endpoint_id, status, next_attempt_at, created_at)
     select d.id, d.event_id, d.tenant_id, d.livemode, d.verification_id, d.type, d.endpoint_id,
       case when d.queued then 'pending' else 'failed' end, case when d.queued then $9::timestamptz end, $9
     from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::boolean[])
       as d (id, event_id, tenant_id, livemode, verification_id, type, endpoint_id, queued)
     on conflict (event_id, endpoint_id) do nothing returning id, endpoint_id, status = 'pending' as queued`,
    [
      deliveries.map(() => newId('whd', now.getTime())),
      deliveries.map(d => d.eventId),
      deliveries.map(d => d.endpoint.tenant_id),
      deliveries.map(d => d.endpoint.livemode),
      deliveries.map(d => d.verificationId),
      deliveries.map(d => d.type),
      deliveries.map(d => d.endpoint.id),
      deliveries.map(d => d.queued),
      now,
    ],
  );
  const queued = rows.filter(row => row.queued);
  await enqueue(
    tx,
    queued.map(row => ({ deliveryId: row.id, endpointId: row.endpoint_id })),
    now,
  );
  return rows.map(row => row.id);
}

/**
 * Queues deliveries for `at`. One that is being sent at this moment stays as it is; one that waits is brought forward.
 */
export async function enqueue(
  tx: Queryable,
  deliveries: readonly { deliveryId: string; endpointId: string }[],
  at: Date,
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query(
    `insert into webhook_queue as q (delivery_id, endpoint_id, run_at)
     select *, $3::timestamptz from unnest($1::text[], $2::text[])
     on conflict (delivery_id) do update set run_at = least(q.run_at, excluded.run_at) where q.claimed_by is null`,
    [deliveries.map(d => d.deliveryId), deliveries.map(d => d.endpointId), at],
  );
  await wakeEndpoints(tx, [...new Set(deliveries.map(d => d.endpointId))], at);
}

/**
 * Says that endpoints have something due at `at`, and tells the nodes that listen. Locks their rows whether or not they
 * change: a claim that does not see the caller's queue rows yet must not conclude that there are none.
 */
async function wakeEndpoints(tx: Queryable, endpointIds: readonly string[], at: Date): Promise<void> {
  await tx.query(
    `with due as (select id from webhook_endpoints where id = any($1) order by id for no key update)
     update webhook_endpoints e set due_at = least(e.due_at, $2) from due where due.id = e.id`,
    [endpointIds, at],
  );
  await tx.query(`select pg_notify('${WEBHOOKS_CHANNEL}', 'due')`);
}
