import { type Fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import { faultOfAnswer } from '@firsthand/contract/capture/answer-rules.ts';
import { AnswersRequest } from '@firsthand/contract/capture/capture-flow.ts';
import { type Answers, EndUserView } from '@firsthand/contract/verification/verification.ts';
import { transaction } from '../../platform/db/sql.ts';
import { type Asked, ok, openEndpoint } from '../../platform/http/endpoint.ts';
import { expired, notFound, verificationClosed } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { lockKept, readCurrent } from '../verifications/advance.ts';
import { answeredKeys, capturesOf, findVerification, heldBy } from '../verifications/row.ts';
import { requirementsMet } from '../verifications/steps.ts';
import { storeAnswers } from '../verifications/write.ts';
import { CAPTURE_ROUTE, isOver } from './accepting.ts';
import { endUserView } from './session.ts';

export const submitAnswers = openEndpoint({
  operationId: 'submitAnswers',
  summary: 'Answer text steps',
  description: 'You can replace an answer until the verification is completed.',
  ...CAPTURE_ROUTE,
  body: AnswersRequest,
  recordFaults: unfitAnswers,
  responses: { 200: EndUserView },
  errors: ['verification_closed', 'expired', 'redacted'],
  async handler({ deps, params, body }) {
    // Runs in its own transaction, so an expiry found here is kept even when the request is refused.
    await readCurrent(deps, params.token!);
    const after = await transaction(deps.db, async tx => {
      const row = await lockKept(tx, deps, params.token!);
      if (isOver(row, deps.clock.now())) throw expired();
      if (row.status === 'completed' || row.status === 'failed') throw verificationClosed();
      const answeredAt = deps.clock.now().toISOString();
      const answers: Answers = { ...row.answers };
      for (const [key, value] of Object.entries(body.answers)) answers[key] = { value, answered_at: answeredAt };
      const updated = await storeAnswers(tx, row.id, answers);
      if (!updated) throw notFound();
      const held = heldBy(await capturesOf(tx, row.id));
      // An answer may be the last requirement. The worker then writes the verdict.
      if (requirementsMet(updated.config.steps, held, answeredKeys(updated))) {
        await addJob(tx, 'settle', { verification_id: row.id });
      }
      return updated;
    });
    return ok(await endUserView(deps, after));
  },
});

/** Faults of answers that no text step of the verification accepts. */
async function unfitAnswers({ deps, params, body }: Asked): Promise<Fault[]> {
  const answers = typeof body === 'object' && body !== null && 'answers' in body ? body.answers : null;
  if (typeof answers !== 'object' || answers === null) return [];
  const row = await findVerification(deps.db, params.token!);
  const steps = new Map(row?.config.steps.map(step => [step.key, step]));
  return Object.entries(answers).flatMap(([key, value]) => {
    const step = steps.get(key);
    const takes = step?.type === 'text' ? step : null;
    if (takes && typeof value !== 'string') return [];
    if (!takes) return [unknownReference(`answers.${key}`, 'is not a text step of this verification')];
    const found = faultOfAnswer(takes, value);
    return found ? [found] : [];
  });
}
