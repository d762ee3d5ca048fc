import { LegalHold, LegalHoldRequest } from '@firsthand/contract/evidence/erasure.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, redacted } from '../../platform/http/problem.ts';
import { lockVerification } from '../../verification/verifications/row.ts';
import { storeLegalHold } from '../../verification/verifications/write.ts';

export const placeLegalHold = tenantEndpoint({
  operationId: 'placeLegalHold',
  summary: 'Place a legal hold',
  description:
    'While it is in place, redaction is 409 `on_hold` and retention passes the verification by. Placing it again replaces the reason.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  target: 'id',
  body: LegalHoldRequest,
  responses: { 200: LegalHold },
  errors: ['redacted'],
  handler: call =>
    transaction(call.deps.db, async tx => {
      const row = await lockVerification(tx, call.params.id!);
      if (!row) throw notFound();
      if (row.redacted_at) throw redacted();
      const doing = activityOf(call);
      const hold = { reason: call.body.reason, placed_at: row.legal_hold?.placed_at ?? doing.at.toISOString() };
      await storeLegalHold(tx, row.id, hold);
      await audit(tx, doing, { action: 'legal_hold.placed', target: row.id, detail: { reason: hold.reason } });
      return ok({ verification_id: row.id, ...hold });
    }),
});
