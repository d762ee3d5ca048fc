import { hasRole } from '@firsthand/contract/people/roles.ts';
import { Assignment } from '@firsthand/contract/reviews/reviews.ts';
import { Verification } from '@firsthand/contract/verification/verification.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { findMember } from '../../identity/people/persons.ts';
import { transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { presentForTenant } from '../../verification/verifications/present.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { checkVersion, lockCase, nameOfMember } from './case.ts';
import { alreadyDecided } from './problems.ts';

export const assignReview = tenantEndpoint({
  operationId: 'putReviewAssignee',
  summary: 'Assign a case',
  description:
    'Gives a case to a person who may review: the queue offers it to nobody else. Anybody who may review can still open and ' +
    'decide it. `null` gives it back to everybody. A verification that is not up for review becomes so.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  target: 'id',
  body: Assignment,
  responses: { 200: Verification },
  errors: ['not_reviewable', 'already_decided', 'review_changed'],
  async handler(call) {
    const { deps, params, body, principal } = call;
    const person = personOf(principal);
    const row = await transaction(deps.db, async tx => {
      const { row, needs } = await lockCase(tx, params.id!);
      if (row.review_state === 'decided') throw alreadyDecided();
      checkVersion(row, body.version);
      const member = body.person_id === null ? null : await findMember(tx, person.tenantId, body.person_id);
      if (member !== null && (!member || !hasRole(member.role, 'reviewer'))) {
        throw invalidField('person_id', 'unknown_reference', 'is nobody of this account who may review');
      }
      await audit(tx, activityOf(call), {
        action: 'review.assigned',
        target: row.id,
        detail: { person_id: body.person_id },
      });
      const now = deps.clock.now();
      return storeReviewState(tx, row.id, {
        review_state: row.review_state === 'none' ? 'open' : row.review_state,
        review_needs: needs,
        review_opened_at: row.review_opened_at ?? now,
        review_assigned_to: member && { person_id: member.id, name: nameOfMember(member) },
        review_version: row.review_version + 1,
      });
    });
    return ok(await presentForTenant(deps, row, person));
  },
});
