import type { BulkFilter } from '@firsthand/contract/batches/bulk-actions.ts';
import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { type FilterQuery, type Place, select } from '../../verification/verifications/select.ts';
import { hasEnded, type LongWork, runLongWork } from '../long-work/run.ts';
import { type Actions, type Item, LEAST_ROLE } from './actions.ts';
import type { BulkActionRow } from './bulk-action.ts';

/** Verifications that one transaction lists. */
const LISTED = 500;

const lock = (tx: Tx, id: string) => one<BulkActionRow>(tx, 'select * from bulk_acts where id = $1 for update', [id]);

/** All but the action itself. */
export const PROGRESS: Omit<LongWork<BulkActionRow, Item>, 'doOne'> = {
  name: 'bulk_act',
  // Nobody who has just lost the role redacts one more.
  chunk: 1,
  unstorable: 'internal_error',
  addJob: (tx, id) => addJob(tx, 'run_bulk_act', { bulk_act_id: id }, { key: `bulk:${id}` }),
  lock,
  orderedBy: ({ act, activity }) => ({ actor: activity.actor, least: LEAST_ROLE[act] }),
  listing: (deps, action) => action.filter && (() => listMore(deps, action, action.filter!)),
  waiting: (tx, { id }, limit) =>
    many<Item>(
      tx,
      `select number, verification_id as "verificationId" from bulk_act_items where bulk_act_id = $1 and state = 'waiting'
       order by number limit $2`,
      [id, limit],
    ),
  async record(tx, { id }, results, endedAt) {
    await tx.query(
      `update bulk_act_items i
       set state = case when result.error is null then 'done' else 'failed' end, error = result.error,
         created_id = result.created_id
       from unnest($2::integer[], $3::text[], $4::text[]) as result (number, error, created_id)
       where i.bulk_act_id = $1 and i.number = result.number`,
      [id, results.map(({ item }) => item.number), results.map(({ error }) => error), results.map(made => made.madeId)],
    );
    const failed = results.filter(({ error }) => error !== null).length;
    await tx.query(
      `update bulk_acts set state = case when $4::timestamptz is null then 'running' else 'completed' end,
         done = done + $2, failed = failed + $3, ended_at = $4 where id = $1`,
      [id, results.length - failed, failed, endedAt],
    );
  },
  async cancel(tx, id, at, stopped) {
    const cancelled = await one<BulkActionRow>(
      tx,
      `update bulk_acts set state = 'cancelled', stopped = $3, filter = null, collected_to = null, ended_at = $2
       where id = $1 returning *`,
      [id, at, stopped],
    );
    return cancelled!;
  },
  detailOf: ({ act }) => ({ act }),
};

export const runBulkAction = (deps: Deps, id: string, actions: Actions): Promise<void> =>
  runLongWork<BulkActionRow, Item>(
    deps,
    {
      ...PROGRESS,
      doOne: (tx, _, action, item) =>
        actions[action.act](tx, deps, item, action, { ...action.activity, at: deps.clock.now() }),
    },
    id,
  );

/** Lists the next verifications of the filter. */
async function listMore(deps: Deps, action: BulkActionRow, filter: BulkFilter): Promise<void> {
  const query = queryOf(filter, action.created_at);
  const selection = await select(deps, { tenantId: action.tenant_id, reads: action.modes }, query);
  const rows = await selection.page({ after: action.collected_to, limit: LISTED });
  const last = rows.at(-1);
  await transaction(deps.db, async tx => {
    const current = await lock(tx, action.id);
    // The job ran twice, or somebody cancelled the action meanwhile.
    if (!current?.filter || hasEnded(current) || current.collected_to?.id !== action.collected_to?.id) return;
    await tx.query(
      `insert into bulk_act_items (bulk_act_id, number, verification_id)
       select $1, $2 + number, id from unnest($3::text[]) with ordinality as found (id, number)`,
      [action.id, current.total, rows.map(row => row.id)],
    );
    const place: Place | null = rows.length < LISTED ? null : { id: last!.id, created_at: last!.place };
    await tx.query(
      `update bulk_acts set total = total + $2, collected_to = $3, state = $4, filter = case when $3::jsonb is null then null else filter end
       where id = $1`,
      [action.id, rows.length, place && JSON.stringify(place), place ? 'collecting' : 'running'],
    );
  });
}

/** The filter as the list's query. A verification that is made after the action was ordered is not part of it. */
function queryOf({ metadata = {}, ...filter }: BulkFilter, orderedAt: Date): FilterQuery {
  const ordered = orderedAt.toISOString();
  const before = filter.created_before;
  return {
    ...filter,
    created_before: before !== undefined && Date.parse(before) < orderedAt.getTime() ? before : ordered,
    ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value])),
  };
}
