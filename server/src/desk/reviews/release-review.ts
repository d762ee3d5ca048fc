import { transaction } from '../../platform/db/sql.ts';
import { noContent, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { isHeldByOther, lockCase, UNCLAIMED } from './case.ts';
import { claimed } from './problems.ts';

export const releaseReview = tenantEndpoint({
  operationId: 'releaseReview',
  summary: 'Release a claimed case',
  description: 'Ends your claim, so that others can take the case at once. Without a claim it changes nothing.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  target: 'verification_id',
  responses: { 204: null },
  errors: ['not_reviewable', 'claimed'],
  async handler({ deps, principal, params }) {
    const person = personOf(principal);
    await transaction(deps.db, async tx => {
      const { row } = await lockCase(tx, params.verification_id!);
      if (isHeldByOther(row, person.userId, deps.clock.now())) throw claimed();
      if (row.review_claimed_by) await storeReviewState(tx, row.id, UNCLAIMED);
    });
    return noContent;
  },
});
