import { TRACE } from '@firsthand/contract/verification/presence.ts';
import type { SentSession } from '@firsthand/forensics/presence/session.ts';
import { BlobMissing, BlobTooLarge } from '../../platform/blobs/faults.ts';
import type { Deps } from '../../platform/deps.ts';
import { digestOf } from '../../platform/lib/digest.ts';
import type { ClaimedCapture } from '../../verification/captures/analysis-queue.ts';
import { findChallenge, sentBefore } from '../../verification/captures/trace.ts';
import type { VerificationRow } from '../../verification/verifications/row.ts';
import { signalsAsked } from '../../verification/verifications/steps.ts';

/** Collects what a live capture came with, where `depth` is required. */
export async function sessionOf(
  deps: Pick<Deps, 'config' | 'db' | 'blobs'>,
  row: VerificationRow,
  capture: ClaimedCapture,
): Promise<SentSession | undefined> {
  if (capture.source !== 'live' || !signalsAsked(row.config, capture.step_key).includes('depth')) return undefined;
  const sent = { policy: row.config.depth_policy ?? 'lenient', arrivedAt: capture.created_at.getTime() };
  if (!capture.challenge_id || !capture.trace_blob) return sent;
  const [file, challenge] = await Promise.all([
    traceOf(deps, capture.trace_blob, capture),
    findChallenge(deps.db, capture, capture.challenge_id),
  ]);
  const pictures = 'fault' in file ? undefined : picturesOf(file);
  const before = pictures && (await sentBefore(deps.db, capture, await digestOf(pictures)));
  const { late, ...found } = challenge;
  const uncounted = before ?? late;
  return {
    ...sent,
    trace: { file, challenge: { id: capture.challenge_id, ...found }, ...(uncounted ? { uncounted } : {}) },
  };
}

/** The pictures of a trace file, without its header; undefined where it has none. */
function picturesOf(file: Uint8Array): Uint8Array | undefined {
  if (file.length < 4) return undefined;
  const start = 4 + new DataView(file.buffer, file.byteOffset).getUint32(0);
  return start < file.length ? file.subarray(start) : undefined;
}

/** Reads the trace, or says why it cannot be read. Throws while the store is unavailable. */
async function traceOf(
  deps: Pick<Deps, 'config' | 'blobs'>,
  key: string,
  capture: ClaimedCapture,
): Promise<Uint8Array | { fault: string }> {
  // A trace that ends its thread each time must not take the photo with it.
  if (capture.analysis_attempts > deps.config.analysisRetrySeconds.length) {
    return { fault: 'The analysis of the trace did not finish.' };
  }
  try {
    const bytes = await deps.blobs.get(key, { maxBytes: TRACE.maxBytes });
    if ((await digestOf(bytes)) === capture.trace_sha256) return bytes;
    return { fault: 'The trace is not the one whose hash came with the photo.' };
  } catch (error) {
    if (error instanceof BlobMissing) return { fault: 'The trace did not arrive.' };
    if (error instanceof BlobTooLarge) return { fault: 'The trace is too large.' };
    throw error;
  }
}
