import { Batch } from '@firsthand/contract/batches/batches.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type BatchRow, endBatch, findBatch, presentBatch } from './row.ts';

export const cancelBatch = tenantEndpoint({
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description:
    'Makes no more rows. Verifications that were made stay. Cancelling a batch that has ended changes nothing.',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: async ({ deps, principal, params }) => (await findBatch(deps.db, principal, params.id!)) !== undefined,
  responses: { 200: Batch },
  async handler(call) {
    const { deps, params } = call;
    return transaction(deps.db, async tx => {
      const batch = await one<BatchRow>(tx, 'select * from batches where id = $1 for update', [params.id]);
      if (!batch) throw notFound();
      if (batch.state === 'completed' || batch.state === 'cancelled') return ok(presentBatch(batch));
      const cancelled = await endBatch(tx, batch.id, deps.clock.now());
      await audit(tx, activityOf(call), { action: 'batch.cancelled', target: batch.id });
      return ok(presentBatch(cancelled!));
    });
  },
});
