import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import { Type } from 'typebox';
import { many } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { holdsLinks } from '../../platform/http/principal.ts';
import { findBatch } from './row.ts';

const PAGE = 1_000;

export const getBatchResults = tenantEndpoint({
  operationId: 'getBatchResults',
  summary: 'Download the results of a batch',
  description:
    'CSV with `row`, `id`, `capture_url` and `error`, a line for each row. A row that waits has neither. People whose role ' +
    'may not create verifications get no `capture_url`.',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBatch(deps.db, principal, params.id!)) !== undefined,
  mediaType: 'text/csv',
  responses: { 200: Type.String({ description: 'CSV, RFC 4180' }) },
  handler: async ({ deps, params, principal }) => ({
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${params.id}.csv"`,
    },
    body: Readable.from(lines(deps, params.id!, holdsLinks(principal)), { objectMode: false }),
  }),
});

async function* lines(deps: Pick<Deps, 'db' | 'origins'>, batchId: string, links: boolean): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(['row', 'id', 'capture_url', 'error']);
  for (let after = 0; ; ) {
    const rows = await many<{ row: number; verification_id: string | null; error: string | null }>(
      deps.db,
      'select row, verification_id, error from batch_rows where batch_id = $1 and row > $2 order by row limit $3',
      [batchId, after, PAGE],
    );
    yield rows
      .map(({ row, verification_id: id, error }) =>
        csvLine([row, id, id && links ? `${deps.origins.capture}/v/${id}` : null, error]),
      )
      .join('');
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.row;
  }
}
