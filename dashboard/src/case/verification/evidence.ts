import type { Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import { ROOT } from '@firsthand/look/root.ts';

const ENDED = ['completed', 'expired', 'failed'];

/** Whether the service hands out evidence of a verification. */
export const hasEvidence = ({ status, redacted_at, captures_count }: Verification): boolean =>
  !redacted_at && ENDED.includes(status) && captures_count > 0;

/** Where a photo with its Content Credentials is downloaded; null where there is none. */
export const credentialUrl = (verification: Verification, capture: Capture): string | null =>
  hasEvidence(verification) ? `${ROOT}/v1/verifications/${verification.id}/captures/${capture.id}/credential` : null;
