import type { BulkActName } from '@firsthand/contract/batches/bulk-acts.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { resendNewest } from '../../delivery/webhooks/resend-newest.ts';
import type { Activity } from '../../identity/audit/audit.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { redacted } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { cancelOne } from '../../verification/verifications/advance.ts';
import { issue, requestOf } from '../../verification/verifications/issue.ts';
import { lockVerification } from '../../verification/verifications/row.ts';
import { putIntoReview } from '../reviews/put-into-review.ts';
import type { BulkActRow } from './row.ts';

export interface Item {
  number: number;
  verificationId: string;
}

/**
 * One verification's part of an act, in the caller's transaction. Returns the id of a verification that it
 * made. Throws the problem that the API would answer with.
 */
export type One = (tx: Tx, deps: Deps, item: Item, act: BulkActRow, activity: Activity) => Promise<string | null>;

/** The least role of a person who orders an act, and keeps while it runs. */
export const LEAST_ROLE: Record<BulkActName, Role> = {
  cancel: 'member',
  resend: 'member',
  reissue: 'member',
  review: 'member',
  redact: 'owner',
};

/** Mails of one act leave at most this often. */
const MAILS_PER_SECOND = 20;

/** What each act does to one verification. */
export type Acts = Record<BulkActName, One>;

/** Every act except `redact`: the worker adds it from `custody/`, which this district may not import. */
export const ACTS: Omit<Acts, 'redact'> = {
  async cancel(tx, deps, { verificationId }, _act, activity) {
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

async function reissue(tx: Tx, deps: Pick<Deps, 'origins' | 'clock'>, item: Item, act: BulkActRow): Promise<string> {
  const row = await lockVerification(tx, item.verificationId);
  if (!row || row.redacted_at) throw redacted();
  const { id } = await issue(tx, deps, { tenantId: row.tenant_id, livemode: row.livemode, ...requestOf(row) });
  if (act.options.send && row.private.person?.email) {
    const due = act.created_at.getTime() + (item.number * 1_000) / MAILS_PER_SECOND;
    await addJob(
      tx,
      'mail_capture_link',
      { verification_id: id },
      {
        runAt: new Date(Math.max(due, deps.clock.now().getTime())),
        queue: `links:${row.tenant_id}`,
        key: `link:${id}`,
        maxAttempts: 10,
      },
    );
  }
  return id;
}
