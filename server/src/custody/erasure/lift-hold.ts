import { LegalHoldRequest } from '@firsthand/contract/evidence/erasure.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { noContent, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { lockVerification } from '../../verification/verifications/row.ts';
import { storeLegalHold } from '../../verification/verifications/write.ts';

export const liftLegalHold = tenantEndpoint({
  operationId: 'liftLegalHold',
  summary: 'Lift a legal hold',
  description: 'The body is optional; its reason goes to the audit log. Lifting again changes nothing.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  target: 'id',
  body: LegalHoldRequest,
  bodyOptional: true,
  responses: { 204: null },
  handler: call =>
    transaction(call.deps.db, async tx => {
      const row = await lockVerification(tx, call.params.id!);
      if (!row) throw notFound();
      if (row.legal_hold) {
        await storeLegalHold(tx, row.id, null);
        const detail = call.body === undefined ? {} : { reason: call.body.reason };
        await audit(tx, activityOf(call), { action: 'legal_hold.lifted', target: row.id, detail });
      }
      return noContent;
    }),
});
