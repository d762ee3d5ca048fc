import { MANAGEMENT_EXAMPLES } from './account/examples.ts';
import type { EndpointExamples } from './base/endpoint-examples.ts';
import { BATCH_EXAMPLES } from './batches/examples.ts';
import { EVIDENCE_EXAMPLES } from './evidence/examples.ts';
import { PEOPLE_EXAMPLES } from './people/examples.ts';
import { reviewExamples } from './reviews/examples.ts';
import { STATISTICS_EXAMPLES } from './statistics/examples.ts';
import { EXPLAINED, VERIFICATION_EXAMPLES } from './verification/examples.ts';
import { WEBHOOK_EXAMPLES } from './webhooks/examples.ts';

/** Examples by endpoint, such as `POST /v1/verifications`. */
export const EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  ...VERIFICATION_EXAMPLES,
  ...BATCH_EXAMPLES,
  ...EVIDENCE_EXAMPLES,
  ...STATISTICS_EXAMPLES,
  ...MANAGEMENT_EXAMPLES,
  ...PEOPLE_EXAMPLES,
  ...reviewExamples(EXPLAINED),
  ...WEBHOOK_EXAMPLES,
};
