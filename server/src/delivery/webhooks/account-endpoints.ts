import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { ENDPOINTS_MAX } from '@firsthand/contract/base/limits.ts';
import { WebhookEndpoint, WebhookEndpointInput, WebhookEndpointPatch } from '@firsthand/contract/webhooks/webhooks.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, type Tx, transaction } from '../../platform/db/sql.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { invalidField, notFound } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import { maskedFaults, maskUrl } from '../../platform/lib/mask-url.ts';
import { ownEndpoint, present, type Row } from './endpoints.ts';

/** Owners who signed in a moment ago: events hold what people answered, and go there for as long as nobody looks. */
const common = { tag: 'Webhooks', credentials: ['session', 'secret'], role: 'owner', recent: true } as const;

export const createWebhookEndpoint = tenantEndpoint({
  operationId: 'createWebhookEndpoint',
  summary: 'Register a webhook endpoint of the account',
  description:
    'Events of every verification of this mode go there, beside the `webhook_url` of the verification. The same address gets ' +
    `an event once. An account has at most ${ENDPOINTS_MAX} in each mode.`,
  ...common,
  body: WebhookEndpointInput,
  faults: body => maskedFaults('url', (body as { url?: unknown } | null)?.url),
  recordFaults: ({ principal, body }) => {
    const { livemode } = (body ?? {}) as { livemode?: unknown };
    if (!principal || typeof livemode !== 'boolean' || readableModes(principal).includes(livemode)) return [];
    return [fault('livemode', 'not_allowed', `must be ${!livemode}: the other mode is not open here`)];
  },
  responses: { 201: WebhookEndpoint },
  async handler(call) {
    const { deps, principal, body, keepAnswer } = call;
    const { url, livemode, events = null, description = null } = body;
    const at = deps.clock.now();
    return transaction(deps.db, async tx => {
      await requireRoom(tx, principal.tenantId, livemode);
      const row = await one<Row>(
        tx,
        `insert into webhook_endpoints as e
           (id, tenant_id, livemode, url, url_sha256, created_at, registered_at, events, description, named)
         values ($1, $2, $3, $4, $5, $6, $6, $7, $8, false)
         on conflict (tenant_id, livemode, url_sha256) do update
           set registered_at = excluded.registered_at, events = excluded.events, description = excluded.description,
             created_at = case when e.named then e.created_at else excluded.created_at end,
             only_for = null, forget = false, failing_since = null, disabled_at = null
           where e.registered_at is null
         returning *`,
        [newId('whe', at.getTime()), principal.tenantId, livemode, url, sha256(url), at, events, description],
      );
      if (!row) throw invalidField('url', 'duplicate', 'is registered already');
      await audit(tx, activityOf(call), {
        action: 'webhook_endpoint.created',
        target: row.id,
        detail: { url: maskUrl(url), livemode, ...(events ? { events } : {}) },
      });
      const answer = { status: 201, body: present(row) };
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});

/** Throws 400 when the account has all the endpoints it may have. Locks the account until the new one is there. */
async function requireRoom(tx: Tx, tenantId: string, livemode: boolean): Promise<void> {
  await tx.query('select 1 from tenants where id = $1 for no key update', [tenantId]);
  const row = await one<{ count: number }>(
    tx,
    `select count(*)::integer as count from webhook_endpoints
     where tenant_id = $1 and livemode = $2 and registered_at is not null`,
    [tenantId, livemode],
  );
  if (row!.count < ENDPOINTS_MAX) return;
  const message = `cannot be added: the account has ${ENDPOINTS_MAX} endpoints in this mode. Remove one first.`;
  throw invalidField('url', 'too_many', message, { max: ENDPOINTS_MAX });
}

const patchFaults = (body: unknown): Fault[] =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0
    ? [fault('body', 'too_few', 'must name `events` or `description`', { min: 1 })]
    : [];

export const updateWebhookEndpoint = tenantEndpoint({
  operationId: 'updateWebhookEndpoint',
  summary: 'Change a webhook endpoint of the account',
  description:
    'Changes which events go there, from the next one on, or its description. For another address, register that one.',
  ...common,
  body: WebhookEndpointPatch,
  faults: patchFaults,
  responses: { 200: WebhookEndpoint },
  exists: async ({ deps, principal, params }) =>
    (await ownEndpoint(deps.db, principal, params.id!))?.registered_at != null,
  async handler(call) {
    const { deps, params, body } = call;
    return transaction(deps.db, async tx => {
      const row = await one<Row>(
        tx,
        `update webhook_endpoints
         set events = case when $2 then $3::text[] else events end, description = case when $4 then $5 else description end
         where id = $1 and registered_at is not null returning *`,
        [params.id, 'events' in body, body.events ?? null, 'description' in body, body.description ?? null],
      );
      if (!row) throw notFound();
      await audit(tx, activityOf(call), { action: 'webhook_endpoint.updated', target: row.id, detail: { ...body } });
      return ok(present(row));
    });
  },
});

export const deleteWebhookEndpoint = tenantEndpoint({
  operationId: 'deleteWebhookEndpoint',
  summary: 'Remove a webhook endpoint of the account',
  description:
    'Nothing more is sent there, and what waits is cancelled. Verifications that name the address as their `webhook_url` still send their own events.',
  ...common,
  responses: { 204: null },
  exists: async ({ deps, principal, params }) =>
    (await ownEndpoint(deps.db, principal, params.id!))?.registered_at != null,
  async handler(call) {
    const { deps, params } = call;
    await transaction(deps.db, async tx => {
      // Waits for whoever is inserting deliveries; see `registeredOf`.
      const endpoint = await one<Row>(
        tx,
        'select * from webhook_endpoints where id = $1 and registered_at is not null for update',
        [params.id],
      );
      if (!endpoint) throw notFound();
      await tx.query(
        'update webhook_endpoints set registered_at = null, events = null, description = null where id = $1',
        [endpoint.id],
      );
      await cancelDeliveries(tx, endpoint, deps.clock.now());
      await audit(tx, activityOf(call), {
        action: 'webhook_endpoint.removed',
        target: endpoint.id,
        detail: { url: maskUrl(endpoint.url) },
      });
    });
    return noContent;
  },
});

/** Ends the deliveries that wait, but for those of verifications that name the address. What a node sends at this moment still goes out. */
const cancelDeliveries = (tx: Tx, { id, url }: Row, now: Date) =>
  tx.query(
    `with ended as materialized (
       select d.id
       from (select delivery_id as id from webhook_queue where endpoint_id = $1
             union select unnest(delivery_ids) from webhook_claims) waiting
         join webhook_deliveries d using (id) join events e on e.id = d.event_id left join verifications v on v.id = d.verification_id
       where d.endpoint_id = $1 and d.status = 'pending' and e.endpoint_id is distinct from $1
         and coalesce(v.private ->> 'webhook_url', v.config ->> 'webhook_url') is distinct from $2
     ), unqueued as (
       delete from webhook_queue where delivery_id in (select id from ended)
     )
     update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, failed_at = $3 from ended where ended.id = d.id`,
    [id, url, now],
  );
