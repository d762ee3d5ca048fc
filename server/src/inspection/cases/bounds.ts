import { type CaseAnalysis, CaseAnalysis as Schema } from '@firsthand/contract/verification/verification.ts';
import { Value } from 'typebox/value';

export const unit = (value: number): number =>
  Number.isFinite(value) ? Math.round(Math.max(0, Math.min(1, value)) * 1_000) / 1_000 : 0;

/**
 * Checks a case analysis against the interface's bounds. Throws with the first place that breaks one, which is a bug of
 * ours.
 */
export function checked(analysis: CaseAnalysis): CaseAnalysis {
  if (!Value.Check(Schema, analysis)) {
    const [fault] = Value.Errors(Schema, analysis);
    throw new Error(`a case analysis breaks its bounds at ${fault?.instancePath}: ${fault?.message}`);
  }
  return analysis;
}
