import { many, type Queryable, ringAfterCommit, type Tx } from '../../platform/db/sql.ts';
import { newId } from '../../platform/lib/ids.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import { isMasked, maskUrl } from '../../platform/lib/mask-url.ts';
import { WEBHOOKS_CHANNEL } from '../../record/events/record.ts';

interface Destination {
  tenantId: string;
  livemode: boolean;
  url: string;
  /** The verification that is told there; absent: a person chose the address. */
  verificationId?: string | null;
}

export interface EndpointRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  url: string;
  only_for: string | null;
  named: boolean;
  registered: boolean;
  /** It accepts promptly, and nothing is queued for it. */
  idle: boolean;
  /** No failures on record. */
  well: boolean;
  /** The account's encrypted secrets, the current one first. */
  secrets: string[] | null;
}

/** The columns of {@link EndpointRow}; $1 is the time. */
const COLUMNS = `e.id, e.tenant_id, e.livemode, e.url, e.only_for, e.named, e.registered_at is not null as registered,
  not e.ailing and e.disabled_at is null and e.due_at is null as idle, not e.ailing and e.failing_since is null and e.disabled_at is null as well,
  (select json_agg(sealed order by s.id desc) from webhook_secrets s
   where s.tenant_id = e.tenant_id and (s.expires_at is null or s.expires_at > $1)) as secrets`;

/**
 * Returns the endpoints that accounts registered, with the types of events that each gets (null: all). Locks them: whoever
 * removes one waits until the caller's deliveries are there, and then ends them.
 */
export const registeredOf = (
  tx: Tx,
  tenantIds: readonly string[],
  now: Date,
): Promise<(EndpointRow & { events: string[] | null })[]> =>
  many(
    tx,
    `select ${COLUMNS}, e.events from webhook_endpoints e
     where e.tenant_id = any($2) and e.registered_at is not null order by e.id for key share of e`,
    [now, tenantIds],
  );

/** Returns the endpoint of each destination, in their order, and creates missing endpoints. */
export async function endpointsOf(tx: Tx, destinations: readonly Destination[], now: Date): Promise<EndpointRow[]> {
  if (destinations.length === 0) return [];
  const keyOf = (tenantId: string, livemode: boolean, url: string) => `${tenantId} ${livemode} ${url}`;
  const keyOfRow = (row: EndpointRow) => keyOf(row.tenant_id, row.livemode, row.url);
  const together = Map.groupBy(destinations, d => keyOf(d.tenantId, d.livemode, d.url));
  /** The only verification that uses an address. Its erasure takes the address as well. */
  const onlyFor = (key: string): string | null => {
    const users = new Set(together.get(key)!.map(({ verificationId }) => verificationId ?? null));
    return users.size === 1 ? [...users][0]! : null;
  };
  // Every batch uses the same order, so that two batches with the same addresses cannot deadlock.
  const distinct = [...together.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, [destination]]) => ({ ...destination!, onlyFor: onlyFor(key) }));
  const columns = [distinct.map(d => d.tenantId), distinct.map(d => d.livemode), distinct.map(d => sha256(d.url))];
  const find = () =>
    many<EndpointRow>(
      tx,
      `select ${COLUMNS}
       from unnest($2::text[], $3::boolean[], $4::bytea[]) as d (tenant_id, livemode, url_sha256)
       join webhook_endpoints e using (tenant_id, livemode, url_sha256)`,
      [now, ...columns],
    );
  let rows = await find();
  if (rows.length < distinct.length) {
    await tx.query(
      `insert into webhook_endpoints (tenant_id, livemode, url_sha256, url, id, only_for, created_at)
       select *, $7::timestamptz from unnest($1::text[], $2::boolean[], $3::bytea[], $4::text[], $5::text[], $6::text[])
       on conflict (tenant_id, livemode, url_sha256) do nothing`,
      [
        ...columns,
        distinct.map(d => d.url),
        distinct.map(() => newId('whe', now.getTime())),
        distinct.map(d => d.onlyFor),
        now,
      ],
    );
    rows = await find();
  }
  const shared = rows.filter(row => row.only_for !== null && row.only_for !== onlyFor(keyOfRow(row)));
  if (shared.length > 0) {
    await tx.query(
      `with shared as (select id from webhook_endpoints where id = any($1) order by id for no key update)
       update webhook_endpoints e set only_for = null, forget = false from shared where shared.id = e.id`,
      [shared.map(({ id }) => id)],
    );
  }
  // A test does not name a registered address: once it is removed, nothing is left of it.
  const newlyNamed = rows.filter(
    row => !row.named && (!row.registered || together.get(keyOfRow(row))!.some(d => d.verificationId)),
  );
  if (newlyNamed.length > 0) {
    await tx.query(
      `with newly as (select id from webhook_endpoints where id = any($1) order by id for no key update)
       update webhook_endpoints e set named = true from newly where newly.id = e.id`,
      [newlyNamed.map(({ id }) => id)],
    );
  }
  const byKey = new Map(rows.map(row => [keyOfRow(row), row]));
  return destinations.map(d => {
    const endpoint = byKey.get(keyOf(d.tenantId, d.livemode, d.url));
    if (!endpoint) throw new Error('an endpoint was not made');
    return endpoint;
  });
}

