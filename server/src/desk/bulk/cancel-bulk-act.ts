import { BulkAct } from '@firsthand/contract/batches/bulk-acts.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type BulkActRow, findBulkAct, hasEnded, presentBulkAct } from './row.ts';

export const cancelBulkAct = tenantEndpoint({
  operationId: 'cancelBulkAct',
  summary: 'Cancel a bulk action',
  description:
    'Leaves the verifications alone that were not reached. What was done stays done. Stopping again changes nothing.',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: async ({ deps, principal, params }) => (await findBulkAct(deps.db, principal, params.id!)) !== undefined,
  responses: { 200: BulkAct },
  async handler(call) {
    const { deps, params } = call;
    return transaction(deps.db, async tx => {
      const row = await one<BulkActRow>(tx, 'select * from bulk_acts where id = $1 for update', [params.id]);
      if (!row) throw notFound();
      if (hasEnded(row)) return ok(presentBulkAct(row));
      const cancelled = await one<BulkActRow>(
        tx,
        `update bulk_acts set state = 'cancelled', filter = null, collected_to = null, ended_at = $2 where id = $1 returning *`,
        [row.id, deps.clock.now()],
      );
      await audit(tx, activityOf(call), { action: 'bulk_act.cancelled', target: row.id });
      return ok(presentBulkAct(cancelled!));
    });
  },
});
