import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { many, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { takeUnannounced } from '../../record/events/outbox.ts';
import type { Claims, Room } from './claim.ts';
import { type EndpointRow, endpointsOf, insertDeliveries, type NodeClaim, registeredOf } from './queue.ts';

interface EventRow {
  id: string;
  verification_id: string | null;
  tenant_id: string;
  livemode: boolean;
  public_type: string;
  /** Null unless this node may send it at once. */
  body: string | null;
  traceparent: string | null;
  webhook_url: string | null;
  /** Where an erased verification's last events go, whose address is erased as well. */
  endpoint_id: string | null;
  /** The account registered an endpoint of this mode. */
  has_endpoint: boolean;
  notify_email: string | null;
  label: string | null;
  has_chat: boolean;
}

/** Events that also send an e-mail. */
const MAILED = new Set(['verification.completed', 'verification.expired', 'verification.failed']);

/** Whether an event is worth a message in the chat: a verdict in doubt or failed, or photos that could not be analysed. */
const isForChat = (type: string, label: string | null): boolean =>
  type === 'verification.failed' ||
  (type === 'verification.completed' && (label === 'suspicious' || label === 'failed'));

export interface Announced {
  /** How many events it took; fewer than the batch means that nothing is left. */
  taken: number;
  /** What the node sends now. */
  claims: Claims;
}

/**
 * Takes up to `batch` recorded events and adds, once for each, a delivery to the verification's webhook address and to each of the
 * account's endpoints, an e-mail job and a message to the account's chat. With `direct`, the node claims those deliveries at once that overtake nothing: their
 * endpoint is well and has nothing queued. They never stand in the queue.
 */
export async function announceEvents(
  deps: Pick<Deps, 'db' | 'clock' | 'mailer'>,
  { batch = 500, direct }: { batch?: number; direct?: (NodeClaim & Room) | undefined } = {},
): Promise<Announced> {
  return transaction(deps.db, async tx => {
    // Safe to lose in a crash: the note stays, and the next run repeats the work.
    await tx.query('set local synchronous_commit = off');
    const taken = await takeUnannounced(tx, batch);
    if (taken.length === 0) return { taken: 0, claims: NOTHING };
    // An event whose body was erased is passed over; see `eraseEvents` for the lock.
    const events = await many<EventRow>(
      tx,
      `select e.id, e.verification_id, e.tenant_id, e.livemode, e.public_type, case when $2 then e.body end as body, e.traceparent,
         e.endpoint_id, coalesce(v.private ->> 'webhook_url', v.config ->> 'webhook_url') as webhook_url, v.config ->> 'notify_email' as notify_email,
         v.verdict ->> 'label' as label,
         exists (select from webhook_endpoints w where w.tenant_id = e.tenant_id and w.livemode = e.livemode and w.registered_at is not null)
           as has_endpoint,
         exists (select from chat_webhooks c where c.tenant_id = e.tenant_id) as has_chat
       from events e left join verifications v on v.id = e.verification_id
       where e.id = any($1) and e.body is not null order by e.id for key share of e`,
      [taken, direct !== undefined],
    );
    const now = deps.clock.now();
    const claims = await deliver(tx, events, direct, now);
    for (const { id, public_type: type, notify_email, label, has_chat } of events) {
      if (deps.mailer && notify_email && MAILED.has(type)) {
        await addJob(tx, 'mail_outcome', { event_id: id }, { key: `mail:${id}` });
      }
      if (has_chat && isForChat(type, label)) {
        await addJob(tx, 'chat_outcome', { event_id: id }, { key: `chat:${id}`, maxAttempts: 12 });
      }
    }
    return { taken: taken.length, claims };
  });
}

const NOTHING: Claims = { deliveries: [], targets: {}, more: false };

/** An event on its way to an endpoint. */
interface Route {
  event: EventRow;
  endpoint: EndpointRow;
}

/** Returns where the events go: to the verification's address, and to the account's endpoints that want them. No address twice. */
async function routesOf(tx: Tx, events: readonly EventRow[], now: Date): Promise<Route[]> {
  const told = events.filter(event => event.webhook_url !== null);
  const endpoints = await endpointsOf(
    tx,
    told.map(event => ({
      tenantId: event.tenant_id,
      livemode: event.livemode,
      url: event.webhook_url!,
      verificationId: event.verification_id,
    })),
    now,
  );
  const routes = told.map((event, n): Route => ({ event, endpoint: endpoints[n]! }));
  const tenants = new Set(events.filter(event => event.has_endpoint).map(event => event.tenant_id));
  if (tenants.size === 0) return routes;
  for (const endpoint of await registeredOf(tx, [...tenants], now)) {
    const wanted = events.filter(
      event =>
        event.tenant_id === endpoint.tenant_id &&
        event.livemode === endpoint.livemode &&
        (endpoint.events?.includes(event.public_type) ?? true),
    );
    routes.push(...wanted.map(event => ({ event, endpoint })));
  }
  const keyOf = ({ event, endpoint: { url } }: Route) => `${event.id} ${webUrlOf(url)?.href ?? url}`;
  // The verification's own address comes first in each group.
  return [...Map.groupBy(routes, keyOf).values()].map(([route]) => route!);
}

/** Inserts the deliveries of the events. Returns those that the node sends now. */
async function deliver(
  tx: Tx,
  events: readonly EventRow[],
  direct: (NodeClaim & Room) | undefined,
  now: Date,
): Promise<Claims> {
  const routes = await routesOf(tx, events, now);
  const claimed = direct ? fitting(routes, direct) : new Set<Route>();
  const rows = await insertDeliveries(
    tx,
    [
      ...routes.map(route => ({
        eventId: route.event.id,
        endpointId: route.endpoint.id,
        claimed: claimed.has(route),
      })),
      ...events.flatMap(({ id, endpoint_id }) => (endpoint_id ? [{ eventId: id, endpointId: endpoint_id }] : [])),
    ],
    now,
    { claim: direct },
  );
  if (claimed.size === 0) return NOTHING;
  const eventOf = new Map(events.map(event => [event.id, event]));
  const deliveries = rows
    .filter(row => row.claimed)
    .map(({ id, endpoint_id, event_id }) => {
      const { body, traceparent } = eventOf.get(event_id)!;
      return { id, endpoint_id, event_id, body: body!, traceparent, attempts: 0 };
    });
  const targets = routes.map(({ endpoint: { id, tenant_id, url, well, secrets } }) => [
    id,
    { tenant_id, url, disabled: false, well, secrets: secrets ?? [] },
  ]);
  return { deliveries, targets: Object.fromEntries(targets), more: false };
}

/** Returns what the node sends now: an equal share for each idle endpoint. */
function fitting(routes: readonly Route[], { free, perEndpoint, held, fullTenants }: Room): Set<Route> {
  const idle = Map.groupBy(
    routes.filter(({ endpoint: { idle, tenant_id } }) => idle && !fullTenants.includes(tenant_id)),
    ({ endpoint }) => endpoint.id,
  );
  const share = Math.floor(free / Math.max(1, idle.size));
  return new Set(
    [...idle].flatMap(([id, its]) => {
      const room = Math.max(0, perEndpoint - (held.get(id) ?? 0));
      return its.slice(0, Math.min(share, room));
    }),
  );
}
