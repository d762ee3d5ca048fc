import type { BulkActionName } from '@firsthand/contract/batches/bulk-actions.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { resendNewest } from '../../delivery/webhooks/resend-newest.ts';
import type { Activity } from '../../identity/audit/audit.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { redacted } from '../../platform/http/problem.ts';
import { cancelOne } from '../../verification/verifications/advance.ts';
import { issue, requestOf } from '../../verification/verifications/issue.ts';
import { lockVerification } from '../../verification/verifications/row.ts';
import { queueLinkMail } from '../long-work/mail-link.ts';
import { putIntoReview } from '../reviews/put-into-review.ts';
import type { BulkActionRow } from './bulk-action.ts';

export interface Item {
  number: number;
  verificationId: string;
}

/**
 * Does the action to one verification, in the caller's transaction. Returns the id of a verification that it made. Throws
 * the problem that the API would answer with.
 */
export type One = (tx: Tx, deps: Deps, item: Item, action: BulkActionRow, activity: Activity) => Promise<string | null>;

/** The least role of a person who orders an action, and keeps while it runs. */
export const LEAST_ROLE: Record<BulkActionName, Role> = {
  cancel: 'member',
  resend: 'member',
  reissue: 'member',
  review: 'member',
  redact: 'owner',
};

export type Actions = Record<BulkActionName, One>;

/** Every action except `redact`: the worker adds it from `custody/`, which this district may not import. */
export const ACTIONS: Omit<Actions, 'redact'> = {
  async cancel(tx, deps, { verificationId }, _action, activity) {
    await cancelOne(tx, deps, verificationId, activity);
    return null;
  },
  async resend(tx, deps, { verificationId }) {
    await resendNewest(tx, deps, verificationId);
    return null;
  },
  async review(tx, deps, { verificationId }) {
    await putIntoReview(tx, verificationId, deps.clock.now());
    return null;
  },
  reissue,
};

async function reissue(tx: Tx, deps: Deps, { number, verificationId }: Item, action: BulkActionRow): Promise<string> {
  const row = await lockVerification(tx, verificationId);
  if (!row || row.redacted_at) throw redacted();
  const { tenant_id: tenantId, livemode } = row;
  const { id } = await issue(tx, deps, { tenantId, livemode, ...requestOf(row) });
  if (action.options.send && row.private.person?.email) {
    await queueLinkMail(tx, deps, { tenantId, verificationId: id, orderedAt: action.created_at, place: number });
  }
  return id;
}
