import type { Capture as Photo } from '@firsthand/contract/verification/verification.ts';
import { type Finding, findingsOf } from '@firsthand/dashboard/src/case/why/findings.ts';
import type { Capture } from '@firsthand/sdk';

/** What each signal says of a photo, as the dashboard reads it. The SDK's types come from the schemas of the contract. */
export const findingsIn = (photo: Capture): Finding[] => findingsOf(photo as unknown as Photo);
