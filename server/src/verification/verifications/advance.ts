import type { CaseAnalysis, InstructedCheck, Verdict } from '@firsthand/contract/verification/verification.ts';
import { type Activity, audit } from '../../identity/audit/audit.ts';
import { many, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound, redacted, verificationClosed } from '../../platform/http/problem.ts';
import type { InternalEvent } from '../../record/events/record.ts';
import { appendStatement } from '../../record/evidence/statements.ts';
import { record } from './record-event.ts';
import { opening } from './reviews.ts';
import {
  answeredKeys,
  type CaptureRow,
  capturesOf,
  findVerification,
  heldBy,
  isTerminal,
  lockVerification,
  next,
  type VerificationRow,
} from './row.ts';
import { sealHashOf, sealHolds } from './seal.ts';
import { captureStatement, detectorsOf } from './stated.ts';
import { requirementsMet } from './steps.ts';
import { type ReviewChange, updateColumns } from './write.ts';

// Only this file writes a verification's status. Every function takes a row that the caller's transaction has locked.

const DAY_MS = 86_400_000;

type Needs = Pick<Deps, 'clock' | 'origins' | 'keyring'>;

/**
 * Follows a capture stored in this transaction, the last of `captures`: counts it, states it in the log, advances the
 * status and records the event. `statements`: how many the log has of this verification.
 */
export async function captureStored(
  tx: Tx,
  deps: Needs,
  row: VerificationRow,
  { captures, statements }: { captures: CaptureRow[]; statements: number },
  at: Date,
) {
  const status = next(row.status, 'capture_submitted');
  if (!status) throw new Error(`a capture cannot be stored on a ${row.status} verification`);
  const subject = { id: row.id, tenant_id: row.tenant_id, livemode: row.livemode, statements };
  await appendStatement(tx, deps, subject, { type: 'capture', at, content: captureStatement(captures.at(-1)!) });
  const set = { status, captures_count: captures.length };
  return change(tx, deps, row, 'verification.capture.persisted', { set, captures, at });
}

/** Completes a verification: writes the verdict and the seal. */
export async function complete(
  tx: Tx,
  deps: Needs,
  row: VerificationRow,
  captures: CaptureRow[],
  verdict: Verdict,
  at: Date,
) {
  const status = next(row.status, 'verdict_written');
  if (!status) throw new Error(`a verdict cannot be written on a ${row.status} verification`);
  const seal_hash = sealHashOf(row);
  const content = {
    ...verdict,
    detectors: detectorsOf(captures),
    record_seal: { algorithm: 'sha256', hash: seal_hash, covers: ['record', 'answers'] },
  };
  await appendStatement(tx, deps, row, { type: 'verdict', at, content });
  const told = captures.some(({ context }) => context?.instructions_found);
  const instructions_found = told
    ? [...new Set<InstructedCheck>([...(row.instructions_found ?? []), 'context'])]
    : row.instructions_found;
  const outcome = { status, verdict, object_match: row.object_match, instructions_found, ...seenIn(captures) };
  const opened = await opening(tx, row, outcome, at);
  const set = { status, completed_at: at, verdict, seal_hash, instructions_found, ...opened };
  return change(tx, deps, row, 'verification.completed', { set, captures, at });
}

/** Fails a verification because the analysis of a required capture ended in a permanent error. */
export async function fail(tx: Tx, deps: Needs, row: VerificationRow, captures: CaptureRow[], at: Date) {
  const status = next(row.status, 'analysis_failed');
  if (!status) return row;
  const outcome = { status, verdict: null, object_match: row.object_match, ...seenIn(captures) };
  const opened = await opening(tx, row, outcome, at);
  return change(tx, deps, row, 'verification.failed', { set: { status, ...opened }, captures, at });
}

const seenIn = (captures: readonly CaptureRow[]) => ({
  locationResults: captures.map(capture => capture.location_match?.result),
  oldFile: captures.some(
    ({ presence }) => presence?.result === 'not_performed' && presence.checks.fresh?.passed === false,
  ),
});

/** Fails a verification that the service cannot settle. */
export async function giveUpOn(tx: Tx, deps: Needs, id: string): Promise<void> {
  const row = await lockVerification(tx, id);
  if (row) await fail(tx, deps, row, await capturesOf(tx, id), deps.clock.now());
}

/** Marks a verification as abandoned: the claimant left before finishing. Records no event. */
export async function abandon(tx: Tx, row: VerificationRow): Promise<void> {
  const status = next(row.status, 'left');
  if (status) await tx.query('update verifications set status = $2 where id = $1', [row.id, status]);
}

/** Cancels a verification for the tenant. The link stops working at once. */
export async function cancel(tx: Tx, deps: Needs, row: VerificationRow, at: Date): Promise<VerificationRow> {
  const status = next(row.status, 'cancelled');
  if (!status) return row;
  return change(tx, deps, row, 'verification.expired', { set: { status }, captures: await capturesOf(tx, row.id), at });
}

/** Marks a closed verification, emptied in this transaction, as redacted and records the event. */
export function markRedacted(tx: Tx, deps: Needs, row: VerificationRow, at: Date): Promise<VerificationRow> {
  if (!isTerminal(row.status)) throw new Error(`a ${row.status} verification cannot be redacted`);
  return change(tx, deps, row, 'verification.redacted', { set: { redacted_at: at }, captures: [], at });
}

/** True when the row is past its deadline and nothing outstanding keeps it open. */
export function isDue(row: VerificationRow, captures: readonly Pick<CaptureRow, 'step_key'>[], now: Date): boolean {
  if (row.expires_at > now || next(row.status, 'deadline_passed') === null) return false;
  return !requirementsMet(row.config.steps, heldBy(captures), answeredKeys(row));
}

