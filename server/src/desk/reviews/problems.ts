import { forbidden, Problem } from '../../platform/http/problem.ts';
import type { Refusal } from './standing.ts';

export const notReviewable = (): Problem =>
  new Problem('not_reviewable', 'Only a completed or failed verification can be reviewed.');

export const ownPhoto = (): Problem =>
  new Problem('own_photo', 'You sent a photo of this verification. Another person must review it.');

export const claimed = (): Problem => new Problem('claimed', 'Another person has this case at the moment.');

export const alreadyDecided = (message = 'This case is decided.'): Problem => new Problem('already_decided', message);

export function refused(refusal: Refusal): Problem {
  if (refusal === 'escalated') return forbidden();
  if (refusal === 'own_decision') return alreadyDecided('You have decided this case. Another person decides next.');
  if (refusal === 'has_seen') {
    return alreadyDecided('You have seen the first decision. Another person must make the second.');
  }
  return alreadyDecided();
}
