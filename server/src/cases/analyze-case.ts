import { type Tx, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { attachCaseAnalysis } from '../verifications/advance.ts';
import { findVerification, lockVerification, type VerificationRow } from '../verifications/row.ts';
import { gatherFacts } from './evidence.ts';
import { judgeEvidence, present, RUBRIC_NAME } from './rubric.ts';

/** True when a finalized case may be analysed and has not been. */
const isOpen = (row: VerificationRow): boolean =>
  row.finalized_at !== null && row.case_analysis === null && row.status === 'completed' && row.redacted_at === null;

/** Analyses a case from the record alone, in the caller's transaction, which holds the row's lock. */
export async function analyzeFromRecord(tx: Tx, deps: Deps, row: VerificationRow): Promise<VerificationRow> {
  if (!isOpen(row)) return row;
  const facts = await gatherFacts(tx, row);
  const analysis = present(facts, judgeEvidence(facts), { model: RUBRIC_NAME });
  return attachCaseAnalysis(tx, deps, row, analysis, deps.clock.now());
}

/** Job: analyses a finalized case once it is completed; attaches the answer once, however often it runs. */
export async function analyzeCase(deps: Deps, verificationId: string): Promise<void> {
  const seen = await findVerification(deps.db, verificationId);
  if (!seen || !isOpen(seen)) {
    deps.log.info({ verificationId }, 'no case to analyse');
    return;
  }
  await transaction(deps.db, async tx => {
    const row = await lockVerification(tx, verificationId);
    if (row) await analyzeFromRecord(tx, deps, row);
  });
}
