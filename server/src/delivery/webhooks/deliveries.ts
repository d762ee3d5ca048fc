import { noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, instantOf, isId } from '@firsthand/contract/base/ids.ts';
import { caseName } from '@firsthand/contract/verification/name.ts';
import type { Config } from '@firsthand/contract/verification/verification.ts';
import {
  DeliveryStatus,
  type WebhookAttempt,
  WebhookDelivery,
  WebhookEventType,
} from '@firsthand/contract/webhooks/webhooks.ts';
import { Type } from 'typebox';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import { decodeCursor, Page, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type Principal, readableModes } from '../../platform/http/principal.ts';
import { invalid, invalidField, redacted } from '../../platform/http/problem.ts';
import { maskUrl } from '../../platform/lib/mask-url.ts';
import { wakeEndpoints, withUrl } from './queue.ts';

interface DeliveryRow {
  id: string;
  event_id: string;
  type: WebhookEventType;
  verification_id: string | null;
  config: Config | null;
  endpoint_id: string;
  url: string;
  status: DeliveryStatus;
  attempts: WebhookAttempt[];
  next_attempt_at: Date | null;
  created_at: Date;
}

function presentDelivery(row: DeliveryRow): WebhookDelivery {
  const name = row.config ? caseName(row.config) : undefined;
  return {
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    ...(row.verification_id ? { verification_id: row.verification_id } : {}),
    ...(name === undefined ? {} : { verification_name: name }),
    url: maskUrl(row.url),
    status: row.status,
    attempts: row.attempts,
    ...(row.next_attempt_at ? { next_attempt_at: row.next_attempt_at.toISOString() } : {}),
    created_at: row.created_at.toISOString(),
  };
}

const SELECT = `select d.*, e.url, v.config from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
  left join verifications v on v.id = d.verification_id`;

/** Reads deliveries by id as the API shows them, in the order of the ids. */
export async function readDeliveries(db: Queryable, ids: readonly string[]): Promise<WebhookDelivery[]> {
  return (await many<DeliveryRow>(db, `${SELECT} where d.id = any($1) order by d.id`, [ids])).map(presentDelivery);
}

export const listDeliveries = tenantEndpoint({
  operationId: 'listWebhookDeliveries',
  summary: 'List webhook deliveries, newest first',
  description: 'Each delivery lists its attempts, with the first 1 kB of each response.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
      verification_id: Type.Optional(Type.String({ maxLength: 100 })),
      endpoint_id: Type.Optional(Type.String({ maxLength: 100 })),
      status: Type.Optional(DeliveryStatus),
      type: Type.Optional(WebhookEventType),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Page(WebhookDelivery) },
  async handler({ deps, principal, query }) {
    const values: unknown[] = [principal.tenantId, readableModes(principal)];
    const conditions = ['d.tenant_id = $1', 'd.livemode = any($2)'];
    const where = (condition: (parameter: string) => string, value: unknown) => {
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    if (query.cursor !== undefined) {
      where(
        p => `d.id < ${p}`,
        decodeCursor(query.cursor, id => isId('whd', id)),
      );
    }
    if (query.verification_id !== undefined) where(p => `d.verification_id = ${p}`, query.verification_id);
    if (query.endpoint_id !== undefined) {
      where(p => `d.endpoint_id = ${p}`, query.endpoint_id);
      // None is older than its endpoint. Both ids begin with their time.
      where(p => `d.id >= ${p}`, query.endpoint_id.replace('whe_', 'whd_').slice(0, 14));
    }
    if (query.status) {
      where(p => `d.status = ${p}`, query.status);
      // Rare states have an index or a table of their own: a pending delivery is queued or claimed.
      if (query.status === 'failed' || query.status === 'cancelled') conditions.push('d.failed_at is not null');
      if (query.status === 'pending') {
        conditions.push(`d.id in (select q.delivery_id from webhook_queue q
          join webhook_endpoints qe on qe.id = q.endpoint_id where qe.tenant_id = $1
          union all select unnest(delivery_ids) from webhook_claims)`);
      }
    }
    if (query.type) where(p => `d.type = ${p}`, query.type);
    values.push(query.limit + 1);
    const rows = await many<DeliveryRow>(
      deps.db,
      `${SELECT} where ${conditions.join(' and ')} order by d.id desc limit $${values.length}`,
      values,
    );
    return ok(pageOf(rows, query.limit, row => row.id, presentDelivery));
  },
});

/**
 * Queues deliveries to send now, with the whole schedule ahead of them again, unless their event was erased or their endpoint removed. `which` is a condition on
 * `webhook_deliveries d`. Skips a delivery that a node is sending at this moment (pending and not queued). Returns
 * their ids.
 */
