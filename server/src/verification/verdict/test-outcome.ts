import { REASON_CODES, type ReasonCode, type VerdictSignals } from '@firsthand/contract/verification/signals.ts';
import type { Verdict } from '@firsthand/contract/verification/verification.ts';
import type { VerificationRow } from '../verifications/row.ts';

export type TestOutcome = 'verified' | 'suspicious' | 'failed' | ReasonCode;
const OUTCOMES: readonly string[] = ['verified', 'suspicious', 'failed', ...REASON_CODES];

/** The outcome that a test verification asks for with `metadata.test_outcome`; null in live mode. */
export function testOutcomeOf(row: Pick<VerificationRow, 'livemode' | 'config'>): TestOutcome | null {
  const asked = row.livemode ? undefined : row.config.metadata?.test_outcome;
  return asked !== undefined && OUTCOMES.includes(asked) ? (asked as TestOutcome) : null;
}

const CLEAN: VerdictSignals = {
  screen_detection: { screen_detected: false, confidence: 0.99 },
  ai_detection: { label: 'unknown', confidence: 0.5 },
  reverse_search: { found_online: false, match_count: 0 },
  depth: { source: 'test', confidence: 0.99 },
};

const TRIPPED: Readonly<Record<ReasonCode, VerdictSignals>> = {
  screen_detected: { screen_detection: { screen_detected: true, confidence: 0.99 } },
  ai_generated: { ai_detection: { label: 'likely_ai', confidence: 0.99 } },
  context_mismatch: {},
  reverse_search_match: { reverse_search: { found_online: true, match_count: 1 } },
  depth_anomaly: {},
};

/**
 * Signals as they would look had the outcome come from the picture. Only those that were required appear, and what does not
 * apply to uploaded content says so whatever is asked for.
 */
const withSignals = (real: VerdictSignals, forced: VerdictSignals): VerdictSignals =>
  Object.fromEntries(
    Object.entries(real).map(([key, signal]) => {
      const applies = !('status' in signal && signal.status === 'not_applicable');
      return [key, (applies && forced[key as keyof VerdictSignals]) || signal];
    }),
  );

/** Replaces the verdict of the real pipeline by the one asked for. */
export function forceVerdict(real: Verdict, outcome: Exclude<TestOutcome, 'failed'>): Verdict {
  if (outcome === 'verified') return { label: 'verified', score: 0.99, signals: withSignals(real.signals, CLEAN) };
  const reason = outcome === 'suspicious' ? 'screen_detected' : outcome;
  const signals = withSignals(real.signals, { ...CLEAN, ...TRIPPED[reason] });
  return outcome === 'suspicious'
    ? { label: 'suspicious', score: 0.6, signals, reason_code: reason }
    : { label: 'failed', score: 0.99, signals, reason_code: reason };
}
