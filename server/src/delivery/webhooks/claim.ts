import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type NodeClaim, wakeEndpoints } from './queue.ts';

/** One delivery for this node to send now. */
export interface Claimed {
  id: string;
  endpoint_id: string;
  event_id: string;
  /** The event exactly as the node posts it. */
  body: string;
  /** Attempts of this round so far. */
  attempts: number;
  /** The trace of what caused the event; null when it was not traced. */
  traceparent: string | null;
}

/** Facts that all deliveries to one endpoint share. */
export interface Target {
  tenant_id: string;
  url: string;
  disabled: boolean;
  /** The endpoint accepted promptly last time and has no failures on record. */
  well: boolean;
  /** Encrypted secrets, the current one first. */
  secrets: string[];
}

export interface Claims {
  deliveries: Claimed[];
  /** By the id of the endpoint. */
  targets: Record<string, Target>;
  /** More may be due that would fit here. */
  more: boolean;
}

/** What a node may take. */
export interface Room {
  /** The most to take. */
  free: number;
  /** The limit on deliveries of one endpoint that this node may have claimed at once. */
  perEndpoint: number;
  /** How many deliveries of each endpoint this node has already claimed. */
  held: ReadonlyMap<string, number>;
  /** Tenants that already have their full share. */
  fullTenants: readonly string[];
}

export interface ClaimOptions extends NodeClaim, Room {
  now: Date;
  pool: 'prompt' | 'ailing';
}

export interface Due {
  /** Deliveries to endpoints that are well, and to those that ail. */
  prompt: boolean;
  ailing: boolean;
  /** Recorded events that nobody has announced. */
  events: boolean;
  /** Claims that lapsed, or have nothing left. */
  claims: boolean;
}

/** Returns what waits for a node. Costs a fraction of doing it, so an idle node asks this first. */
export async function whatIsDue(db: Queryable, now: Date): Promise<Due> {
  const row = await one<Due>(
    db,
    `select exists (select from webhook_endpoints where not ailing and due_at <= $1) as prompt,
       exists (select from webhook_endpoints where ailing and due_at <= $1) as ailing,
       exists (select from event_outbox) as events,
       exists (select from webhook_claims where until <= now() or delivery_ids = '{}') as claims`,
    [now],
  );
  return row!;
}

/** The most endpoints that one claim looks at. */
const ENDPOINTS_A_CLAIM = 16;

/**
 * Claims due deliveries: an equal share from each of the endpoints that have waited longest. An endpoint with more goes
 * behind the others, and its queue beyond the share is never read.
 *
 * Each claim is one row of `webhook_claims`. If the node vanishes, its deliveries return to the queue from that row.
 * Another writer may change an endpoint between this statement's snapshot and its lock. Such an endpoint stays due,
 * because the snapshot may not show all its deliveries.
 */
