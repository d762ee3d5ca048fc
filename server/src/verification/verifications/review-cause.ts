/** Why a case comes up for review. No view shows it, so a reviewer cannot recognise a sample. */
export type ReviewCause = 'suspicious' | 'failed' | 'checks' | 'sample' | 'asked';
