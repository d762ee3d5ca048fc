import { hasRole } from '@firsthand/contract/people/roles.ts';
import { NextReview, type ReviewQueue, WaitingReviews } from '@firsthand/contract/reviews/reviews.ts';
import { Verification } from '@firsthand/contract/verification/verification.ts';
import { transaction } from '../../platform/db/sql.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { presentForTenant } from '../../verification/verifications/present.ts';
import {
  claimNext,
  countWaiting,
  findHeld,
  type Queue,
  renewClaims,
  reviewRowsOf,
} from '../../verification/verifications/reviews.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { admit, claimEnd, claimOf, isHeldByOther, lockCase, reviewerOf, UNCLAIMED } from './case.ts';
import { claimed } from './problems.ts';
import { refusalOf } from './standing.ts';

const common = { tag: 'Reviews', credentials: ['session'], role: 'reviewer' } as const;

const queueOf = (person: ReturnType<typeof personOf>, queue: ReviewQueue, now: Date): Queue => ({
  tenantId: person.tenantId,
  livemode: person.livemode,
  personId: person.userId,
  now,
  queue,
  seesEscalated: hasRole(person.role, 'member'),
});

export const waitingReviews = tenantEndpoint({
  operationId: 'getWaitingReviews',
  summary: 'Count the cases that wait for you',
  description:
    'Counts the cases that you may decide now: not those that another person holds, is assigned or that you have decided already.',
  ...common,
  responses: { 200: WaitingReviews },
  async handler({ deps, principal }) {
    const person = personOf(principal);
    const now = deps.clock.now();
    const [all, mine] = await Promise.all(
      (['all', 'mine'] as const).map(queue => countWaiting(deps.db, queueOf(person, queue, now))),
    );
    return ok({ all: all!, mine: mine! });
  },
});

export const nextReview = tenantEndpoint({
  operationId: 'claimNextReview',
  summary: 'Claim the next case',
  description:
    'Returns the case that has waited longest and claims it for 10 minutes; each action on it renews the claim. No two ' +
    'people ever hold one case. 204: nothing waits for this person.',
  ...common,
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
        const row = await claimNext(tx, queueOf(person, queue, now), o);
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

export const claimReview = tenantEndpoint({
  operationId: 'claimReview',
  summary: 'Claim a case',
  description:
    'Claims a case that you opened yourself for 10 minutes, or renews your claim. A verification that is not up for review ' +
    'becomes so.',
  ...common,
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

export const releaseReview = tenantEndpoint({
  operationId: 'releaseReview',
  summary: 'Release a claimed case',
  description: 'Ends your claim, so that others can take the case at once. Without a claim it changes nothing.',
  ...common,
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