export async function claimDeliveries(db: Queryable, o: ClaimOptions): Promise<Claims> {
  const rows = await many<Claimed & { claim: Omit<Claims, 'deliveries'> | null }>(
    db,
    `with held as (select * from unnest($1::text[], $2::integer[]) as h (endpoint_id, held)),
     -- Safe to lose in a crash: the deliveries are then claimed again.
     unhurried as materialized (select set_config('synchronous_commit', 'off', true)),
     picked as materialized (
       select e.*, e.ctid as locked, $3 - coalesce((select held from held where endpoint_id = e.id), 0) as room
       from unhurried cross join webhook_endpoints e
       where e.ailing = $4 and e.due_at <= $5 and e.tenant_id <> all ($6)
         and not exists (select from held where endpoint_id = e.id and held >= $3)
       order by e.due_at limit $7 for update of e skip locked
     ), shares as materialized (
       select p.*, least(p.room, $8 / count(*) over ()) as share from picked p
     ), chosen as materialized (
       select s.id as endpoint_id, q.place
       from shares s cross join lateral (
         select ctid as place from webhook_queue where endpoint_id = s.id and run_at <= $5 order by run_at limit s.share) q
     ), taken as materialized (
       delete from webhook_queue where ctid = any (array(select place from chosen))
       returning delivery_id, endpoint_id, event_id, attempts
     ), claim as (
       insert into webhook_claims (id, node, until, delivery_ids)
       select $9, $10, now() + $11 * interval '1 ms', array_agg(delivery_id) from taken having count(*) > 0
     ), served as (
       update webhook_endpoints e
       set due_at = case when c.found >= s.share or s.locked <> n.seen then $5 else
         (select min(run_at) from webhook_queue q where q.endpoint_id = s.id and q.run_at > $5) end
       from shares s,
         lateral (select count(*) as found from chosen where endpoint_id = s.id) c,
         lateral (select ctid as seen from webhook_endpoints where id = s.id) n
       where e.id = s.id
     ), about as materialized (
       select json_build_object('more', count(*) = $7 or bool_or(share < room), 'targets', json_object_agg(id, json_build_object(
         'tenant_id', tenant_id, 'url', url, 'disabled', disabled_at is not null,
         'well', not ailing and failing_since is null and disabled_at is null,
         'secrets', (select json_agg(sealed order by s.id desc) from webhook_secrets s
                     where s.tenant_id = p.tenant_id and (s.expires_at is null or s.expires_at > $5))))) as claim
       from shares p
     )
     select t.delivery_id as id, t.endpoint_id, t.event_id, t.attempts, ev.body, ev.traceparent,
       case when row_number() over () = 1 then (select claim from about) end as claim
     from taken t join events ev on ev.id = t.event_id`,
    [
      [...o.held.keys()],
      [...o.held.values()],
      o.perEndpoint,
      o.pool === 'ailing',
      o.now,
      o.fullTenants,
      Math.min(o.free, ENDPOINTS_A_CLAIM),
      o.free,
      o.id,
      o.node,
      o.lapseMs,
    ],
  );
  return { targets: {}, more: false, ...rows[0]?.claim, deliveries: rows };
}

/** A delivery and the claim that took it from the queue. */
export interface Held {
  id: string;
  claim: string;
}

/** Hands back claimed deliveries that this node will not send. */
export async function handBack(deps: Pick<Deps, 'db' | 'clock'>, deliveries: readonly Held[]): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  await transaction(deps.db, async tx => {
    await tx.query(
      `update webhook_claims set delivery_ids = array(select unnest(delivery_ids) except select unnest($2::text[]))
       where id = any($1)`,
      [claimsOf(deliveries), ids],
    );
    await requeue(tx, ids, deps.clock.now());
  });
}

export const claimsOf = (deliveries: readonly Held[]): string[] => [...new Set(deliveries.map(({ claim }) => claim))];

/**
 * Ends claims with nothing left, claims that lapsed by the database's clock, and these: of `node`, in `ids`, or `all`.
 * Their deliveries return to the queue, so those that a vanished node sent but did not record are sent again.
 */
export async function takeBackClaims(
  deps: Pick<Deps, 'db' | 'clock'>,
  { all = false, node, ids = [] }: { all?: boolean; node?: string; ids?: readonly string[] },
): Promise<void> {
  await transaction(deps.db, async tx => {
    const ended = await many<{ delivery_ids: string[] }>(
      tx,
      `delete from webhook_claims
       where $1 or node = $2 or id = any($3) or until <= now() or delivery_ids = '{}' returning delivery_ids`,
      [all, node ?? null, ids],
    );
    await requeue(
      tx,
      ended.flatMap(claim => claim.delivery_ids),
      deps.clock.now(),
    );
  });
}

/** Queues those of the deliveries that are pending and not yet queued. */
async function requeue(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const queued = await many<{ endpoint_id: string }>(
    tx,
    `insert into webhook_queue (delivery_id, endpoint_id, event_id, attempts, run_at)
     select id, endpoint_id, event_id, jsonb_array_length(attempts) - earlier_attempts, least(next_attempt_at, $2)
     from webhook_deliveries where id = any($1) and status = 'pending'
     on conflict (delivery_id) do nothing returning endpoint_id`,
    [ids, now],
  );
  await wakeEndpoints(tx, [...new Set(queued.map(row => row.endpoint_id))], now);
}
