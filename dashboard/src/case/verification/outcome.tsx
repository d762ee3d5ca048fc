import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { type Look, Tag } from '../../base/parts/shown.tsx';

type Known = Pick<VerificationSummary, 'status' | 'verdict' | 'cancelled_at'>;

/** The outcome of a verification in one word: its verdict, or else its status. */
const outcomeOf = ({ status, verdict, cancelled_at }: Known) =>
  status === 'completed' && verdict
    ? (`verdict.${verdict.label}` as const)
    : cancelled_at !== undefined
      ? 'status.cancelled'
      : (`status.${status}` as const);
type Outcome = ReturnType<typeof outcomeOf>;

const LOOK: Record<Outcome, Look> = {
  'verdict.verified': ['check', 'verified'],
  'verdict.suspicious': ['doubt', 'doubtful'],
  'verdict.failed': ['cross', 'failed'],
  'status.pending': ['time', ''],
  'status.partially_captured': ['camera', ''],
  'status.completed': ['check', ''],
  'status.expired': ['time', ''],
  'status.cancelled': ['cross', ''],
  'status.failed': ['offline', 'failed'],
  'status.abandoned': ['leave', ''],
};

export function OutcomeTag({ of }: { of: Known }) {
  const { t } = useWords();
  const outcome = outcomeOf(of);
  return <Tag look={LOOK[outcome]}>{t(outcome satisfies MessageKey)}</Tag>;
}

/** Gives the score of a verdict in words. Rounded down: only certainty reads as 100%. */
export function useScore(): (verdict: NonNullable<Known['verdict']>) => string {
  const { number } = useWords();
  return ({ score }) => number(Math.floor(score * 1_000) / 1_000, { style: 'percent', maximumFractionDigits: 1 });
}
