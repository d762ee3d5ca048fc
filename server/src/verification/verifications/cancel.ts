import { Verification } from '@firsthand/contract/verification/verification.ts';
import { type Activity, activityOf, audit } from '../../identity/audit/audit.ts';
import { type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, verificationClosed } from '../../platform/http/problem.ts';
import { cancel, lockCurrent } from './advance.ts';
import { presentFrozen, withImageUrls } from './present.ts';
import { unreviewed } from './reviews.ts';
import { capturesOf, type VerificationRow } from './row.ts';

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

/** Cancels a verification and notes it in the audit log. Throws `verification_closed` where it has ended otherwise. */
export async function cancelOne(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'origins' | 'clock'>,
  id: string,
  activity: Activity,
): Promise<VerificationRow> {
  const current = await lockCurrent(tx, deps, id);
  if (!current) throw notFound();
  if (current.status === 'completed' || current.status === 'failed') throw verificationClosed();
  if (current.status !== 'expired') {
    await audit(tx, activity, { action: 'verification.cancelled', target: current.id });
  }
  return cancel(tx, deps, current, deps.clock.now());
}
