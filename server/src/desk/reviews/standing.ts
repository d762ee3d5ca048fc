import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { Decision } from '@firsthand/contract/reviews/reviews.ts';
import type { ReviewRow } from '../../verification/verifications/reviews.ts';

// The rules of reviews, decided without a database.

type Said = Pick<ReviewRow, 'person_id' | 'decision' | 'struck_at'>;
type Deciding = Exclude<Decision, 'escalated'>;

export interface Standing {
  state: 'open' | 'disputed' | 'decided';
  decision: Deciding | null;
  escalated: boolean;
}

const counts = <R extends Said>(review: R): review is R & { decision: Deciding } =>
  review.struck_at === null && review.decision !== 'escalated';

/**
 * Returns where a case stands after these reviews, oldest first. One person suffices where `needs` is 1. Where it is 2,
 * two people decide if they agree, and a third decides if they do not.
 */
export function standingOf(reviews: readonly Said[], needs: 1 | 2): Standing {
  const decisions = reviews.filter(counts).map(({ decision }) => decision);
  const [first, second, third] = decisions;
  const decided = needs === 1 ? first : first === second ? second : third;
  const state = decided !== undefined ? 'decided' : needs === 2 && decisions.length >= 2 ? 'disputed' : 'open';
  const escalated = reviews.some(review => review.struck_at === null && review.decision === 'escalated');
  return { state, decision: decided ?? null, escalated };
}

/** Why a person may not review a case. */
export type Refusal = 'decided' | 'own_decision' | 'has_seen' | 'escalated';

/**
 * Returns why a person may not review a case, or null when they may. Another person must make the second decision, and
 * one who has not seen the first: whoever took a second decision back saw the first when both stood.
 */
export function refusalOf(person: { id: string; role: Role }, reviews: readonly Said[], needs: 1 | 2): Refusal | null {
  const { state, escalated } = standingOf(reviews, needs);
  if (state === 'decided') return 'decided';
  if (reviews.some(review => counts(review) && review.person_id === person.id)) return 'own_decision';
  const first = reviews.findIndex(counts);
  const saw = reviews.findLastIndex(
    review => review.person_id === person.id && review.struck_at !== null && review.decision !== 'escalated',
  );
  if (needs === 2 && state === 'open' && first >= 0 && saw > first) return 'has_seen';
  if (escalated && !hasRole(person.role, 'member')) return 'escalated';
  return null;
}

/** True when a person decides without seeing a decision that stands already. */
export const decidesBlind = (reviews: readonly Said[], needs: 1 | 2): boolean =>
  needs === 2 && standingOf(reviews, needs).state === 'open' && reviews.some(counts);
