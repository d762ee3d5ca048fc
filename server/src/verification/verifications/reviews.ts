import type { Decision, Review, ReviewSummary } from '@firsthand/contract/reviews/reviews.ts';
import { many, type Queryable } from '../../platform/db/sql.ts';
import type { VerificationRow } from './row.ts';

export interface ReviewRow {
  id: string;
  verification_id: string;
  person_id: string;
  person_name: string;
  decision: Decision;
  reasons: string[];
  note: string | null;
  flags: NonNullable<Review['flags']> | null;
  blind: boolean;
  seconds: number;
  created_at: Date;
  struck_at: Date | null;
}

/** The part of the review that one viewer sees. */
export interface ShownReviews {
  review: ReviewSummary;
  reviews: Review[];
}

/** The view of a verification that never came up for review. */
export const unreviewed: ShownReviews = { review: { state: 'none' }, reviews: [] };

export type ReviewedRow = Pick<
  VerificationRow,
  | 'id'
  | 'review_state'
  | 'review_needs'
  | 'review_decision'
  | 'review_decided_at'
  | 'review_claimed_by'
  | 'review_claimed_until'
>;

/** True while a second person must decide without seeing the first decision. */
export const isBlind = (row: Pick<VerificationRow, 'review_state' | 'review_needs'>): boolean =>
  row.review_state === 'open' && row.review_needs === 2;

/** True when a person holds the case at this moment. */
export const isClaimed = (row: Pick<VerificationRow, 'review_claimed_by' | 'review_claimed_until'>, now: Date) =>
  row.review_claimed_by !== null && row.review_claimed_until !== null && row.review_claimed_until > now;

/** Reviews of a verification, oldest first, struck ones included. */
export const reviewRowsOf = (db: Queryable, verificationIds: readonly string[]): Promise<ReviewRow[]> =>
  many<ReviewRow>(
    db,
    `select id, verification_id, person_id, person_name, decision, reasons, note, flags, blind, seconds, created_at, struck_at
     from reviews where verification_id = any($1) order by number`,
    [verificationIds],
  );

export const presentReview = (row: ReviewRow): Review => ({
  id: row.id,
  decision: row.decision,
  reasons: row.reasons,
  ...(row.note === null ? {} : { note: row.note }),
  ...(row.flags === null ? {} : { flags: row.flags }),
  by: { person_id: row.person_id, name: row.person_name },
  blind: row.blind,
  seconds: row.seconds,
  created_at: row.created_at.toISOString(),
  ...(row.struck_at ? { struck_at: row.struck_at.toISOString() } : {}),
});

/**
 * Returns what `viewer`, a person's id or null for anybody else, sees of the reviews. While the second person is blind,
 * only its author sees a decision; everyone sees an escalation, because it decides nothing.
 */
export function shownReviews(
  row: ReviewedRow,
  rows: readonly ReviewRow[],
  { viewer, now }: { viewer: string | null; now: Date },
): ShownReviews {
  const blind = isBlind(row);
  const shown = rows.filter(({ decision, person_id }) => !blind || decision === 'escalated' || person_id === viewer);
  const claimed = isClaimed(row, now);
  return {
    review: {
      state: claimed && row.review_state === 'open' ? 'claimed' : row.review_state,
      ...(row.review_decision === null ? {} : { decision: row.review_decision }),
      ...(row.review_decided_at ? { decided_at: row.review_decided_at.toISOString() } : {}),
      ...(claimed ? { claimed_by: row.review_claimed_by! } : {}),
    },
    reviews: shown.map(presentReview),
  };
}

/** Reads the reviews of a verification as `viewer` sees them. */
export async function reviewsOf(
  db: Queryable,
  row: ReviewedRow,
  o: { viewer: string | null; now: Date },
): Promise<ShownReviews> {
  if (row.review_state === 'none') return unreviewed;
  return shownReviews(row, await reviewRowsOf(db, [row.id]), o);
}
