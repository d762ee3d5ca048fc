import { type CaseAnalysis, CaseAnalysis as Schema } from '@firsthand/contract/verification/verification.ts';
import { compileBody } from '../../platform/http/validate.ts';

const bounds = compileBody(Schema);

export const unit = (value: number): number =>
  Number.isFinite(value) ? Math.round(Math.max(0, Math.min(1, value)) * 1_000) / 1_000 : 0;

/**
 * Checks a case analysis against the interface's bounds. Throws with the first place that breaks one, which is a bug of
 * ours.
 */
export function checked(analysis: CaseAnalysis): CaseAnalysis {
  const [fault] = bounds.faults(analysis);
  if (fault) throw new Error(`a case analysis breaks its bounds at ${fault.path}: ${fault.message}`);
  return analysis;
}