export async function sendAgain(tx: Tx, which: string, values: unknown[], at: Date): Promise<string[]> {
  // An erasure waits until these are queued, and then ends them; see `eraseEvents`.
  await tx.query(
    `select 1 from events where id in (select d.event_id from webhook_deliveries d where ${which})
       and $1::timestamptz is not null order by id for key share`,
    [at, ...values],
  );
  const rows = await many<{ id: string; endpoint_id: string; event_id: string }>(
    tx,
    `update webhook_deliveries d
     set status = 'pending', next_attempt_at = $1, failed_at = null, earlier_attempts = jsonb_array_length(attempts)
     where ${which} and exists (select from events e where e.id = d.event_id and e.body is not null)
       and exists (select from webhook_endpoints w where w.id = d.endpoint_id and (w.registered_at is not null or w.named))
       and (d.status <> 'pending' or exists (select from webhook_queue q where q.delivery_id = d.id))
     returning d.id, d.endpoint_id, d.event_id`,
    [at, ...values],
  );
  // Locks the endpoints before their queue rows, in the same order as a claim.
  await wakeEndpoints(tx, [...new Set(rows.map(row => row.endpoint_id))], at);
  await tx.query(
    `insert into webhook_queue as q (delivery_id, endpoint_id, event_id, run_at)
     select *, $4::timestamptz from unnest($1::text[], $2::text[], $3::text[])
     on conflict (delivery_id) do update set run_at = least(q.run_at, excluded.run_at), attempts = 0`,
    [rows.map(row => row.id), rows.map(row => row.endpoint_id), rows.map(row => row.event_id), at],
  );
  return rows.map(row => row.id);
}

const ownDelivery = async (db: Queryable, principal: Principal, id: string): Promise<boolean> =>
  isId('whd', id) &&
  (await one(db, 'select 1 from webhook_deliveries where id = $1 and tenant_id = $2 and livemode = any($3)', [
    id,
    principal.tenantId,
    readableModes(principal),
  ])) !== undefined;

export const retryDelivery = tenantEndpoint({
  operationId: 'retryWebhookDelivery',
  summary: 'Send a delivery again now',
  description:
    'Sends the delivery again, whatever its status, with the same `webhook-id`. A disabled endpoint gets one attempt; if ' +
    'it succeeds, the endpoint is enabled again.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: async ({ deps, principal, params }) => ownDelivery(deps.db, principal, params.id!),
  responses: { 202: WebhookDelivery },
  errors: ['redacted'],
  async handler({ deps, principal, params, keepAnswer }) {
    const id = params.id!;
    return transaction(deps.db, async tx => {
      const event = await one<{ erased: boolean; removed: boolean }>(
        tx,
        `select e.body is null as erased,
           exists (select from webhook_endpoints w where w.id = d.endpoint_id and w.registered_at is null and not w.named) as removed
         from webhook_deliveries d join events e on e.id = d.event_id where d.id = $1
         for no key update of d for key share of e`,
        [id],
      );
      if (event?.erased) throw redacted();
      if (event?.removed) throw invalidField('id', 'not_allowed', 'went to an endpoint that was removed');
      await sendAgain(tx, 'd.id = $2 and d.tenant_id = $3', [id, principal.tenantId], deps.clock.now());
      const [delivery] = await readDeliveries(tx, [id]);
      const answer = { status: 202, body: delivery };
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const recoverDeliveries = tenantEndpoint({
  operationId: 'recoverWebhookDeliveries',
  summary: 'Send failed deliveries again',
  description:
    'Sends every failed delivery created at or after `since`, to one `url` or to all, including those that a disabled ' +
    'endpoint missed. Enable the endpoint first: deliveries to a disabled endpoint stay failed.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  body: Type.Object(
    { since: DateTime, url: Type.Optional(Type.String()) },
    { additionalProperties: false, title: 'RecoverRequest' },
  ),
  responses: { 202: Type.Object({ recovered: Type.Integer() }, { additionalProperties: false, title: 'Recovered' }) },
  async handler({ deps, principal, body, keepAnswer }) {
    const since = instantOf(body.since);
    if (!since) throw invalid([noSuchDate('since')]);
    return transaction(deps.db, async tx => {
      const recovered = await sendAgain(
        tx,
        `d.tenant_id = $2 and d.status = 'failed' and d.failed_at is not null and d.created_at >= $3
         and d.livemode = any($5)
         and exists (select from webhook_endpoints e
                     where e.id = d.endpoint_id and e.disabled_at is null and ($4::text[] is null or e.id = any($4)))`,
        [principal.tenantId, since, await withUrl(tx, principal.tenantId, body.url), readableModes(principal)],
        deps.clock.now(),
      );
      const answer = { status: 202, body: { recovered: recovered.length } };
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});
