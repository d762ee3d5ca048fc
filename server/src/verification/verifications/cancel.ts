import { Verification } from '@firsthand/contract/verification/verification.ts';
import { activityOf } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { cancelOne } from './advance.ts';
import { presentFrozen, withImageUrls } from './present.ts';
import { unreviewed } from './reviews.ts';
import { capturesOf } from './row.ts';

export const cancelVerification = tenantEndpoint({
  operationId: 'cancelVerification',
  summary: 'Cancel a verification',
  description: 'Expires the verification and its link at once. Cancelling again changes nothing.',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  role: 'member',
  target: 'id',
  responses: { 200: Verification },
  links: (deps, body) => withImageUrls(deps, body as Verification),
  errors: ['verification_closed'],
  async handler(call) {
    const { deps, params } = call;
    const row = await transaction(deps.db, tx => cancelOne(tx, deps, params.id!, activityOf(call)));
    return ok(presentFrozen(row, await capturesOf(deps.db, row.id), unreviewed, deps.origins));
  },
});
