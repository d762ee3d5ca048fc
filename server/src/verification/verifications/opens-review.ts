import { randomInt } from 'node:crypto';
import type { ReviewPolicy } from '@firsthand/contract/reviews/reviews.ts';
import type { LocationResult, ObjectMatch, Status, Verdict } from '@firsthand/contract/verification/verification.ts';
import { one, type Tx } from '../../platform/db/sql.ts';
import { lacksCheck } from './answered.ts';
import type { ReviewCause } from './review-cause.ts';
import { findVerification, type VerificationRow } from './row.ts';
import { storeReviewState } from './write.ts';

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
