import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import { Type } from 'typebox';
import { many, one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type BulkActRow, findBulkAct, hasEnded } from './row.ts';

const PAGE = 1_000;

interface Item {
  number: number;
  verification_id: string;
  state: 'waiting' | 'done' | 'failed';
  error: string | null;
  created_id: string | null;
}

export const getBulkActResults = tenantEndpoint({
  operationId: 'getBulkActResults',
  summary: 'Download the results of a bulk action',
  description:
    'CSV with `id`, `result` (`done`, `failed`, `waiting`, or `not_done` after the act was stopped), `error` (a code of the API, for ' +
    '`failed`) and `created_id` (the verification that `reissue` made).',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBulkAct(deps.db, principal, params.id!)) !== undefined,
  query: Type.Object(
    { result: Type.Optional(Type.Literal('failed', { description: 'only those that failed' })) },
    { additionalProperties: false },
  ),
  mediaType: 'text/csv',
  responses: { 200: Type.String({ description: 'CSV, RFC 4180' }) },
  handler: async ({ deps, params, query }) => ({
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${params.id}.csv"`,
    },
    body: Readable.from(lines(deps, params.id!, query.result ?? null), { objectMode: false }),
  }),
});

async function* lines(deps: Pick<Deps, 'db'>, id: string, only: 'failed' | null): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(['id', 'result', 'error', 'created_id']);
  const act = await one<Pick<BulkActRow, 'state'>>(deps.db, 'select state from bulk_acts where id = $1', [id]);
  const unreached = act && hasEnded(act) ? 'not_done' : 'waiting';
  for (let after = 0; ; ) {
    const rows = await many<Item>(
      deps.db,
      `select number, verification_id, state, error, created_id from bulk_act_items
       where bulk_act_id = $1 and number > $2 and ($3::text is null or state = $3) order by number limit $4`,
      [id, after, only, PAGE],
    );
    yield rows
      .map(item =>
        csvLine([item.verification_id, item.state === 'waiting' ? unreached : item.state, item.error, item.created_id]),
      )
      .join('');
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.number;
  }
}
