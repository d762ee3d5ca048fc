import type { Decision } from '@firsthand/contract/reviews/reviews.ts';

/** The reasons of each decision, in the order of the digits 1 to 9. The API keeps the word; the page translates it. */
const REASONS = {
  approved: ['genuine', 'looks_alike', 'known_customer'],
  rejected: ['photo_of_display', 'ai_generated', 'found_elsewhere', 'flat_copy', 'wrong_subject', 'wrong_place'],
  retake: ['too_dark', 'blurred', 'too_far', 'incomplete', 'wrong_subject'],
  escalated: ['second_opinion', 'pattern', 'high_value', 'unclear'],
} as const satisfies Record<Decision, readonly string[]>;

export type Reason = (typeof REASONS)[Decision][number];
export const KEY_OF = { approved: 'a', rejected: 'r', retake: 't', escalated: 'e' } as const satisfies Record<
  Decision,
  string
>;

export const reasonsOf = (decision: Decision): readonly Reason[] => REASONS[decision];
