import { hasRole } from '@firsthand/contract/people/roles.ts';
import { NextReview, type ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import { Verification } from '@firsthand/contract/verification/verification.ts';
import { transaction } from '../../platform/db/sql.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { presentForTenant } from '../../verification/verifications/present.ts';
import { claimNext, findHeld, renewClaims, reviewRowsOf } from '../../verification/verifications/reviews.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { claimEnd, reviewerOf, UNCLAIMED } from './case.ts';
import { refusalOf } from './standing.ts';

export const nextReview = tenantEndpoint({
  operationId: 'claimNextReview',
  summary: 'Claim the next case',
  description:
    'Returns the case that has waited longest and claims it for 10 minutes; each act on it renews the claim. No two ' +
    'people ever hold one case. 204: nothing waits for this person.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  body: NextReview,
  bodyOptional: true,
  responses: { 200: Verification, 204: null },
  async handler({ deps, principal, body }) {
    const person = personOf(principal);
    const { queue = 'all' as ReviewQueue, holding } = body ?? {};
    const row = await transaction(deps.db, async tx => {
      const reviewer = await reviewerOf(tx, person);
      const now = deps.clock.now();
      const o = { tenantId: person.tenantId, livemode: person.livemode, reviewer, now, until: claimEnd(now) };
      if (holding) {
        await renewClaims(tx, o, holding);
        const held = await findHeld(tx, o, holding);
        if (held) return held;
      }
      for (;;) {
        const row = await claimNext(tx, { ...o, queue, seesEscalated: hasRole(person.role, 'member') });
        if (!row) return undefined;
        // The statement that claims may read the reviews as they were before one of this person's committed.
        const reviews = await reviewRowsOf(tx, [row.id]);
        if (!refusalOf({ id: person.userId, role: person.role }, reviews, row.review_needs ?? 1)) return row;
        await storeReviewState(tx, row.id, UNCLAIMED);
      }
    });
    return row ? ok(await presentForTenant(deps, row, person)) : noContent;
  },
});
