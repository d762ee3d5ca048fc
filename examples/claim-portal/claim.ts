import type { VerificationEvent } from '@firsthand/sdk';

export interface Claim {
  id: string;
  /** As the insurer writes it. */
  number: string;
  email: string;
  verificationId?: string;
  captureUrl?: string;
  status: string;
  verdict?: VerificationEvent['data']['verdict'];
  review?: VerificationEvent['data']['review'];
  /** The newest event seen: webhooks may arrive in another order. */
  sequence: number;
  events: string[];
}
