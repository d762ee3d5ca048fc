import { REVIEW_CLAIM_SECONDS } from '@firsthand/contract/base/limits.ts';
import type { Reviewer } from '@firsthand/contract/reviews/reviews.ts';
import { findMember } from '../../identity/people/persons.ts';
import { one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { PersonPrincipal } from '../../platform/http/principal.ts';
import { notFound } from '../../platform/http/problem.ts';
import { isClaimed, needsOf, type ReviewRow, reviewRowsOf } from '../../verification/verifications/reviews.ts';
import { capturesOf, lockVerification, type VerificationRow } from '../../verification/verifications/row.ts';
import type { ReviewChange } from '../../verification/verifications/write.ts';
import { claimed, notReviewable, ownPhoto, refused, reviewChanged } from './problems.ts';
import { refusalOf } from './standing.ts';

/** A case under the verification's lock. */
export interface Case {
  row: VerificationRow;
  reviews: ReviewRow[];
  needs: 1 | 2;
  /** People of the account who sent a photo of it. */
  senders: readonly string[];
}

/** Locks a case. Throws `not_reviewable` for a verification that has not ended with a result, or was redacted. */
export async function lockCase(tx: Tx, verificationId: string): Promise<Case> {
  const row = await lockVerification(tx, verificationId);
  if (!row) throw notFound();
  if ((row.status !== 'completed' && row.status !== 'failed') || row.redacted_at) throw notReviewable();
  return {
    row,
    reviews: await reviewRowsOf(tx, [row.id]),
    needs: row.review_needs ?? (await needsNow(tx, row)),
    senders: (await capturesOf(tx, row.id)).flatMap(({ sent_by }) => sent_by ?? []),
  };
}

/** The policy of the day, for a verification that nothing has opened for review. */
async function needsNow(tx: Tx, row: VerificationRow): Promise<1 | 2> {
  const tenant = await one<{ review_policy: Parameters<typeof needsOf>[0] }>(
    tx,
    'select review_policy from tenants where id = $1',
    [row.tenant_id],
  );
  return needsOf(tenant!.review_policy);
}

/** Throws when a person may not review the case, or another one holds it. */
export function admit({ row, reviews, needs, senders }: Case, person: PersonPrincipal, now: Date): void {
  if (senders.includes(person.userId)) throw ownPhoto();
  const refusal = refusalOf({ id: person.userId, role: person.role }, reviews, needs);
  if (refusal) throw refused(refusal);
  if (isHeldByOther(row, person.userId, now)) throw claimed();
}

export const isHeldByOther = (row: VerificationRow, personId: string, now: Date): boolean =>
  isClaimed(row, now) && row.review_claimed_by?.person_id !== personId;

export const nameOfMember = (member: { name: string | null } | undefined): string => member?.name ?? 'Unnamed person';

/** Throws `review_changed` where somebody else worked on a case since it was read. */
export function checkVersion(row: VerificationRow, seen: number | undefined): void {
  if (seen !== undefined && seen !== row.review_version) throw reviewChanged(row);
}

/** The person as reviews name them. */
export async function reviewerOf(db: Queryable, { tenantId, userId }: PersonPrincipal): Promise<Reviewer> {
  return { person_id: userId, name: nameOfMember(await findMember(db, tenantId, userId)) };
}

/** The columns of a claim that begins now, or that is renewed by its holder. */
export function claimOf(
  deps: Pick<Deps, 'clock'>,
  reviewer: Reviewer,
  held: VerificationRow | null,
): Required<Pick<ReviewChange, 'review_claimed_by' | 'review_claimed_at' | 'review_claimed_until'>> {
  const now = deps.clock.now();
  const renewed = held && isClaimed(held, now) && held.review_claimed_by?.person_id === reviewer.person_id;
  return {
    review_claimed_by: reviewer,
    review_claimed_at: renewed ? held.review_claimed_at : now,
    review_claimed_until: claimEnd(now),
  };
}

export const claimEnd = (now: Date): Date => new Date(now.getTime() + REVIEW_CLAIM_SECONDS * 1_000);

export const UNCLAIMED = { review_claimed_by: null, review_claimed_at: null, review_claimed_until: null } as const;
