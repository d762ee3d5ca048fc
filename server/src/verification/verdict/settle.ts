import { isPictureStep } from '@firsthand/contract/capture/steps.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addSlowJob } from '../../platform/jobs/queue.ts';
import { complete, fail, lockCurrent } from '../verifications/advance.ts';
import {
  answeredKeys,
  type CaptureRow,
  capturesOf,
  heldBy,
  isTerminal,
  type VerificationRow,
} from '../verifications/row.ts';
import { requirementsMet } from '../verifications/steps.ts';
import { storeInconclusiveObject } from '../verifications/write.ts';
import { awaitChecks } from './await-checks.ts';
import { type ContextOpinion, decide } from './decide.ts';
import { supports } from './support.ts';
import { forceVerdict, testOutcomeOf } from './test-outcome.ts';

/** The next step of a verification. Decided without a database. */
export type Settlement = 'wait' | 'fail' | 'complete';

/**
 * `complete`: every requirement is met and every capture so far is analysed. `fail`: a permanent error ended the
 * analysis of a required capture (in a step that needs any), or of every capture: a verdict needs evidence. `wait`:
 * anything else.
 */
export function settlementOf(
  row: Pick<VerificationRow, 'config' | 'answers'>,
  captures: readonly Pick<CaptureRow, 'step_key' | 'analysis_state'>[],
): Settlement {
  const required = new Set(row.config.steps.filter(step => isPictureStep(step) && step.min > 0).map(step => step.key));
  if (captures.some(capture => capture.analysis_state === 'failed' && required.has(capture.step_key))) return 'fail';
  if (captures.some(capture => capture.analysis_state === 'pending')) return 'wait';
  if (!requirementsMet(row.config.steps, heldBy(captures), answeredKeys(row))) return 'wait';
  return captures.some(capture => capture.analysis_state === 'done') ? 'complete' : 'fail';
}

/**
 * Settles a verification in the caller's transaction if it is time. Safe to call at any moment, any number of times.
 */
export async function settle(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'origins' | 'clock' | 'metrics' | 'vision'>,
  verificationId: string,
): Promise<void> {
  const row = await lockCurrent(tx, deps, verificationId);
  if (!row || isTerminal(row.status)) return;
  const captures = await capturesOf(tx, row.id);
  const settlement = settlementOf(row, captures);
  if (settlement === 'wait') return;
  const now = deps.clock.now();
  const outcome = testOutcomeOf(row);
  if (settlement === 'complete' && outcome !== 'failed' && (await awaitChecks(tx, deps, row))) return;
  await storeInconclusiveObject(tx, row);
  if (settlement === 'fail' || outcome === 'failed') {
    await fail(tx, deps, row, captures, now);
    return;
  }
  const real = decide({
    required: row.config.signals_required,
    captures: captures.flatMap(({ signals }) => (signals ? [signals] : [])),
    context: worstContext(captures),
    supported: supports(row.config, captures),
  });
  const verdict = outcome ? forceVerdict(real, outcome) : real;
  await complete(tx, deps, row, captures, verdict, now);
  if (row.finalized_at) await addSlowJob(tx, 'analyze_case', row.id, row);
  deps.metrics.verdicts.inc({ label: verdict.label, reason: verdict.reason_code ?? '' });
}

/** The context check's opinion of the worst capture; null when it evaluated none. */
export function worstContext(captures: readonly Pick<CaptureRow, 'context'>[]): ContextOpinion | null {
  const opinions = captures.flatMap(({ context }): ContextOpinion[] => {
    if (!context?.evaluated) return [];
    const { band = 'clear', probability = 0.5 } = context;
    return [{ band, probability: band === 'clear' ? null : probability }];
  });
  const severity = ({ band, probability }: ContextOpinion) => (band === 'confident' ? 1 : 0) + (probability ?? -1);
  return opinions.toSorted((a, b) => severity(b) - severity(a))[0] ?? null;
}