/** Expires a locked row if it is due. Returns the current row. */
export async function expireIfDue(tx: Tx, deps: Needs, row: VerificationRow): Promise<VerificationRow> {
  const now = deps.clock.now();
  if (row.expires_at > now || next(row.status, 'deadline_passed') === null) return row;
  const captures = await capturesOf(tx, row.id);
  if (!isDue(row, captures, now)) return row;
  return change(tx, deps, row, 'verification.expired', { set: { status: 'expired' }, captures, at: now });
}

/** Expires one batch of overdue verifications in one transaction. Returns how many rows it looked at. */
export async function sweepExpired(tx: Tx, deps: Needs, batch = 100): Promise<number> {
  const due = await many<VerificationRow>(
    tx,
    `select * from verifications
     where status in ('pending', 'partially_captured', 'abandoned') and expires_at <= $1
       -- A row that only waits for analysis stays in the index. Reading it again is cheap; a loop over it would not be.
       and not exists (select from captures c where c.verification_id = verifications.id and c.analysis_state = 'pending')
     order by expires_at limit $2 for update skip locked`,
    [deps.clock.now(), batch],
  );
  let expired = 0;
  for (const row of due) {
    const after = await expireIfDue(tx, deps, row);
    if (after.status === 'expired') expired += 1;
  }
  return expired;
}

/** Attaches a case analysis and records the event. */
export async function attachCaseAnalysis(
  tx: Tx,
  deps: Needs,
  row: VerificationRow,
  caseAnalysis: CaseAnalysis,
  at: Date,
): Promise<VerificationRow> {
  await appendStatement(tx, deps, row, { type: 'case_analysis', at, content: { case_analysis: caseAnalysis } });
  const captures = await capturesOf(tx, row.id);
  return change(tx, deps, row, 'verification.case.completed', { set: { case_analysis: caseAnalysis }, captures, at });
}

/** Records that people have decided, and the event. */
export async function decideReview(
  tx: Tx,
  deps: Needs,
  row: VerificationRow,
  set: ReviewChange,
  at: Date,
): Promise<VerificationRow> {
  return change(tx, deps, row, 'verification.reviewed', { set, captures: await capturesOf(tx, row.id), at });
}

/** Locks a verification and expires it first if it is due. */
export async function lockCurrent(tx: Tx, deps: Needs, id: string): Promise<VerificationRow | undefined> {
  const row = await lockVerification(tx, id);
  return row && expireIfDue(tx, deps, row);
}

/** {@link lockCurrent} of a verification that is still there. Throws `not_found`, and `redacted` after an erasure. */
export async function lockKept(tx: Tx, deps: Needs, id: string): Promise<VerificationRow> {
  const row = await lockCurrent(tx, deps, id);
  if (!row) throw notFound();
  if (row.redacted_at) throw redacted();
  return row;
}

/** When a verification ended, and when its own retention is over. */
function endedAt({ private: { retention_days } }: VerificationRow, at: Date) {
  const days = retention_days === undefined ? null : new Date(at.getTime() + retention_days * DAY_MS);
  return { closed_at: at, erase_at: days };
}

type Changed = Partial<
  Pick<
    VerificationRow,
    | 'status'
    | 'captures_count'
    | 'completed_at'
    | 'verdict'
    | 'seal_hash'
    | 'instructions_found'
    | 'case_analysis'
    | 'redacted_at'
  >
> &
  ReviewChange;

async function change(
  tx: Tx,
  deps: Needs,
  row: VerificationRow,
  event: InternalEvent,
  { set, captures, at }: { set: Changed; captures: CaptureRow[]; at: Date },
): Promise<VerificationRow> {
  const all = set.status && isTerminal(set.status) ? { ...set, ...endedAt(row, at) } : set;
  const after = await updateColumns(tx, row.id, all, { event: true });
  await record(tx, deps, after, captures, event, at);
  return after;
}

/** Reads a verification, and first expires it if its deadline has passed. Throws `not_found`. */
export async function readCurrent(
  deps: Pick<Deps, 'log' | 'db' | 'keyring' | 'origins' | 'clock' | 'metrics'>,
  id: string,
): Promise<VerificationRow> {
  const row = await findVerification(deps.db, id);
  if (!row) throw notFound();
  if (!sealHolds(row)) {
    deps.metrics.sealMismatches.inc();
    deps.log.error({ verificationId: id }, 'seal mismatch: the record was changed after it was sealed');
  }
  return withExpiryApplied(deps, row);
}

/** {@link readCurrent} of a verification that is still there. Throws `redacted` after an erasure. */
export async function readKept(...of: Parameters<typeof readCurrent>): Promise<VerificationRow> {
  const row = await readCurrent(...of);
  if (row.redacted_at) throw redacted();
  return row;
}

/** Expires a row that was just read if its deadline has passed. Returns the current row. */
export async function withExpiryApplied(
  deps: Pick<Deps, 'db' | 'keyring' | 'origins' | 'clock'>,
  row: VerificationRow,
): Promise<VerificationRow> {
  if (isTerminal(row.status) || row.expires_at > deps.clock.now()) return row;
  return (await transaction(deps.db, tx => lockCurrent(tx, deps, row.id))) ?? row;
}

/** Cancels a verification and notes it in the audit log. Throws `verification_closed` where it has ended otherwise. */
export async function cancelOne(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'origins' | 'clock'>,
  id: string,
  activity: Activity,
): Promise<VerificationRow> {
  const current = await lockCurrent(tx, deps, id);
  if (!current) throw notFound();
  if (current.status === 'completed' || current.status === 'failed') throw verificationClosed();
  if (current.status !== 'expired') {
    await audit(tx, activity, { action: 'verification.cancelled', target: current.id });
  }
  return cancel(tx, deps, current, deps.clock.now());
}
