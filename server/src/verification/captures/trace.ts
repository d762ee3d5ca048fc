import type { CaptureRequest } from '@firsthand/contract/capture/capture-flow.ts';
import type { PictureStep } from '@firsthand/contract/capture/steps.ts';
import { CHALLENGE_TTL_SECONDS, type Move } from '@firsthand/contract/verification/presence.ts';
import { one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/problem.ts';
import type { CaptureRow, VerificationRow } from '../verifications/row.ts';
import { signalsAsked } from '../verifications/steps.ts';
import { imageKeyOf, parseImageKey } from './image-key.ts';
import { notAnImageKey, ofAnotherVerification } from './picture-faults.ts';
import { useTraceAddress } from './upload-addresses.ts';

/** The columns of a capture that name its trace. Its bytes are read by the analysis. */
export type SentTrace = Pick<CaptureRow, 'challenge_id' | 'trace_blob' | 'trace_sha256'>;

const NO_TRACE: SentTrace = { challenge_id: null, trace_blob: null, trace_sha256: null };

/**
 * Checks that the key of a trace belongs to the verification. Whether a trace lies there is not asked: a photo is never
 * refused because of its trace.
 */
export function checkTraceKey(verificationId: string, { trace_key }: CaptureRequest): void {
  if (trace_key === undefined) return;
  const parsed = parseImageKey(trace_key);
  if (!parsed) throw invalid([notAnImageKey('trace_key')]);
  if (parsed.verificationId !== verificationId) throw invalid([ofAnotherVerification('trace_key')]);
}

/**
 * Takes the trace of a capture in the transaction that inserts it, and uses its challenge up. Only live photos of
 * verifications that require `depth` keep one.
 */
export async function takeTrace(
  tx: Tx,
  row: VerificationRow,
  step: PictureStep,
  captureId: string,
  { challenge_id, trace_key, trace_sha256 }: CaptureRequest,
): Promise<SentTrace> {
  const live = step.type === 'image' && row.config.mode !== 'audit';
  if (!live || !signalsAsked(row.config, step.key).includes('depth')) return NO_TRACE;
  if (challenge_id === undefined || trace_key === undefined || trace_sha256 === undefined) return NO_TRACE;
  const parsed = parseImageKey(trace_key)!;
  await useTraceAddress(tx, parsed.captureId);
  await tx.query(
    'update challenges set capture_id = $4 where id = $1 and verification_id = $2 and step_key = $3 and capture_id is null',
    [challenge_id, row.id, step.key, captureId],
  );
  const trace_blob = imageKeyOf(parsed.verificationId, parsed.captureId);
  return { challenge_id, trace_blob, trace_sha256: trace_sha256.toLowerCase() };
}

export interface FoundChallenge {
  /** Known only if the challenge belongs to this verification and step. */
  issued?: { moves: Move[]; issuedAt: number; expiresAt: number };
  /** Why the challenge is not this capture's. */
  fault?: string;
  /** Why the film cannot count although it may be in order: the service heard of it too late. */
  late?: string;
  /** Challenges asked for in this step so far. */
  count: number;
}

/**
 * Says why a film or its photo cannot count: by its bytes, each counts once in an account. Notes the film's hash, that of its pictures. Of two captures
 * with the same bytes, the one that was sent or analysed first counts.
 */
export async function sentBefore(db: Queryable, capture: CaptureRow, filmSha256: string): Promise<string | undefined> {
  await db.query('update captures set film_sha256 = $2 where id = $1 and film_sha256 is distinct from $2', [
    capture.id,
    filmSha256,
  ]);
  const before = await one<{ film: boolean }>(
    db,
    `select coalesce(film_sha256 = $3, false) as film from captures
     where tenant_id = $5 and (sha256 = $2 or film_sha256 = $3) and id <> $1
       and ((created_at, id) < ($4, $1) or analyzed_at is not null)
     order by film desc limit 1`,
    [capture.id, capture.sha256, filmSha256, capture.created_at, capture.tenant_id],
  );
  if (!before) return undefined;
  return before.film
    ? 'The same film came before, with another photo.'
    : 'The same photo came before. It counts with the first film.';
}

/**
 * Finds the challenge that a capture names. A challenge that another photo has used is foreign, unless that photo is
 * the same: a client without an `Idempotency-Key` may send one twice.
 */
export async function findChallenge(db: Queryable, capture: CaptureRow, challengeId: string): Promise<FoundChallenge> {
  const found = await one<{
    moves: Move[];
    issued_at: Date;
    expires_at: Date;
    capture_id: string | null;
    used_for: string | null;
    announced_at: Date | null;
    announced: boolean;
  }>(
    db,
    `select c.moves, c.issued_at, c.expires_at, c.capture_id, used.sha256 as used_for, c.announced_at,
       coalesce(c.image_sha256 = $4 and c.trace_sha256 = $5, false) as announced
     from challenges c left join captures used on used.id = c.capture_id
     where c.id = $1 and c.verification_id = $2 and c.step_key = $3`,
    [challengeId, capture.verification_id, capture.step_key, capture.sha256, capture.trace_sha256],
  );
  const counted = await one<{ count: number }>(
    db,
    'select count(*)::int as count from challenges where verification_id = $1 and step_key = $2 and issued_at <= $3',
    [capture.verification_id, capture.step_key, capture.created_at],
  );
  const count = counted!.count;
  if (!found) return { count, fault: 'The film names a request that was not made for this photo.' };
  const issued = {
    moves: found.moves,
    issuedAt: found.issued_at.getTime(),
    expiresAt: found.expires_at.getTime(),
  };
  const isOwn = found.capture_id === capture.id || found.used_for === capture.sha256;
  if (!isOwn) return { issued, count, fault: 'The film’s request was already used for another photo.' };
  const knownAt = found.announced && found.announced_at ? found.announced_at : capture.created_at;
  // A challenge that ended early, because the page asked again, still had its two minutes for the film before.
  const endsAt = issued.issuedAt + CHALLENGE_TTL_SECONDS * 1_000;
  return knownAt.getTime() > endsAt ? { issued, count, late: LATE } : { issued, count };
}

const LATE = 'Nothing shows when the film was made: it was announced to the service after its request had ended.';
