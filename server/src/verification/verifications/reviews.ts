import { randomInt } from 'node:crypto';
import type {
  Decision,
  Review,
  Reviewer,
  ReviewPolicy,
  ReviewQueue,
  ReviewSummary,
} from '@firsthand/contract/reviews/reviews.ts';
import type { LocationResult, ObjectMatch, Status, Verdict } from '@firsthand/contract/verification/verification.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import { findVerification, type ReviewCause, type VerificationRow } from './row.ts';
import { lacksCheck } from './steps.ts';
import { storeReviewState } from './write.ts';

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
  | 'review_assigned_to'
  | 'review_version'
>;

/** True while a second person must decide without seeing the first decision. */
export const isBlind = (row: Pick<VerificationRow, 'review_state' | 'review_needs'>): boolean =>
  row.review_state === 'open' && row.review_needs === 2;

/** True while people look at a case. An erased one can no longer be looked at. */
export const isUnderReview = (row: Pick<VerificationRow, 'review_state' | 'redacted_at'>): boolean =>
  row.redacted_at === null && (row.review_state === 'open' || row.review_state === 'disputed');

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
      ...(row.review_assigned_to ? { assigned_to: row.review_assigned_to } : {}),
      ...(row.review_version > 0 ? { version: row.review_version } : {}),
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

/** The person who claims, and when the claims end. `now` is the database's time. */
export interface Claim {
  tenantId: string;
  livemode: boolean;
  reviewer: Reviewer;
  now: Date;
  until: Date;
}

/** Whose queue it is. */
export interface Queue {
  tenantId: string;
  livemode: boolean;
  personId: string;
  now: Date;
  queue: ReviewQueue;
  seesEscalated: boolean;
}

/** The cases of a queue that this person may review, besides what others hold. The rules are those of `desk/reviews/standing.ts`. */
const WAITS = `v.tenant_id = $1 and v.livemode = $2 and v.review_state in ('open', 'disputed') and v.redacted_at is null
  and (v.review_claimed_until is null or v.review_claimed_until <= $4 or v.review_claimed_by ->> 'person_id' = $3)
  and ($5 in ('all', 'mine') or v.review_causes ? $5) and ($6 or not v.review_escalated)
  and case when v.review_assigned_to is null then $5 <> 'mine' else v.review_assigned_to ->> 'person_id' = $3
    -- Whoever left, or may no longer review, keeps nothing from the others.
    or $5 <> 'mine' and not exists (select from memberships m where m.tenant_id = $1
      and m.person_id = v.review_assigned_to ->> 'person_id' and m.role <> 'viewer') end
  and not exists (select from captures c where c.verification_id = v.id and c.sent_by = $3)
  and not exists (
    select from reviews own where own.verification_id = v.id and own.person_id = $3 and (
      own.struck_at is null
      -- A person who took back a second decision has seen the first.
      or v.review_needs = 2 and v.review_state = 'open' and own.decision <> 'escalated' and exists (
        select from reviews first where first.verification_id = v.id and first.number < own.number
          and first.struck_at is null and first.decision <> 'escalated')))`;
const valuesOf = (o: Queue) => [o.tenantId, o.livemode, o.personId, o.now, o.queue, o.seesEscalated];

/**
 * Claims the case that has waited longest in a queue, or returns undefined. A case that another transaction looks at is
 * passed over, so no two people get one case and nobody waits.
 */
export const claimNext = (tx: Tx, o: Queue, { reviewer, until }: Claim): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(
    tx,
    `update verifications set review_claimed_by = $7, review_claimed_at = $4, review_claimed_until = $8
     where id = (
       select v.id from verifications v
       where ${WAITS} and (v.review_claimed_until is null or v.review_claimed_until <= $4)
       order by v.review_opened_at, v.id limit 1 for update of v skip locked)
     returning *`,
    [...valuesOf(o), JSON.stringify(reviewer), until],
  );

/** How many cases a queue holds for this person, with those that they have claimed. */
export const countWaiting = async (db: Queryable, o: Queue): Promise<number> =>
  (await one<{ n: number }>(db, `select count(*)::int as n from verifications v where ${WAITS}`, valuesOf(o)))!.n;