/**
 * Returns the ids of the account's endpoints at a URL, which may be given as answers show it, with its secret masked. Null
 * where no URL is given.
 */
export async function withUrl(db: Queryable, tenantId: string, url: string | undefined): Promise<string[] | null> {
  if (url === undefined) return null;
  const rows = await many<Pick<EndpointRow, 'id' | 'url'>>(
    db,
    'select id, url from webhook_endpoints where tenant_id = $1 and (url_sha256 = $2 or $3)',
    [tenantId, sha256(url), isMasked(url)],
  );
  return rows.filter(row => row.url === url || maskUrl(row.url) === url).map(({ id }) => id);
}

interface NewDelivery {
  eventId: string;
  endpointId: string;
  /** This node sends it now: it belongs to `claim` and is not queued. */
  claimed?: boolean;
}

/** A claim of this node; see {@link claimDeliveries}. */
export interface NodeClaim {
  id: string;
  node: string;
  /** If the node vanishes, the claim lapses after this time, by the database's clock. */
  lapseMs: number;
}

interface InsertedDelivery {
  id: string;
  event_id: string;
  endpoint_id: string;
  claimed: boolean;
}

/**
 * Inserts one delivery per event and endpoint, queues it for now unless it is claimed, and returns the new ones. A
 * delivery to a disabled endpoint is stored as failed without an attempt, so that it can be recovered later.
 * `includeDisabled`: also send to disabled endpoints.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  now: Date,
  { includeDisabled = false, claim }: { includeDisabled?: boolean; claim?: NodeClaim | undefined } = {},
): Promise<InsertedDelivery[]> {
  if (deliveries.length === 0) return [];
  const rows = await many<InsertedDelivery & { pending: boolean }>(
    tx,
    `with given as (
       select g.*, e.disabled_at is null or $5 as pending
       from unnest($1::text[], $2::text[], $3::text[], $6::boolean[]) as g (id, event_id, endpoint_id, claimed)
         join webhook_endpoints e on e.id = g.endpoint_id
     ), inserted as (
       insert into webhook_deliveries
         (id, event_id, tenant_id, livemode, verification_id, type, endpoint_id, status, next_attempt_at, failed_at,
          created_at)
       select g.id, g.event_id, e.tenant_id, e.livemode, e.verification_id, e.public_type, g.endpoint_id,
         case when g.pending then 'pending' else 'failed' end, case when g.pending then $4::timestamptz end,
         case when not g.pending then $4::timestamptz end, $4
       from given g join events e on e.id = g.event_id
       on conflict (event_id, endpoint_id) do nothing returning id, endpoint_id, event_id, status = 'pending' as pending
     ), new as (
       select i.*, g.claimed and i.pending as claimed from inserted i join given g on g.id = i.id
     ), queued as (
       insert into webhook_queue (delivery_id, endpoint_id, event_id, run_at)
       select id, endpoint_id, event_id, $4 from new where pending and not claimed
     ), claim as (
       insert into webhook_claims (id, node, until, delivery_ids)
       select $7, $8, now() + $9 * interval '1 ms', array_agg(id) from new where claimed having count(*) > 0
     )
     select * from new`,
    [
      deliveries.map(() => newId('whd', now.getTime())),
      deliveries.map(d => d.eventId),
      deliveries.map(d => d.endpointId),
      now,
      includeDisabled,
      deliveries.map(d => d.claimed === true),
      claim?.id ?? null,
      claim?.node ?? null,
      claim?.lapseMs ?? null,
    ],
  );
  const queued = rows.filter(row => row.pending && !row.claimed);
  await wakeEndpoints(tx, [...new Set(queued.map(row => row.endpoint_id))], now);
  return rows;
}

/**
 * Marks endpoints as due at `at` and notifies the listening nodes. Locks their rows even when they do not change: a
 * claim that cannot see the caller's queue rows yet must not conclude that there are none.
 */
export async function wakeEndpoints(tx: Queryable, endpointIds: readonly string[], at: Date): Promise<void> {
  if (endpointIds.length === 0) return;
  await tx.query(
    `with due as (select id from webhook_endpoints where id = any($1) order by id for no key update)
     update webhook_endpoints e set due_at = least(e.due_at, $2) from due where due.id = e.id`,
    [endpointIds, at],
  );
  ringAfterCommit(tx, WEBHOOKS_CHANNEL, 'due');
}
