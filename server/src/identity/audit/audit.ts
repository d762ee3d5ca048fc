import { AuditEntry } from '@firsthand/contract/account/management.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import type { FastifyRequest } from 'fastify';
import { many, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { deviceOf } from '../../platform/lib/device.ts';
import { newId } from '../../platform/lib/ids.ts';
import { targetNames } from './target-names.ts';

export type Actor = AuditEntry['actor'];

/** Who acts, when, and by which request. */
export interface Activity {
  tenantId: string;
  actor: Actor;
  at: Date;
  requestId?: string;
  /** The client's address. */
  address?: string;
  device?: string;
}

/** Returns the activity of a request. A program that acts for a person or a key says so in `Firsthand-Via`; nobody can prove that it does. */
export function activityOf(call: {
  deps: Pick<Deps, 'clock'>;
  principal: Principal;
  request: FastifyRequest;
}): Activity {
  const { principal } = call;
  const actor: Actor =
    principal.kind === 'session'
      ? { kind: 'session', id: principal.userId }
      : principal.kind === 'secret'
        ? { kind: 'secret', id: principal.keyId }
        : { kind: 'system' };
  const via = call.request.headers['firsthand-via'] === 'agent' ? ({ via: 'agent' } as const) : {};
  return {
    tenantId: principal.tenantId,
    actor: { ...actor, ...via },
    at: call.deps.clock.now(),
    ...originOf(call.request),
  };
}

/** Returns the request id, the address and the device for an entry. */
export const originOf = (request: FastifyRequest) => ({
  requestId: request.id,
  address: request.ip,
  device: deviceOf(request.headers['user-agent']),
});

/** Records a management action in its own transaction. `detail` must hold no secret. */
export async function audit(
  tx: Queryable,
  activity: Activity,
  entry: { action: string; target?: string; detail?: Record<string, unknown> },
): Promise<void> {
  await tx.query(
    `insert into audit_log (id, tenant_id, actor, action, target, detail, request_id, created_at, address, device)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId('aud', activity.at.getTime()),
      activity.tenantId,
      JSON.stringify(activity.actor),
      entry.action,
      entry.target ?? null,
      JSON.stringify(entry.detail ?? {}),
      activity.requestId ?? null,
      activity.at,
      activity.address ?? null,
      activity.device ?? null,
    ],
  );
}

export interface AuditRow {
  id: string;
  actor: Actor;
  action: string;
  target: string | null;
  detail: Record<string, unknown>;
  request_id: string | null;
  address: string | null;
  device: string | null;
  created_at: Date;
}

export const present = (row: AuditRow, name?: string): AuditEntry => ({
  id: row.id,
  action: row.action,
  actor: row.actor,
  ...(row.target === null ? {} : { target: row.target }),
  ...(name === undefined ? {} : { target_name: name }),
  detail: row.detail,
  ...(row.request_id === null ? {} : { request_id: row.request_id }),
  ...(row.address === null ? {} : { address: row.address }),
  ...(row.device === null ? {} : { device: row.device }),
  created_at: row.created_at.toISOString(),
});

/** Puts entries that a dump brought before all that this cluster will write, as `putEventsBefore` does with events. */
export const putEntriesBefore = (tx: Tx) =>
  tx.query(`update audit_log set recorded_in = '3' where recorded_in >= pg_snapshot_xmin(pg_current_snapshot())`);

export const listAuditLog = tenantEndpoint({
  operationId: 'listAuditLog',
  summary: 'List the audit log, newest first',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  query: PageQuery,
  responses: { 200: Page(AuditEntry) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('aud', id));
    const rows = await many<AuditRow>(
      deps.db,
      `select * from audit_log where tenant_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
      [principal.tenantId, after, query.limit + 1],
    );
    const names = await targetNames(
      deps.db,
      principal.tenantId,
      rows.flatMap(({ target }) => target ?? []),
    );
    return ok(
      pageOf(
        rows,
        query.limit,
        row => row.id,
        row => present(row, names.get(row.target ?? '')),
      ),
    );
  },
});