/** The case that a person has held for longest, besides those listed. */
export const findHeld = (tx: Tx, o: Claim, besides: readonly string[]): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(
    tx,
    `select * from verifications
     where tenant_id = $1 and livemode = $2 and review_state in ('open', 'disputed')
       and review_claimed_by ->> 'person_id' = $3 and review_claimed_until > $4 and not (id = any($5))
     order by review_claimed_at, id limit 1`,
    [o.tenantId, o.livemode, o.reviewer.person_id, o.now, besides],
  );

/** Renews those of the listed claims that the person still holds. */
export async function renewClaims(tx: Tx, o: Claim, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update verifications set review_claimed_until = $1
     where id = any(array(
       select id from verifications
       where id = any($2) and tenant_id = $3 and livemode = $4 and review_claimed_by ->> 'person_id' = $5
         and review_claimed_until > $6
       order by id for update))`,
    [o.until, ids, o.tenantId, o.livemode, o.reviewer.person_id, o.now],
  );
}

export interface Outcome {
  status: Status;
  verdict: Verdict | null;
  object_match: ObjectMatch | null;
  locationResults: readonly (LocationResult | undefined)[];
  /** Checks in which a picture told the model what to answer. */
  instructions_found?: readonly string[] | null;
  /** The file of a live photo speaks against being new. */
  oldFile: boolean;
}

const MISMATCHES: readonly (LocationResult | undefined)[] = ['rejected', 'no_match'];

/** Returns why people should see a verification that has just ended. `sampled`: the draw picked it, should it be verified. */
export function causesOf(
  { status, verdict, object_match, locationResults, oldFile, instructions_found }: Outcome,
  sampled: boolean,
): ReviewCause[] {
  const causes: ReviewCause[] = [];
  if (status === 'failed' || verdict?.label === 'failed') causes.push('failed');
  const isIncomplete = lacksCheck(verdict);
  if (verdict?.label === 'suspicious' && !isIncomplete) causes.push('suspicious');
  const elsewhere = locationResults.some(result => MISMATCHES.includes(result));
  if (object_match?.status === 'mismatch' || elsewhere || oldFile || isIncomplete || instructions_found?.length) {
    causes.push('checks');
  }
  if (causes.length === 0 && sampled && verdict?.label === 'verified') causes.push('sample');
  return causes;
}

/** The columns that open a review. */
export type Opening = Pick<VerificationRow, 'review_state' | 'review_needs' | 'review_causes' | 'review_opened_at'>;

const RESOLUTION = 2 ** 32;

/** Decides whether a verification comes up for review, by its outcome and the account's settings. Empty: it does not. */
export async function opening(
  tx: Tx,
  row: Pick<VerificationRow, 'tenant_id'>,
  outcome: Outcome,
  at: Date,
): Promise<Opening | Record<never, never>> {
  const tenant = await one<{ review_policy: ReviewPolicy; review_sample: number; is_trial: boolean }>(
    tx,
    'select review_policy, review_sample, is_trial from tenants where id = $1',
    [row.tenant_id],
  );
  if (!tenant || tenant.is_trial || tenant.review_policy === 'none') return {};
  const causes = causesOf(outcome, randomInt(RESOLUTION) < tenant.review_sample * RESOLUTION);
  return causes.length === 0
    ? {}
    : {
        review_state: 'open',
        review_needs: needsOf(tenant.review_policy),
        review_causes: causes,
        review_opened_at: at,
      };
}

/** Opens a review for a check that answered after the verdict was written and did not match, or was told what to answer. */
export async function openForLateCheck(tx: Tx, id: string, at: Date): Promise<void> {
  const row = await findVerification(tx, id);
  if (row?.status !== 'completed' || row.review_state !== 'none') return;
  if (row.object_match?.status !== 'mismatch' && !row.instructions_found) return;
  const opened = await opening(tx, row, { ...row, locationResults: [], oldFile: false }, at);
  if ('review_state' in opened) await storeReviewState(tx, id, opened);
}

/** How many people must decide a case. */
export const needsOf = (policy: ReviewPolicy): 1 | 2 => (policy === 'two_people' ? 2 : 1);
