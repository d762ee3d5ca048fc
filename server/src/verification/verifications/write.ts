import type {
  Answers,
  Condition,
  InstructedCheck,
  ObjectMatch,
  Progress,
} from '@firsthand/contract/verification/verification.ts';
import { many, one, type Tx } from '../../platform/db/sql.ts';
import { storable } from '../../platform/db/storable.ts';
import type { VerificationRow } from './row.ts';

// Writes that leave a verification's status unchanged; `advance.ts` changes the status. Each runs under the row's lock.

export const storeAnswers = (tx: Tx, id: string, answers: Answers): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(tx, 'update verifications set answers = $2 where id = $1 returning *', [
    id,
    JSON.stringify(answers),
  ]);

export async function storeProgress(tx: Tx, id: string, progress: Progress): Promise<void> {
  await tx.query('update verifications set progress = $2 where id = $1', [id, JSON.stringify(progress)]);
}

/** Marks the verification as finalized. */
export const storeNarrative = (
  tx: Tx,
  id: string,
  o: { narrative: string; at: Date },
): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(tx, 'update verifications set narrative = $2, finalized_at = $3 where id = $1 returning *', [
    id,
    o.narrative,
    o.at,
  ]);

/** Records that the object and condition checks have begun. The verdict waits for them. */
export async function markChecksStarted(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query('update verifications set checks_started_at = $2 where id = $1', [id, at]);
}

/** Places a legal hold, or lifts it. */
export async function storeLegalHold(tx: Tx, id: string, hold: VerificationRow['legal_hold']): Promise<void> {
  await tx.query('update verifications set legal_hold = $2 where id = $1', [id, storable(hold)]);
}

/** Stores the vision model's answers on object and condition. */
export async function storeChecks(
  tx: Tx,
  id: string,
  found: { object: ObjectMatch | null; condition: Condition | null; at: Date },
): Promise<void> {
  await tx.query('update verifications set object_match = $2, condition = $3, checks_done_at = $4 where id = $1', [
    id,
    storable(found.object),
    storable(found.condition),
    found.at,
  ]);
}

/**
 * Stores an inconclusive object match when a verification expects an object and has no answer, so every analysed
 * verification shows one.
 */
export async function storeInconclusiveObject(tx: Tx, row: VerificationRow): Promise<void> {
  const { expected_object } = row.config;
  if (expected_object === undefined || row.object_match) return;
  await tx.query('update verifications set object_match = $2 where id = $1 and object_match is null', [
    row.id,
    storable({ status: 'inconclusive', expected_object }),
  ]);
}

/** Notes checks in which the model found text in a picture that tells it what to answer. The caller holds the row's lock. */
export async function noteInstructions(tx: Tx, id: string, checks: readonly InstructedCheck[]): Promise<void> {
  if (checks.length === 0) return;
  await tx.query(
    `update verifications set instructions_found =
       (select jsonb_agg(distinct found) from jsonb_array_elements(coalesce(instructions_found, '[]') || $2::jsonb) found)
     where id = $1`,
    [id, JSON.stringify(checks)],
  );
}

/** The columns that a review changes. */
export type ReviewChange = Partial<
  Pick<
    VerificationRow,
    | 'review_state'
    | 'review_needs'
    | 'review_causes'
    | 'review_opened_at'
    | 'review_escalated'
    | 'review_decision'
    | 'review_decided_at'
    | 'review_claimed_by'
    | 'review_claimed_at'
    | 'review_claimed_until'
    | 'review_assigned_to'
    | 'review_version'
  >
>;

/** Changes where a review stands; `advance.ts` records that people have decided. */
export const storeReviewState = (tx: Tx, id: string, set: ReviewChange): Promise<VerificationRow> =>
  updateColumns(tx, id, set, { event: false });

/** Sets columns of a locked row. `event`: also counts an event that the caller records. Returns the row as it is now. */
export async function updateColumns(
  tx: Tx,
  id: string,
  set: object,
  { event }: { event: boolean },
): Promise<VerificationRow> {
  const assignments = Object.keys(set).map((column, index) => `${column} = $${index + 2}`);
  if (event) assignments.push('event_sequence = event_sequence + 1');
  const values = Object.values(set).map(value =>
    typeof value === 'object' && value !== null && !(value instanceof Date) ? storable(value) : value,
  );
  const row = await one<VerificationRow>(
    tx,
    `update verifications set ${assignments.join(', ')} where id = $1 returning *`,
    [id, ...values],
  );
  if (!row) throw new Error(`verification ${id} vanished under its lock`);
  return row;
}

/** Members of `config` and `private` that say something about a person, a place or a thing. */
const OF_CONFIG = [
  'context',
  'metadata',
  'webhook_url',
  'notify_email',
  'expected_location',
  'expected_object',
  'condition_aspects',
];
const OF_PRIVATE = ['asset_ref', 'person', 'webhook_url'];

/**
 * Empties verifications, which the caller has locked, of everything but ids, times, the capture request, counts, the
 * verdict's label with its score and reason. The hash of the seal goes too: it covers answers that can be guessed.
 */
export const eraseVerifications = (tx: Tx, ids: readonly string[]): Promise<VerificationRow[]> =>
  many<VerificationRow>(
    tx,
    `update verifications
     set config = config - $2::text[], private = private - $3::text[], external_ref = null, answers = '{}', progress = null,
       narrative = null, case_analysis = null, object_match = null, condition = null, seal_hash = null, legal_hold = null,
       verdict = case when verdict is not null then
         jsonb_strip_nulls(jsonb_build_object('label', verdict -> 'label', 'score', verdict -> 'score',
           'reason_code', verdict -> 'reason_code')) || '{"signals": {}}' end,
       -- Nothing is left to review.
       review_state = case when review_state = 'decided' then review_state else 'none' end,
       review_claimed_by = null, review_claimed_at = null, review_claimed_until = null
     where id = any($1) returning *`,
    [ids, OF_CONFIG, OF_PRIVATE],
  );
