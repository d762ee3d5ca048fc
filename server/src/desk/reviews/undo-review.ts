import { isId } from '@firsthand/contract/base/ids.ts';
import { REVIEW_UNDO_SECONDS } from '@firsthand/contract/base/limits.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { noContent, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { forbidden, notFound, Problem } from '../../platform/http/problem.ts';
import { appendStatement } from '../../record/evidence/statements.ts';
import { presentReview } from '../../verification/verifications/reviews.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { claimOf, isHeldByOther, lockCase, reviewerOf } from './case.ts';
import { alreadyDecided } from './problems.ts';
import { refusalOf, standingOf } from './standing.ts';

export const undoReview = tenantEndpoint({
  operationId: 'undoReview',
  summary: 'Undo a review',
  description:
    'Its author may, within 10 minutes and until another person has reviewed the case. The review stays and carries ' +
    '`struck_at`; the case is open again, and held by its author. Taking it back again changes nothing.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  target: 'id',
  exists: async ({ deps, params }) =>
    isId('rev', params.review_id!) &&
    (await one(deps.db, 'select 1 from reviews where id = $1 and verification_id = $2', [
      params.review_id,
      params.id,
    ])) !== undefined,
  responses: { 204: null },
  errors: ['not_reviewable', 'already_decided', 'undo_expired'],
  async handler(call) {
    const { deps, params } = call;
    const person = personOf(call.principal);
    await transaction(deps.db, async tx => {
      const { row, reviews, needs } = await lockCase(tx, params.id!);
      const at = deps.clock.now();
      const review = reviews.find(({ id }) => id === params.review_id);
      if (!review) throw notFound();
      if (review.person_id !== person.userId) throw forbidden();
      if (review.struck_at) return;
      if (at.getTime() - review.created_at.getTime() > REVIEW_UNDO_SECONDS * 1_000) {
        throw new Problem('undo_expired', 'You can undo a review within 10 minutes only.');
      }
      if (reviews.findLast(({ struck_at }) => struck_at === null) !== review) {
        throw alreadyDecided('Another person has reviewed the case since.');
      }
      const struck = { ...review, struck_at: at };
      await tx.query('update reviews set struck_at = $2 where id = $1', [review.id, at]);
      await appendStatement(tx, deps, row, { type: 'review', at, content: { review: presentReview(struck) } });
      const left = reviews.map(other => (other === review ? struck : other));
      const { state, escalated } = standingOf(left, needs);
      // The author goes on with the case, unless another person has it by now or must make the second decision.
      const returns =
        !isHeldByOther(row, person.userId, at) && !refusalOf({ id: person.userId, role: person.role }, left, needs);
      await storeReviewState(tx, row.id, {
        review_state: state,
        review_escalated: escalated,
        review_decision: null,
        review_decided_at: null,
        review_version: row.review_version + 1,
        ...(returns ? claimOf(deps, await reviewerOf(tx, person), row) : {}),
      });
      await audit(tx, activityOf(call), {
        action: 'review.struck',
        target: row.id,
        detail: { review_id: review.id },
      });
    });
    return noContent;
  },
});
