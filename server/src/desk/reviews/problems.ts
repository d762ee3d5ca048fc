import { forbidden, Problem } from '../../platform/http/problem.ts';
import type { VerificationRow } from '../../verification/verifications/row.ts';
import type { Refusal } from './standing.ts';

export const notReviewable = (): Problem =>
  new Problem('not_reviewable', 'Only a completed or failed verification can be reviewed.');

export const ownPhoto = (): Problem =>
  new Problem('own_photo', 'You sent a photo of this verification. Another person must review it.');

export const claimed = (): Problem => new Problem('claimed', 'Another person has this case at the moment.');

export const alreadyDecided = (message = 'This case is decided.'): Problem => new Problem('already_decided', message);

/** `params` tell where the case stands, but no decision that a second person must not see: that one leaves it `open`. */
export const reviewChanged = (row: VerificationRow): Problem =>
  new Problem('review_changed', 'Somebody else worked on this case since you read it.', {
    params: {
      version: row.review_version,
      state: row.review_state,
      ...(row.review_decision === null ? {} : { decision: row.review_decision }),
      ...(row.review_assigned_to === null ? {} : { assigned_to: row.review_assigned_to.name }),
    },
  });

export function refused(refusal: Refusal): Problem {
  if (refusal === 'escalated') return forbidden();
  if (refusal === 'own_decision') return alreadyDecided('You have decided this case. Another person decides next.');
  if (refusal === 'has_seen') {
    return alreadyDecided('You have seen the first decision. Another person must make the second.');
  }
  return alreadyDecided();
}
