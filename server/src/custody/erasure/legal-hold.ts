import { LegalHold, LegalHoldRequest } from '@firsthand/contract/evidence/erasure.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, redacted } from '../../platform/http/problem.ts';
import { findVerification, lockVerification } from '../../verification/verifications/row.ts';
import { storeLegalHold } from '../../verification/verifications/write.ts';

const common = { tag: 'Evidence', credentials: ['session', 'secret'], role: 'owner', target: 'id' } as const;

export const getLegalHold = tenantEndpoint({
  operationId: 'getLegalHold',
  summary: 'Get the legal hold of a verification',
  description: '404 while there is none.',
  ...common,
  responses: { 200: LegalHold },
  async handler({ deps, params }) {
    const row = await findVerification(deps.db, params.id!);
    if (!row?.legal_hold) throw notFound();
    return ok({ verification_id: row.id, ...row.legal_hold });
  },
});

export const placeLegalHold = tenantEndpoint({
  operationId: 'placeLegalHold',
  summary: 'Place a legal hold',
  description:
    'While it is in place, redaction is 409 `on_hold` and retention passes the verification by. Placing it again replaces the reason.',
  ...common,
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

export const liftLegalHold = tenantEndpoint({
  operationId: 'liftLegalHold',
  summary: 'Lift a legal hold',
  description: 'The body is optional; its reason goes to the audit log. Lifting again changes nothing.',
  ...common,
  recent: true,
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
