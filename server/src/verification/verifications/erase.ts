import { many, type Tx } from '../../platform/db/sql.ts';
import type { VerificationRow } from './row.ts';

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
