import { type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addSlowJob } from '../../platform/jobs/queue.ts';
import { attachCaseAnalysis } from '../../verification/verifications/advance.ts';
import { openForLateCheck } from '../../verification/verifications/reviews.ts';
import {
  capturesOf,
  findVerification,
  lockVerification,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { noteInstructions } from '../../verification/verifications/write.ts';
import { eraseGeocodes, geocode } from '../checks/geocode.ts';
import { blend } from './blend.ts';
import { gatherFacts } from './evidence.ts';
import type { CaseFacts } from './facts.ts';
import { placeNames } from './narrative.ts';
import { judgeEvidence, present, RUBRIC_NAME } from './rubric.ts';
import { lookAgain } from './second-look.ts';

/** True when a finalized case can be analysed and is not yet. */
const isOpen = (row: VerificationRow): boolean =>
  row.finalized_at !== null && row.case_analysis === null && row.status === 'completed' && row.redacted_at === null;

/** Whether the analysis needs a service outside: the vision model, or the geocoder for named places. */
const needsNetwork = (deps: Pick<Deps, 'config' | 'vision'>, narrative: string): boolean =>
  deps.vision !== null || (deps.config.geocoderUrl !== null && placeNames(narrative).length > 0);

/**
 * Starts the analysis of a finalized case in the caller's transaction, which holds the row's lock. Analyses it at once
 * when the record suffices; else adds the job. Does nothing for a case that is not completed: its completion adds the
 * job.
 */
export async function startCaseAnalysis(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'keyring' | 'origins' | 'clock' | 'vision'>,
  row: VerificationRow,
): Promise<VerificationRow> {
  if (!isOpen(row)) return row;
  if (needsNetwork(deps, row.narrative ?? '')) {
    await addSlowJob(tx, 'analyze_case', row.id, row);
    return row;
  }
  const facts = await gatherFacts(tx, row);
  const analysis = present(facts, judgeEvidence(facts), { model: RUBRIC_NAME });
  return attachCaseAnalysis(tx, deps, row, analysis, deps.clock.now());
}

/** Job: analyses a finalized case after its completion. Attaches one answer, however often it runs. */
export async function analyzeCase(deps: Deps, verificationId: string, signal: AbortSignal): Promise<void> {
  const seen = await findVerification(deps.db, verificationId);
  if (!seen || !isOpen(seen)) {
    deps.log.info({ verificationId }, 'no case to analyse');
    return;
  }
  const facts = await gatherFacts(deps.db, seen);
  facts.namedPlaces = await resolvePlaces(deps, facts.narrative);
  const evidence = judgeEvidence(facts);
  const { analysis, instructed } = deps.vision
    ? await withModel({ ...deps, vision: deps.vision }, seen, facts, evidence, signal)
    : { analysis: present(facts, evidence, { model: RUBRIC_NAME }), instructed: false };
  if (signal.aborted) throw new Error('asked to stop before the case was analysed');
  await transaction(deps.db, async tx => {
    const row = await lockVerification(tx, verificationId);
    if (row && isOpen(row)) {
      const at = deps.clock.now();
      if (instructed) {
        await noteInstructions(tx, row.id, ['case_analysis']);
        await openForLateCheck(tx, row.id, at);
      }
      await attachCaseAnalysis(tx, deps, row, analysis, at);
    } else if (row?.redacted_at) await eraseGeocodes(tx, placeNames(facts.narrative));
  });
}

async function withModel(
  deps: Deps & { vision: NonNullable<Deps['vision']> },
  row: VerificationRow,
  facts: CaseFacts,
  evidence: ReturnType<typeof judgeEvidence>,
  signal: AbortSignal,
) {
  const look = await lookAgain(deps, row, await capturesOf(deps.db, row.id), facts, signal);
  const { opinion, consistencyLevel, text } = blend(evidence, look);
  const analysis = present(facts, opinion, {
    model: look.answers.length > 0 ? `${deps.vision.config.model}, ${RUBRIC_NAME}` : RUBRIC_NAME,
    text,
    ...(consistencyLevel === undefined ? {} : { consistencyLevel }),
  });
  return { analysis, instructed: look.answers.some(answer => answer.instructions_found) };
}

/**
 * Resolves the places that a narrative names. If the geocoder does not know a place or does not answer, the place is
 * left out.
 */
async function resolvePlaces(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>,
  narrative: string,
): Promise<CaseFacts['namedPlaces']> {
  if (deps.config.geocoderUrl === null) return [];
  const resolved = await Promise.all(
    placeNames(narrative).map(async text => {
      const place = await geocode(deps, text).catch(error => {
        deps.log.warn({ err: error }, 'the geocoder did not answer about a place of a narrative');
        return null;
      });
      return place ? [{ text, place }] : [];
    }),
  );
  return resolved.flat();
}
