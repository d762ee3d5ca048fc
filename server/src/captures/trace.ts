import type { CaptureRequest } from '@firsthand/contract/capture-flow.ts';
import type { PictureStep } from '@firsthand/contract/steps.ts';
import type { Tx } from '../db/sql.ts';
import { invalidField } from '../http/problem.ts';
import type { CaptureRow, VerificationRow } from '../verifications/row.ts';
import { imageKeyOf, parseImageKey } from './image-key.ts';
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
  if (!parsed) throw invalidField('trace_key', 'is not an image_key from upload-url');
  if (parsed.verificationId !== verificationId) throw invalidField('trace_key', 'belongs to another verification');
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
  if (!live || !row.config.signals_required.includes('depth')) return NO_TRACE;
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
