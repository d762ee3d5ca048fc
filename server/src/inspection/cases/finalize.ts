import { setTimeout as sleep } from 'node:timers/promises';
import { NARRATIVE_MAX } from '@firsthand/contract/base/limits.ts';
import { Verification } from '@firsthand/contract/verification/verification.ts';
import { Type } from 'typebox';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { viewerOf } from '../../platform/http/principal.ts';
import { expired, notFound, Problem, verificationClosed } from '../../platform/http/problem.ts';
import { lockKept, readCurrent } from '../../verification/verifications/advance.ts';
import { presentFrozen, withImageUrls } from '../../verification/verifications/present.ts';
import { reviewsOf } from '../../verification/verifications/reviews.ts';
import {
  answeredKeys,
  capturesOf,
  findVerification,
  heldBy,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { requirementsMet } from '../../verification/verifications/steps.ts';
import { storeNarrative } from '../../verification/verifications/write.ts';
import { startCaseAnalysis } from './analyze-case.ts';

const FinalizeRequest = Type.Object(
  { narrative: Type.String({ maxLength: NARRATIVE_MAX, description: "what happened, in the claimant's words" }) },
  { additionalProperties: false, title: 'FinalizeRequest' },
);

export const finalizeVerification = tenantEndpoint({
  operationId: 'finalizeVerification',
  summary: 'Finalize a case',
  description:
    'Runs the case analysis over all photos and the narrative, once. If it takes longer, the response is 202 without ' +
    '`case_analysis`. The service adds it later and sends `verification.case_completed`.',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  role: 'member',
  target: 'id',
  body: FinalizeRequest,
  responses: { 200: Verification, 202: Verification },
  links: (deps, body) => withImageUrls(deps, body as Verification),
  errors: ['expired', 'redacted', 'steps_incomplete', 'already_finalized', 'verification_closed'],
  async handler({ deps, params, body, principal }) {
    // Runs in its own transaction, so an expiry found here is kept even when the request is refused.
    await readCurrent(deps, params.id!);
    const finalized = await transaction(deps.db, async tx => {
      const current = await lockKept(tx, deps, params.id!);
      if (current.status === 'expired') throw expired();
      if (current.finalized_at) throw new Problem('already_finalized', 'The verification has already been finalized.');
      if (current.status === 'failed') throw verificationClosed();
      const held = heldBy(await capturesOf(tx, current.id));
      if (!requirementsMet(current.config.steps, held, answeredKeys(current))) {
        throw new Problem('steps_incomplete', 'Required photos or answers are still missing.');
      }
      const marked = await storeNarrative(tx, current.id, { narrative: body.narrative, at: deps.clock.now() });
      if (!marked) throw notFound();
      return startCaseAnalysis(tx, deps, marked);
    });
    const row = await settledWithin(deps, finalized, deps.config.finalizeBudgetMs);
    const shown = await reviewsOf(deps.db, row, { viewer: viewerOf(principal), now: deps.clock.now() });
    const view = presentFrozen(row, await capturesOf(deps.db, row.id), shown, deps.origins);
    return { ...ok(view), status: row.case_analysis ? 200 : 202 };
  },
});

const LOOK_EVERY_MS = 50;

/**
 * Returns the row as soon as the job has attached the analysis. Returns it as it is when the time budget is used up or
 * other analysis is outstanding anyway.
 */
async function settledWithin(deps: Pick<Deps, 'db'>, row: VerificationRow, budgetMs: number): Promise<VerificationRow> {
  const until = performance.now() + budgetMs;
  let current = row;
  while (!current.case_analysis && current.status === 'completed' && performance.now() < until) {
    await sleep(LOOK_EVERY_MS);
    current = (await findVerification(deps.db, row.id)) ?? current;
  }
  return current;
}
