import { isId } from '@firsthand/contract/base/ids.ts';
import { BulkAct } from '@firsthand/contract/batches/bulk-acts.ts';
import { many } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type BulkActRow, findBulkAct, presentBulkAct } from './row.ts';

export const listBulkActs = tenantEndpoint({
  operationId: 'listBulkActs',
  summary: 'List bulk actions, newest first',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  query: PageQuery,
  responses: { 200: Page(BulkAct) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('blk', id));
    const rows = await many<BulkActRow>(
      deps.db,
      `select * from bulk_acts where tenant_id = $1 and modes && $2 and ($3::text is null or id < $3)
       order by id desc limit $4`,
      [principal.tenantId, principal.reads, after, query.limit + 1],
    );
    return ok(pageOf(rows, query.limit, row => row.id, presentBulkAct));
  },
});

export const getBulkAct = tenantEndpoint({
  operationId: 'getBulkAct',
  summary: 'Get a bulk action with its progress',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBulkAct(deps.db, principal, params.id!)) !== undefined,
  responses: { 200: BulkAct },
  async handler({ deps, principal, params }) {
    const row = await findBulkAct(deps.db, principal, params.id!);
    if (!row) throw notFound();
    return ok(presentBulkAct(row));
  },
});
