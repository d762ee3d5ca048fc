import { evaluated, SIGNALS, type SignalName } from '@firsthand/contract/verification/signals.ts';
import { type Chooser, chooserOf } from '@firsthand/contract/verification/unanswered.ts';
import type { Config, Verdict } from '@firsthand/contract/verification/verification.ts';
import type { CaptureRow } from './row.ts';

/** What a required signal says of one photo: an answer, none, or that it does not apply to an uploaded file. */
type Answered =
  | { answered: true }
  | { answered: 'not_applicable' }
  | { answered: false; reason: string | undefined; chosenBy: Chooser };

/** Returns whether a required signal answered for a photo and, if not, who chose that. */
export function answeredBy(
  name: SignalName,
  { signals, context }: Pick<CaptureRow, 'signals' | 'context'>,
  policy: Config['depth_policy'],
): Answered {
  const missing = (reason: string | undefined): Answered => ({
    answered: false,
    reason,
    chosenBy: chooserOf(name, reason, policy),
  });
  const { key } = SIGNALS.find(signal => signal.name === name)!;
  if (key === null) return context?.evaluated ? { answered: true } : missing(context?.no_answer);
  const found = signals?.[key];
  if (found?.status === 'not_applicable') return { answered: 'not_applicable' };
  return evaluated(found) ? { answered: true } : missing(found?.reason);
}

/** True for a verdict that is suspicious because a required check is missing: nothing tripped, so it has no reason. */
export const lacksCheck = (verdict: Pick<Verdict, 'label' | 'reason_code'> | null): boolean =>
  verdict?.label === 'suspicious' && verdict.reason_code === undefined;
