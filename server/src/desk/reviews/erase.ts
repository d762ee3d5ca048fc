import type { Queryable } from '../../platform/db/sql.ts';
import { closeReviews } from '../../verification/verifications/claims.ts';

/** Erases what reviewers wrote about verifications. Who decided what, and when, stays; an open case is closed. */
export async function eraseReviews(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  await tx.query("update reviews set note = null, reasons = '[]', flags = null where verification_id = any($1)", [
    verificationIds,
  ]);
  await closeReviews(tx, verificationIds);
}
