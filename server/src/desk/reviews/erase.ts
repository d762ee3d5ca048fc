import type { Queryable } from '../../platform/db/sql.ts';

/** Erases what people wrote about verifications. Who decided what, and when, stays. */
export async function eraseReviews(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  await tx.query("update reviews set note = null, reasons = '[]', flags = null where verification_id = any($1)", [
    verificationIds,
  ]);
  await tx.query('delete from review_comments where verification_id = any($1)', [verificationIds]);
}
