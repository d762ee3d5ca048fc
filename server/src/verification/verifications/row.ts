import type { Decision, Reviewer } from '@firsthand/contract/reviews/reviews.ts';
import type { Presence } from '@firsthand/contract/verification/presence.ts';
import type { CaptureSignals } from '@firsthand/contract/verification/signals.ts';
import type {
  Answers,
  Attestation,
  Capture,
  CaseAnalysis,
  Condition,
  Config,
  GeoPoint,
  InstructedCheck,
  LocationSource,
  ObjectMatch,
  Progress,
  Status,
  Verdict,
} from '@firsthand/contract/verification/verification.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';

/** Settings fixed at issue that no view shows. */
export interface PrivateConfig {
  seal?: boolean;
  brand_slug?: string;
  asset_ref?: string;
  ocr_type?: string;
  person?: { name?: string; email?: string; phone_e164?: string; external_ref?: string };
  source?: 'individual' | 'csv';
  /** The webhook address with its secret, where `config` has it masked. */
  webhook_url?: string;
  template?: { id: string; version: number };
  /** Made with a key for apps, or as a trial; absent: by the account itself. */
  by?: 'app' | 'trial';
  /** The link template's value, which replaces the account's. */
  retention_days?: number;
}

export interface VerificationRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  status: Status;
  created_at: Date;
  expires_at: Date;
  completed_at: Date | null;
  config: Config;
  private: PrivateConfig;
  external_ref: string | null;
  captures_count: number;
  answers: Answers;
  progress: Progress | null;
  verdict: Verdict | null;
  narrative: string | null;
  finalized_at: Date | null;
  case_analysis: CaseAnalysis | null;
  object_match: ObjectMatch | null;
  condition: Condition | null;
  event_sequence: number;
  redacted_at: Date | null;
  /** When it ended: completed, expired, cancelled or failed. */
  closed_at: Date | null;
  legal_hold: { reason: string; placed_at: string } | null;
  /** The seal taken at completion, even when the tenant does not see it. */
  seal_hash: string | null;
  /** The checks in which the model found text in a picture that tells it what to answer. */
  instructions_found: InstructedCheck[] | null;
  checks_started_at: Date | null;
  checks_done_at: Date | null;
  /** `claimed` is `open` with a claim that has not run out. */
  review_state: 'none' | 'open' | 'disputed' | 'decided';
  /** How many people must decide, by the policy of the day the review was opened. */
  review_needs: 1 | 2 | null;
  review_causes: ReviewCause[] | null;
  review_opened_at: Date | null;
  review_escalated: boolean;
  review_decision: Exclude<Decision, 'escalated'> | null;
  review_decided_at: Date | null;
  review_claimed_by: Reviewer | null;
  review_claimed_at: Date | null;
  review_claimed_until: Date | null;
  review_assigned_to: Reviewer | null;
  /** Counts decisions, those taken back, and assignments. */
  review_version: number;
}

/** The camera session as the row holds it: the strip by its key in the blob store. */
export type StoredPresence = Presence & { strip_blob?: string; noise_blobs?: { before: string; after: string } };

export interface CaptureRow {
  id: string;
  verification_id: string;
  tenant_id: string;
  step_key: string;
  source: 'live' | 'upload';
  surface: string | null;
  content_type: string;
  size_bytes: number;
  width: number;
  height: number;
  sha256: string;
  image_blob: string;
  preview_blob: string | null;
  /** JPEG of all pixels, for a format that most browsers cannot show. */
  display_blob: string | null;
  motion_blob: string | null;
  created_at: Date;
  client_captured_at: Date | null;
  idempotency_key: string | null;
  /** The person of the account from whose browser it came. */
  sent_by: string | null;
  location: GeoPoint | null;
  attestation: Attestation | null;
  challenge_id: string | null;
  trace_blob: string | null;
  trace_sha256: string | null;
  presence: StoredPresence | null;
  location_source: LocationSource | null;
  location_match: NonNullable<Capture['location_match']> | null;
  signals: CaptureSignals | null;
  metadata: Record<string, unknown> | null;
  text: Record<string, unknown> | null;
  context: NonNullable<Capture['context']> | null;
  analysis_state: 'pending' | 'done' | 'failed';
  analysis_error: string | null;
  analyzed_at: Date | null;
}

export const findVerification = (db: Queryable, id: string): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(db, 'select * from verifications where id = $1', [id]);

/** Locks the row until the transaction ends. Every change of a verification takes this lock first. */
export const lockVerification = (tx: Tx, id: string): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(tx, 'select * from verifications where id = $1 for update', [id]);

/** Captures of a verification, oldest first. */
export const capturesOf = (db: Queryable, verificationId: string): Promise<CaptureRow[]> =>
  many<CaptureRow>(db, 'select * from captures where verification_id = $1 order by id', [verificationId]);

export function heldBy(captures: readonly Pick<CaptureRow, 'step_key'>[]): Record<string, number> {
  // No prototype: a step may be named "constructor".
  const held: Record<string, number> = Object.create(null);
  for (const { step_key } of captures) held[step_key] = (held[step_key] ?? 0) + 1;
  return held;
}

export const answeredKeys = (row: Pick<VerificationRow, 'answers'>): Set<string> => new Set(Object.keys(row.answers));

export type Trigger =
  | 'capture_submitted'
  | 'verdict_written'
  | 'left'
  | 'deadline_passed'
  | 'cancelled'
  | 'analysis_failed';

/**
 * The complete state machine. A trigger that a state does not list leaves the state unchanged. `completed`, `expired`
 * and `failed` list no trigger, so nothing leaves a terminal state.
 */
export const TRANSITIONS: Readonly<Record<Status, Partial<Record<Trigger, Status>>>> = {
  pending: {
    capture_submitted: 'partially_captured',
    left: 'abandoned',
    deadline_passed: 'expired',
    cancelled: 'expired',
  },
  partially_captured: {
    capture_submitted: 'partially_captured',
    verdict_written: 'completed',
    left: 'abandoned',
    deadline_passed: 'expired',
    cancelled: 'expired',
    analysis_failed: 'failed',
  },
  // A claimant who left may have sent everything before. Analysis goes on and may still settle the verification.
  abandoned: {
    capture_submitted: 'partially_captured',
    verdict_written: 'completed',
    deadline_passed: 'expired',
    cancelled: 'expired',
    analysis_failed: 'failed',
  },
  completed: {},
  expired: {},
  failed: {},
};

export const TERMINAL: readonly Status[] = ['completed', 'expired', 'failed'];
export const isTerminal = (status: Status): boolean => TERMINAL.includes(status);

/** The state after `trigger`, or null when nothing changes. */
export const next = (status: Status, trigger: Trigger): Status | null => TRANSITIONS[status][trigger] ?? null;

/** Why a case comes up for review. No view shows it, so a reviewer cannot recognise a sample. */
export type ReviewCause = 'suspicious' | 'failed' | 'checks' | 'sample' | 'asked';

/** The name that the index tables give to a tenant's mode. */
export const scopeOf = (tenantId: string, livemode: boolean): string => `${tenantId}:${livemode ? 'live' : 'test'}`;
