import { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { findReceipt } from './erase.ts';

export const getRedaction = tenantEndpoint({
  operationId: 'getRedaction',
  summary: 'Get the receipt of a redaction',
  description: 'The receipt as it was first given. 404 while the verification is not redacted.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  target: 'id',
  responses: { 200: RedactionReceipt },
  async handler({ deps, params }) {
    const receipt = await findReceipt(deps.db, params.id!);
    if (!receipt) throw notFound();
    return ok(receipt);
  },
});
