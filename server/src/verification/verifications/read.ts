import { PublicView, Verification } from '@firsthand/contract/verification/verification.ts';
import { brandOf } from '../../identity/tenants/brands.ts';
import { ok, openEndpoint, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { publicVerdictOf } from './account-defaults.ts';
import { readCurrent } from './advance.ts';
import { presentForTenant, presentPublic } from './present.ts';

export const getVerification = tenantEndpoint({
  operationId: 'getVerification',
  summary: 'Get a verification with its captures',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  target: 'id',
  responses: { 200: Verification },
  handler: async ({ deps, params, principal }) =>
    ok(await presentForTenant(deps, await readCurrent(deps, params.id!), principal)),
});

export const getPublicVerification = openEndpoint({
  operationId: 'getPublicVerification',
  summary: 'Get the public view of a verification',
  tag: 'Verifications',
  credentials: ['capture'],
  target: 'id',
  responses: { 200: PublicView },
  async handler({ deps, params }) {
    const row = await readCurrent(deps, params.id!);
    const policy = await publicVerdictOf(deps.db, row.tenant_id);
    return ok(presentPublic(row, policy, await brandOf(deps, row)));
  },
});
