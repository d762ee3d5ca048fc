import { isId } from '@firsthand/contract/base/ids.ts';
import { Batch } from '@firsthand/contract/batches/batches.ts';
import { many } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type BatchRow, findBatch, presentBatch } from './row.ts';

export const listBatches = tenantEndpoint({
  operationId: 'listBatches',
  summary: 'List batches, newest first',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  query: PageQuery,
  responses: { 200: Page(Batch) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('bat', id));
    const rows = await many<BatchRow>(
      deps.db,
      `select * from batches where tenant_id = $1 and livemode = any($2) and ($3::text is null or id < $3)
       order by id desc limit $4`,
      [principal.tenantId, principal.reads, after, query.limit + 1],
    );
    return ok(pageOf(rows, query.limit, row => row.id, presentBatch));
  },
});

export const getBatch = tenantEndpoint({
  operationId: 'getBatch',
  summary: 'Get a batch with its progress',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBatch(deps.db, principal, params.id!)) !== undefined,
  responses: { 200: Batch },
  async handler({ deps, principal, params }) {
    const row = await findBatch(deps.db, principal, params.id!);
    if (!row) throw notFound();
    return ok(presentBatch(row));
  },
});
