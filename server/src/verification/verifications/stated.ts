import type { CaptureRow } from './row.ts';

/** The log's statement about a capture. */
export const captureStatement = (capture: CaptureRow): object => ({
  capture_id: capture.id,
  step_key: capture.step_key,
  image: { sha256: capture.sha256, bytes: capture.size_bytes, media_type: capture.content_type },
  received_at: capture.created_at.toISOString(),
  client_captured_at: capture.client_captured_at?.toISOString(),
  attestation: capture.attestation ?? undefined,
});

/** The detectors behind a verdict: the model that each signal names. */
export function detectorsOf(captures: readonly Pick<CaptureRow, 'signals'>[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const { signals } of captures) {
    for (const [name, signal] of Object.entries(signals ?? {})) {
      const { model, evidence, calibrated } = (signal ?? {}) as Record<string, { model?: unknown } | undefined>;
      const used = model ?? evidence?.model ?? calibrated?.model;
      if (typeof used === 'string') found.set(name, used);
    }
  }
  return Object.fromEntries(found);
}
