import { Verification } from '@firsthand/contract/verification/verification.ts';
import { transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { presentForTenant } from '../../verification/verifications/present.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { admit, claimOf, lockCase, reviewerOf } from './case.ts';

export const claimReview = tenantEndpoint({
  operationId: 'claimReview',
  summary: 'Claim a case',
  description:
    'Claims a case that you opened yourself for 10 minutes, or renews your claim. A verification that is not up for review ' +
    'becomes so.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  target: 'verification_id',
  responses: { 200: Verification },
  errors: ['not_reviewable', 'claimed', 'already_decided', 'own_photo'],
  async handler({ deps, principal, params }) {
    const person = personOf(principal);
    const row = await transaction(deps.db, async tx => {
      const found = await lockCase(tx, params.verification_id!);
      const now = deps.clock.now();
      admit(found, person, now);
      return storeReviewState(tx, found.row.id, {
        review_state: found.row.review_state === 'none' ? 'open' : found.row.review_state,
        review_needs: found.needs,
        review_opened_at: found.row.review_opened_at ?? now,
        ...claimOf(deps, await reviewerOf(tx, person), found.row),
      });
    });
    return ok(await presentForTenant(deps, row, person));
  },
});
