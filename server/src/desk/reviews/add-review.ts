import { duplicate, type Fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import { Review, type ReviewInput, ReviewInput as ReviewInputSchema } from '@firsthand/contract/reviews/reviews.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { type Tx, transaction } from '../../platform/db/sql.ts';
import { created, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { invalid } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { appendStatement } from '../../record/evidence/statements.ts';
import { decideReview } from '../../verification/verifications/advance.ts';
import { isClaimed, presentReview, type ReviewRow } from '../../verification/verifications/reviews.ts';
import { capturesOf, type VerificationRow } from '../../verification/verifications/row.ts';
import { storeReviewState } from '../../verification/verifications/write.ts';
import { admit, type Case, checkVersion, lockCase, reviewerOf, UNCLAIMED } from './case.ts';
import { decidesBlind, standingOf } from './standing.ts';

export const addReview = tenantEndpoint({
  operationId: 'addReview',
  summary: 'Decide a case',
  description:
    "A person's decision beside the verdict, which it never changes. `approved`, `rejected` and `retake` decide; " +
    '`escalated` leaves the case open for members and owners. Without a claim, the case is taken for this one decision.',
  tag: 'Reviews',
  credentials: ['session'],
  role: 'reviewer',
  target: 'id',
  body: ReviewInputSchema,
  faults: doubledFlags,
  responses: { 201: Review },
  errors: ['not_reviewable', 'claimed', 'already_decided', 'own_photo', 'review_changed'],
  async handler(call) {
    const { deps, params, body } = call;
    const person = personOf(call.principal);
    return transaction(deps.db, async tx => {
      const found = await lockCase(tx, params.id!);
      const at = deps.clock.now();
      admit(found, person, at);
      checkVersion(found.row, body.version);
      await checkFlags(tx, found.row, body);
      const reviewer = await reviewerOf(tx, person);
      const review: ReviewRow = {
        id: newId('rev', at.getTime()),
        verification_id: found.row.id,
        person_id: reviewer.person_id,
        person_name: reviewer.name,
        decision: body.decision,
        reasons: body.reasons ?? [],
        note: body.note || null,
        flags: body.flags ?? null,
        blind: decidesBlind(found.reviews, found.needs),
        seconds: body.seconds ?? secondsHeld(found.row, person.userId, at),
        created_at: at,
        struck_at: null,
      };
      await insertReview(tx, person.tenantId, review);
      await appendStatement(tx, deps, found.row, { type: 'review', at, content: { review: presentReview(review) } });
      await store(tx, deps, { ...found, reviews: [...found.reviews, review] }, at);
      await audit(tx, activityOf(call), {
        action: 'review.created',
        target: found.row.id,
        detail: { review_id: review.id },
      });
      const answer = created(presentReview(review));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

/** Writes where the case stands after its last review, and ends the claim. */
async function store(
  tx: Tx,
  deps: Parameters<typeof decideReview>[1],
  { row, reviews, needs }: Case,
  at: Date,
): Promise<void> {
  const { state, decision, escalated } = standingOf(reviews, needs);
  const set = {
    ...UNCLAIMED,
    review_version: row.review_version + 1,
    review_state: state,
    review_needs: needs,
    review_opened_at: row.review_opened_at ?? at,
    review_escalated: escalated,
  };
  if (state === 'decided') {
    await decideReview(tx, deps, row, { ...set, review_decision: decision, review_decided_at: at }, at);
  } else {
    await storeReviewState(tx, row.id, set);
  }
}

function insertReview(tx: Tx, tenantId: string, review: ReviewRow) {
  return tx.query(
    `insert into reviews (id, verification_id, tenant_id, person_id, person_name, decision, reasons, note, flags, blind,
       seconds, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      review.id,
      review.verification_id,
      tenantId,
      review.person_id,
      review.person_name,
      review.decision,
      JSON.stringify(review.reasons),
      review.note,
      review.flags && JSON.stringify(review.flags),
      review.blind,
      review.seconds,
      review.created_at,
    ],
  );
}

/** How long a person has held the case; 0 for one who decides without a claim. */
function secondsHeld(row: VerificationRow, personId: string, now: Date): number {
  if (!isClaimed(row, now) || row.review_claimed_by?.person_id !== personId) return 0;
  return Math.round(Math.max(0, now.getTime() - row.review_claimed_at!.getTime()) / 1_000);
}

function doubledFlags(body: unknown): Fault[] {
  const { flags } = (body ?? {}) as Partial<ReviewInput>;
  if (!Array.isArray(flags)) return [];
  const ids = flags.map(flag => (flag as { capture_id?: unknown } | null)?.capture_id);
  return ids.flatMap((id, index) =>
    typeof id === 'string' && ids.indexOf(id) < index
      ? [duplicate(`flags.${index}.capture_id`, 'must be unique among the flags')]
      : [],
  );
}

/** Throws `invalid_request` for a flag on a photo that the verification does not hold. */
async function checkFlags(tx: Tx, row: VerificationRow, { flags = [] }: ReviewInput): Promise<void> {
  if (flags.length === 0) return;
  const held = new Set((await capturesOf(tx, row.id)).map(({ id }) => id));
  const faults = flags.flatMap(({ capture_id }, index) =>
    held.has(capture_id)
      ? []
      : [unknownReference(`flags.${index}.capture_id`, 'is not a capture of this verification')],
  );
  if (faults.length > 0) throw invalid(faults);
}
