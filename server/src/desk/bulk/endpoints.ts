import { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { caseName } from '@firsthand/contract/verification/name.ts';
import type { Config } from '@firsthand/contract/verification/verification.ts';
import { Type } from 'typebox';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { endpointsOf, resultsFile } from '../long-work/endpoints.ts';
import { hasEnded } from '../long-work/run.ts';
import { type BulkActionRow, presentBulkAction } from './bulk-action.ts';
import { PROGRESS } from './run-bulk-action.ts';

/** The caller's, or undefined. A person sees those of the mode that is open. */
const findBulkAction = (db: Queryable, principal: Principal, id: string): Promise<BulkActionRow | undefined> =>
  one<BulkActionRow>(db, 'select * from bulk_acts where id = $1 and tenant_id = $2 and modes && $3', [
    id,
    principal.tenantId,
    principal.reads,
  ]);

export const {
  list: listBulkActions,
  get: getBulkAction,
  cancel: cancelBulkAction,
} = endpointsOf<BulkActionRow>({
  work: PROGRESS,
  operation: { one: 'BulkAct', many: 'BulkActs' },
  noun: { one: 'bulk action', many: 'bulk actions' },
  tag: 'Verifications',
  prefix: 'blk',
  schema: BulkAction,
  cancelDescription:
    'Does not touch the verifications that were not reached. What was done stays done. Stopping again changes nothing.',
  present: presentBulkAction,
  find: findBulkAction,
  page: (db, principal, { before, limit }) =>
    many<BulkActionRow>(
      db,
      `select * from bulk_acts where tenant_id = $1 and modes && $2 and ($3::text is null or id < $3)
       order by id desc limit $4`,
      [principal.tenantId, principal.reads, before, limit],
    ),
});

interface Item {
  config: Config | null;
  number: number;
  verification_id: string;
  state: 'waiting' | 'done' | 'failed';
  error: string | null;
  created_id: string | null;
}

export const getBulkActionResults = tenantEndpoint({
  operationId: 'getBulkActResults',
  summary: 'Download the results of a bulk action',
  description:
    'CSV with `id`, `result` (`done`, `failed`, `waiting`, or `not_done` after the action was stopped), `error` (a code of the API, for ' +
    '`failed`), `created_id` (the verification that `reissue` made) and `name` (of the verification).',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  exists: async ({ deps, principal, params }) => (await findBulkAction(deps.db, principal, params.id!)) !== undefined,
  query: Type.Object(
    { result: Type.Optional(Type.Literal('failed', { description: 'only those that failed' })) },
    { additionalProperties: false },
  ),
  mediaType: 'text/csv',
  responses: { 200: Type.String({ description: 'CSV, RFC 4180' }) },
  async handler({ deps, principal, params, query }) {
    const action = await findBulkAction(deps.db, principal, params.id!);
    const unreached = action && hasEnded(action) ? 'not_done' : 'waiting';
    return resultsFile(params.id!, ['id', 'result', 'error', 'created_id', 'name'], {
      page: (after, limit) =>
        many<Item>(
          deps.db,
          `select i.number, i.verification_id, i.state, i.error, i.created_id, v.config
           from bulk_act_items i left join verifications v on v.id = i.verification_id
           where i.bulk_act_id = $1 and i.number > $2 and ($3::text is null or i.state = $3) order by i.number limit $4`,
          [params.id, after, query.result ?? null, limit],
        ),
      cells: ({ verification_id, state, error, created_id, config }) => [
        verification_id,
        state === 'waiting' ? unreached : state,
        error,
        created_id,
        config && caseName(config),
      ],
    });
  },
});
