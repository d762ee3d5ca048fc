import type { Tx } from '../../platform/db/sql.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { lockCase } from './case.ts';
import { alreadyDecided } from './problems.ts';

/**
 * Opens a review because somebody asked for it. A case that is open stays as it is. Throws `not_reviewable` or `already_decided`.
 */
export async function putIntoReview(tx: Tx, verificationId: string, at: Date): Promise<void> {
  const { row, needs } = await lockCase(tx, verificationId);
  if (row.review_state === 'decided') throw alreadyDecided();
  if (row.review_state !== 'none') return;
  await storeReviewState(tx, row.id, {
    review_state: 'open',
    review_needs: needs,
    review_causes: ['asked'],
    review_opened_at: at,
  });
}
