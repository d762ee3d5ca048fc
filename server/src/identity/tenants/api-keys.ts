import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import { ApiKey, apiKeyFaults, CreateApiKey, CreatedApiKey } from '@firsthand/contract/account/management.ts';
import { fault } from '@firsthand/contract/base/fault.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { type Call, created, noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type Activity, activityOf, audit } from '../audit/audit.ts';
import { mintKey, templateFault } from './keys.ts';

interface KeyRow {
  id: string;
  name: string;
  kind: 'publishable' | 'secret';
  livemode: boolean | null;
  scopes: KeyScope[] | null;
  template_id: string | null;
  prefix: string;
  created_at: Date;
  last_used_at: Date | null;
}

const present = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  ...(row.livemode === null ? {} : { livemode: row.livemode }),
  ...(row.scopes ? { scopes: row.scopes } : {}),
  ...(row.template_id ? { template_id: row.template_id } : {}),
  prefix: row.prefix,
  created_at: row.created_at.toISOString(),
  ...(row.last_used_at ? { last_used_at: row.last_used_at.toISOString() } : {}),
});

const COLUMNS = 'id, name, kind, livemode, scopes, template_id, prefix, created_at, last_used_at';

/** Lists the active keys, newest first, starting after `after` if given. */
export const listKeys = (db: Queryable, tenantId: string, limit: number, after: string | null = null) =>
  many<KeyRow>(
    db,
    `select ${COLUMNS} from api_keys
     where tenant_id = $1 and revoked_at is null and ($2::text is null or id < $2) order by id desc limit $3`,
    [tenantId, after, limit],
  );

const findKey = (db: Queryable, tenantId: string, id: string) =>
  one<KeyRow>(db, `select ${COLUMNS} from api_keys where id = $1 and tenant_id = $2 and revoked_at is null`, [
    id,
    tenantId,
  ]);

/** Revokes a key. Every node rejects it from the commit on. Returns false when the tenant has no such key. */
export async function revokeKey(tx: Tx, activity: Activity, id: string): Promise<boolean> {
  const revoked = await one<{ prefix: string }>(
    tx,
    'update api_keys set revoked_at = $3 where id = $1 and tenant_id = $2 and revoked_at is null returning prefix',
    [id, activity.tenantId, activity.at],
  );
  if (!revoked) return false;
  await audit(tx, activity, { action: 'api_key.revoked', target: id, detail: { prefix: revoked.prefix } });
  return true;
}

const common = { tag: 'Management', credentials: ['session', 'secret'], role: 'owner' } as const;

export const createApiKey = tenantEndpoint({
  operationId: 'createApiKey',
  summary: 'Create a key',
  description:
    'A key with `scopes` is for apps: it creates verifications from one link template, and lists and reads nothing. Only this ' +
    'response shows the key. A retry with the same `Idempotency-Key` creates no second key and does not repeat ' +
    'it. If you lost the response, revoke the key and create another.',
  ...common,
  recent: true,
  secretAnswer: ['key'],
  body: CreateApiKey,
  faults: apiKeyFaults,
  recordFaults: async ({ deps, principal, body }) => {
    const { mode, template_id: templateId } = (body ?? {}) as { mode?: unknown; template_id?: unknown };
    // A leaked secret key makes no second one that outlives it.
    if (mode === 'secret' && principal?.kind !== 'session')
      return [fault('mode', 'not_allowed', 'is `secret` only for an owner who is signed in')];
    if (!principal || typeof templateId !== 'string') return [];
    const found = await templateFault(deps.db, principal.tenantId, templateId);
    return found ? [found] : [];
  },
  responses: { 201: CreatedApiKey },
  async handler(call) {
    const { deps, principal, body } = call;
    const activity = activityOf(call);
    return transaction(deps.db, async tx => {
      const { name, mode, scopes, template_id: templateId } = body;
      const app = scopes && templateId ? { scopes, templateId } : undefined;
      const key = await mintKey(tx, { tenantId: principal.tenantId, name, mode, now: activity.at, app });
      await audit(tx, activity, { action: 'api_key.created', target: key.id, detail: { ...body, prefix: key.prefix } });
      const row: KeyRow = {
        id: key.id,
        name,
        kind: mode === 'secret' ? 'secret' : 'publishable',
        livemode: mode === 'secret' ? null : mode === 'live',
        scopes: scopes ?? null,
        template_id: templateId ?? null,
        prefix: key.prefix,
        created_at: key.createdAt,
        last_used_at: null,
      };
      const answer = created({ ...present(row), key: key.plaintext });
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const listApiKeys = tenantEndpoint({
  operationId: 'listApiKeys',
  summary: 'List active keys, newest first',
  ...common,
  query: PageQuery,
  responses: { 200: Page(ApiKey) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('key', id));
    const rows = await listKeys(deps.db, principal.tenantId, query.limit + 1, after);
    return ok(pageOf(rows, query.limit, row => row.id, present));
  },
});

const exists = async ({
  deps,
  principal,
  params,
}: Pick<Call<unknown, unknown, Principal>, 'deps' | 'principal' | 'params'>) =>
  (await findKey(deps.db, principal.tenantId, params.id!)) !== undefined;

export const getApiKey = tenantEndpoint({
  operationId: 'getApiKey',
  summary: 'Get a key, without the key itself',
  ...common,
  exists,
  responses: { 200: ApiKey },
  async handler({ deps, principal, params }) {
    const row = await findKey(deps.db, principal.tenantId, params.id!);
    if (!row) throw notFound();
    return ok(present(row));
  },
});

export const deleteApiKey = tenantEndpoint({
  operationId: 'revokeApiKey',
  summary: 'Revoke a key',
  description: 'After this response every node rejects the key. You cannot undo this.',
  ...common,
  recent: true,
  exists,
  responses: { 204: null },
  async handler(call) {
    const done = await transaction(call.deps.db, tx => revokeKey(tx, activityOf(call), call.params.id!));
    if (!done) throw notFound();
    return noContent;
  },
});
