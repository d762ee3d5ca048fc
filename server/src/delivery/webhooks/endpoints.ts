import { isId } from '@firsthand/contract/base/ids.ts';
import { WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { Type } from 'typebox';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { many, one, type Queryable, transaction } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type Principal, readableModes } from '../../platform/http/principal.ts';
import { notFound } from '../../platform/http/problem.ts';
import { maskUrl } from '../../platform/lib/mask-url.ts';

export interface Row {
  id: string;
  url: string;
  livemode: boolean;
  failing_since: Date | null;
  disabled_at: Date | null;
  registered_at: Date | null;
  events: WebhookEndpoint['events'] | null;
  description: string | null;
  created_at: Date;
}

export const present = (row: Row): WebhookEndpoint => ({
  id: row.id,
  url: maskUrl(row.url),
  livemode: row.livemode,
  status: row.disabled_at ? 'disabled' : 'enabled',
  ...(row.registered_at ? { registered: true } : {}),
  ...(row.events ? { events: row.events } : {}),
  ...(row.description ? { description: row.description } : {}),
  ...(row.failing_since ? { failing_since: row.failing_since.toISOString() } : {}),
  ...(row.disabled_at ? { disabled_at: row.disabled_at.toISOString() } : {}),
  created_at: row.created_at.toISOString(),
});

/** True for the rows that the account sees: it registered the address, or somebody named it. */
const SHOWN = '(registered_at is not null or named)';

export const ownEndpoint = async (db: Queryable, principal: Principal, id: string): Promise<Row | undefined> =>
  isId('whe', id)
    ? one<Row>(
        db,
        `select * from webhook_endpoints where id = $1 and tenant_id = $2 and livemode = any($3) and ${SHOWN}`,
        [id, principal.tenantId, readableModes(principal)],
      )
    : undefined;

export const listWebhookEndpoints = tenantEndpoint({
  operationId: 'listWebhookEndpoints',
  summary: 'List webhook endpoints, newest first',
  tag: 'Webhooks',
  description:
    'Those that the account registered, and every other address that its verifications or test events went to.',
  credentials: ['session', 'secret'],
  query: Type.Object(
    {
      ...PageQuery.properties,
      registered: Type.Optional(
        Type.Boolean({ description: 'only those that the account registered, or only the others' }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Page(WebhookEndpoint) },
  async handler({ deps, principal, query }) {
    const before = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('whe', id));
    const rows = await many<Row>(
      deps.db,
      `select * from webhook_endpoints where tenant_id = $1 and ($2::text is null or id < $2) and livemode = any($4)
         and ${SHOWN} and ($5::boolean is null or (registered_at is not null) = $5)
       order by id desc limit $3`,
      [principal.tenantId, before, query.limit + 1, readableModes(principal), query.registered ?? null],
    );
    return ok(pageOf(rows, query.limit, row => row.id, present));
  },
});

export const enableWebhookEndpoint = tenantEndpoint({
  operationId: 'enableWebhookEndpoint',
  summary: 'Enable a disabled endpoint',
  description:
    'The endpoint gets new events from now on. To send the events it missed, call `POST /v1/webhook-deliveries/recover`.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  responses: { 200: WebhookEndpoint },
  exists: async ({ deps, principal, params }) => (await ownEndpoint(deps.db, principal, params.id!)) !== undefined,
  async handler(call) {
    const { deps, principal, params } = call;
    const row = await transaction(deps.db, async tx => {
      const before = await ownEndpoint(tx, principal, params.id!);
      if (!before) throw notFound();
      const after = await one<Row>(
        tx,
        'update webhook_endpoints set disabled_at = null, failing_since = null where id = $1 returning *',
        [before.id],
      );
      if (before.disabled_at)
        await audit(tx, activityOf(call), { action: 'webhook_endpoint.enabled', target: before.id });
      return after ?? before;
    });
    return ok(present(row));
  },
});
