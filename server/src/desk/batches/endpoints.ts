import { Batch } from '@firsthand/contract/batches/batches.ts';
import { caseName } from '@firsthand/contract/verification/name.ts';
import type { Config } from '@firsthand/contract/verification/verification.ts';
import { Type } from 'typebox';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { holdsLinks, type Principal } from '../../platform/http/principal.ts';
import { endpointsOf, resultsFile } from '../long-work/endpoints.ts';
import { type BatchRow, presentBatch } from './batch.ts';
import { BATCHES } from './run-batch.ts';

const findBatch = (db: Queryable, principal: Principal, id: string): Promise<BatchRow | undefined> =>
  one<BatchRow>(db, 'select * from batches where id = $1 and tenant_id = $2 and livemode = any($3)', [
    id,
    principal.tenantId,
    principal.reads,
  ]);

export const {
  list: listBatches,
  get: getBatch,
  cancel: cancelBatch,
} = endpointsOf<BatchRow>({
  work: BATCHES,
  operation: { one: 'Batch', many: 'Batches' },
  noun: { one: 'batch', many: 'batches' },
  tag: 'Batches',
  prefix: 'bat',
  schema: Batch,
  cancelDescription:
    'Makes no more rows. Verifications that were made stay. Cancelling a batch that has ended changes nothing.',
  present: presentBatch,
  find: findBatch,
  page: (db, principal, { before, limit }) =>
    many<BatchRow>(
      db,
      `select * from batches where tenant_id = $1 and livemode = any($2) and ($3::text is null or id < $3)
       order by id desc limit $4`,
      [principal.tenantId, principal.reads, before, limit],
    ),
});

export const getBatchResults = tenantEndpoint({
  operationId: 'getBatchResults',
  summary: 'Download the results of a batch',
  description:
    'CSV with `row`, `id`, `capture_url`, `error` and `name` (of the verification), a line for each row. A row that waits has only `row`. People whose role ' +
    'may not create verifications get no `capture_url`.',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBatch(deps.db, principal, params.id!)) !== undefined,
  mediaType: 'text/csv',
  responses: { 200: Type.String({ description: 'CSV, RFC 4180' }) },
  async handler({ deps, params, principal }) {
    const links = holdsLinks(principal);
    return resultsFile(params.id!, ['row', 'id', 'capture_url', 'error', 'name'], {
      page: (after, limit) =>
        many<{ number: number; verification_id: string | null; error: string | null; config: Config | null }>(
          deps.db,
          `select b.row as number, b.verification_id, b.error, v.config
           from batch_rows b left join verifications v on v.id = b.verification_id
           where b.batch_id = $1 and b.row > $2 order by b.row limit $3`,
          [params.id, after, limit],
        ),
      cells: ({ number, verification_id: id, error, config }) => [
        number,
        id,
        id && links ? `${deps.origins.capture}/v/${id}` : null,
        error,
        config && caseName(config),
      ],
    });
  },
});
