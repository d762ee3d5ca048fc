import { SIGNALS } from '@firsthand/contract/verification/signals.ts';

/** A reason code in words. */
export const wordsFor = (reason: string): string => SIGNALS.find(signal => signal.reason === reason)?.words ?? reason;
