import { LegalHold } from '@firsthand/contract/evidence/erasure.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { findVerification } from '../../verification/verifications/row.ts';

export const getLegalHold = tenantEndpoint({
  operationId: 'getLegalHold',
  summary: 'Get the legal hold of a verification',
  description: '404 while there is none.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  target: 'id',
  responses: { 200: LegalHold },
  async handler({ deps, params }) {
    const row = await findVerification(deps.db, params.id!);
    if (!row?.legal_hold) throw notFound();
    return ok({ verification_id: row.id, ...row.legal_hold });
  },
});
