import { REASON_CODES, type ReasonCode, type Signals, type Verdict } from '@firsthand/contract/verification.ts';
import type { VerificationRow } from '../verifications/row.ts';

export type TestOutcome = 'verified' | 'suspicious' | 'failed' | ReasonCode;
const OUTCOMES: readonly string[] = ['verified', 'suspicious', 'failed', ...REASON_CODES];

/** The outcome that a test verification asks for with `metadata.test_outcome`; null in live mode. */
export function testOutcomeOf(row: Pick<VerificationRow, 'livemode' | 'config'>): TestOutcome | null {
  const asked = row.livemode ? undefined : row.config.metadata?.test_outcome;
  return asked !== undefined && OUTCOMES.includes(asked) ? (asked as TestOutcome) : null;
}

/** Signals as they would look had the outcome come from the picture; only those that were required appear. */
const FORCED: Readonly<Record<ReasonCode, (signals: Signals) => Signals>> = {
  screen_detected: signals => ({
    ...signals,
    ...(signals.screen_detection && { screen_detection: { screen_detected: true, confidence: 0.99 } }),
  }),
  ai_generated: signals => ({
    ...signals,
    ...(signals.ai_detection && { ai_detection: { label: 'likely_ai', confidence: 0.99 } }),
  }),
  context_mismatch: signals => signals,
  reverse_search_match: signals => ({
    ...signals,
    ...(signals.reverse_search && { reverse_search: { found_online: true, match_count: 1 } }),
  }),
  depth_anomaly: signals => ({ ...signals, ...(signals.depth && { depth: { source: 'test', confidence: 0.99 } }) }),
};

/** Replaces the verdict of the real pipeline by the one asked for. */
export function forceVerdict(real: Verdict, outcome: Exclude<TestOutcome, 'failed'>): Verdict {
  const clean: Signals = {
    ...real.signals,
    ...(real.signals.screen_detection && { screen_detection: { screen_detected: false, confidence: 0.99 } }),
    ...(real.signals.ai_detection && { ai_detection: { label: 'unknown', confidence: 0.5 } }),
    ...(real.signals.reverse_search && { reverse_search: { found_online: false, match_count: 0 } }),
    ...(real.signals.depth && { depth: { source: 'test', confidence: 0.99 } }),
  };
  if (outcome === 'verified') return { label: 'verified', score: 0.99, signals: clean };
  const reason = outcome === 'suspicious' ? 'screen_detected' : outcome;
  const signals = FORCED[reason](clean);
  return outcome === 'suspicious'
    ? { label: 'suspicious', score: 0.6, signals, reason_code: reason }
    : { label: 'failed', score: 0.99, signals, reason_code: reason };
}
