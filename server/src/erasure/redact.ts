import { RedactionReceipt, RedactRequest } from '@firsthand/contract/erasure.ts';
import { transaction } from '../db/sql.ts';
import { ok, tenantEndpoint } from '../http/endpoint.ts';
import { notFound, Problem } from '../http/problem.ts';
import { activityOf, audit } from '../tenants/audit.ts';
import { lockCurrent } from '../verifications/advance.ts';
import { erase, findReceipt } from './erase.ts';
import { finishErasures } from './finish.ts';

export const redactVerification = tenantEndpoint({
  operationId: 'redactVerification',
  summary: 'Delete photos and personal data',
  description:
    'Deletes everything about the person and the case, for good: photos, answers, places, free text, webhook bodies. What ' +
    'stays is the id, times, the steps, counts and the verdict’s label. An open verification is cancelled first. The answer ' +
    'is a signed receipt; redacting again gives the same one.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  target: 'id',
  body: RedactRequest,
  bodyOptional: true,
  responses: { 200: RedactionReceipt },
  errors: ['on_hold'],
  async handler(call) {
    const { deps, params } = call;
    const id = params.id!;
    const answer = await transaction(deps.db, async tx => {
      const row = await lockCurrent(tx, deps, id);
      if (!row) throw notFound();
      let receipt = await findReceipt(tx, id);
      if (!receipt) {
        if (row.legal_hold) throw onHold();
        const doing = activityOf(call);
        [receipt = null] = await erase(tx, deps, [row], { reason: call.body?.reason, at: doing.at });
        await audit(tx, doing, { action: 'verification.redacted', target: id });
      }
      const given = ok(receipt);
      await call.keepAnswer(tx, given);
      return given;
    });
    // The erasure is committed: what cannot be done now, the sweep does.
    await finishErasures(deps, [id]).catch(error =>
      deps.log.warn({ err: error, verificationId: id }, 'the pictures of a redacted verification are deleted later'),
    );
    return answer;
  },
});

const onHold = (): Problem =>
  new Problem('on_hold', 'A legal hold is in place. Lift it before you redact the verification.');
