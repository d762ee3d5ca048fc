import { many, type Queryable, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';

/** One delivery that this node is to send now. */
export interface Claimed {
  id: string;
  endpoint_id: string;
  tenant_id: string;
  event_id: string;
  url: string;
  body: string;
  /** Attempts of this round so far. */
  attempts: number;
  disabled: boolean;
  /** The endpoint accepted promptly the last time, and nothing is held against it. */
  well: boolean;
  /** The event's time in seconds since 1970. */
  recorded_at: number;
  /** Sealed, the current one first, with commas between them. */
  secrets: string;
}

export interface ClaimOptions {
  node: string;
  now: Date;
  /** When the claim lapses, should the node vanish. */
  until: Date;
  ailing: boolean;
  /** The most to take. */
  free: number;
  /** The most that one endpoint may have claimed by this node at once. */
  perEndpoint: number;
  /** How many of these endpoints' deliveries this node has claimed already. */
  held: ReadonlyMap<string, number>;
  /** Tenants that have their share. */
  fullTenants: readonly string[];
}

/** More endpoints than this are not looked at in one go. */
const ENDPOINTS_A_CLAIM = 16;

/**
 * Takes due deliveries, endpoint by endpoint in the order they have waited, round robin between them: an endpoint that was
 * served goes behind the others. What lies queued at an endpoint beyond its share is never read. As long as a claim may be open
 * the endpoint is due by the time it lapses, so that what a vanished node held is found. An endpoint that somebody else wrote
 * between this statement's snapshot and its lock may have deliveries that the snapshot does not show: it stays due.
 */
export function claimDeliveries(db: Queryable, o: ClaimOptions): Promise<Claimed[]> {
  return many<Claimed>(
    db,
    `with held as (select * from unnest($1::text[], $2::integer[]) as h (endpoint_id, held)),
     picked as materialized (
       select e.id, e.ctid as locked, e.due_at, least($8, $3 - coalesce((select held from held where endpoint_id = e.id), 0)) as share
       from webhook_endpoints e
       where e.ailing = $4 and e.due_at <= $5 and e.tenant_id <> all ($6)
         and not exists (select from held where endpoint_id = e.id and held >= $3)
       order by e.due_at limit $7 for update of e skip locked
     ), candidates as materialized (
       select p.id as endpoint_id, p.due_at, q.delivery_id, q.run_at
       from picked p cross join lateral (
         select delivery_id, run_at from webhook_queue
         where endpoint_id = p.id and run_at <= $5 and (claimed_until is null or claimed_until <= $5)
         order by run_at limit p.share for update skip locked) q
     ), taken as materialized (
       select delivery_id, endpoint_id
       from (select *, row_number() over (partition by endpoint_id order by run_at) as turn from candidates) c
       order by turn, due_at limit $8
     ), claimed as (
       update webhook_queue q set claimed_until = $9, claimed_by = $10 from taken t where q.delivery_id = t.delivery_id
     ), served as (
       update webhook_endpoints e
       set claims_lapse_at = case when t.taken > 0 then $9 else e.claims_lapse_at end,
         due_at = case when c.found >= p.share or c.found > t.taken or p.locked <> s.seen then $5 else
           least(case when t.taken > 0 then $9 when e.claims_lapse_at > $5 then e.claims_lapse_at end,
             (select min(run_at) from webhook_queue q where q.endpoint_id = p.id and q.run_at > $5)) end
       from picked p,
         lateral (select count(*) as found from candidates where endpoint_id = p.id) c,
         lateral (select count(*) as taken from taken where endpoint_id = p.id) t,
         lateral (select ctid as seen from webhook_endpoints where id = p.id) s
       where e.id = p.id
     ), senders as materialized (
       select e.id, e.url, e.disabled_at is not null as disabled,
         not e.ailing and e.failing_since is null and e.disabled_at is null as well,
         (select string_agg(sealed, ',' order by s.id desc) from webhook_secrets s
          where s.tenant_id = e.tenant_id and (s.expires_at is null or s.expires_at > $5)) as secrets
       from picked p join webhook_endpoints e on e.id = p.id
     )
     select d.id, d.endpoint_id, d.tenant_id, d.event_id, e.url, e.disabled, e.well, e.secrets, ev.body, extract(epoch from ev.created_at)::float8 as recorded_at,
       jsonb_array_length(d.attempts) - d.earlier_attempts as attempts
     from taken t join webhook_deliveries d on d.id = t.delivery_id
       join senders e on e.id = t.endpoint_id join events ev on ev.id = d.event_id`,
    [
      [...o.held.keys()],
      [...o.held.values()],
      o.perEndpoint,
      o.ailing,
      o.now,
      o.fullTenants,
      Math.min(o.free, ENDPOINTS_A_CLAIM),
      o.free,
      o.until,
      o.node,
    ],
  );
}

export type Release =
  /** What anybody has claimed. */
  | { all: true }
  /** What one node has, or of that these deliveries. */
  | { node: string; ids?: readonly string[] };

/** Hands back what was claimed and will not be sent. */
export async function releaseClaims(deps: Deps, which: Release): Promise<void> {
  const now = deps.clock.now();
  const [node, ids] = 'all' in which ? [null, null] : [which.node, which.ids ?? null];
  await transaction(deps.db, async tx => {
    const released = await many<{ endpoint_id: string }>(
      tx,
      `update webhook_queue set claimed_until = null, claimed_by = null
       where claimed_by is not null and ($1::text is null or claimed_by = $1)
         and ($2::text[] is null or delivery_id = any($2)) returning endpoint_id`,
      [node, ids],
    );
    await tx.query('update webhook_endpoints set due_at = least(due_at, $2) where id = any($1)', [
      [...new Set(released.map(row => row.endpoint_id))],
      now,
    ]);
  });
}
