import { RedactionReceipt, RedactRequest } from '@firsthand/contract/evidence/erasure.ts';
import type { One } from '../../desk/bulk/actions.ts';
import { type Activity, activityOf, audit } from '../../identity/audit/audit.ts';
import { type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { lockCurrent } from '../../verification/verifications/advance.ts';
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
      const given = ok(await redactOne(tx, deps, id, { reason: call.body?.reason, activity: activityOf(call) }));
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

/**
 * Redacts a verification and notes it in the audit log; `finishErasures` deletes the pictures after the commit. Returns the receipt,
 * that of the first time where it was redacted before. Throws `on_hold` under a legal hold.
 */
export async function redactOne(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'keyring' | 'origins' | 'clock'>,
  id: string,
  { reason, activity }: { reason: string | undefined; activity: Activity },
): Promise<RedactionReceipt> {
  const row = await lockCurrent(tx, deps, id);
  if (!row) throw notFound();
  const given = await findReceipt(tx, id);
  if (given) return given;
  if (row.legal_hold) throw onHold();
  const [receipt] = await erase(tx, deps, [row], { reason, at: activity.at });
  await audit(tx, activity, { action: 'verification.redacted', target: id });
  return receipt!;
}

const onHold = (): Problem =>
  new Problem('on_hold', 'A legal hold is in place. Lift it before you redact the verification.');

export const getRedaction = tenantEndpoint({
  operationId: 'getRedaction',
  summary: 'Get the receipt of a redaction',
  description: 'The receipt as it was first given. 404 while the verification is not redacted.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  target: 'id',
  responses: { 200: RedactionReceipt },
  async handler({ deps, params }) {
    const receipt = await findReceipt(deps.db, params.id!);
    if (!receipt) throw notFound();
    return ok(receipt);
  },
});

/** The erasure as an action on many verifications. */
export const redactInBulk: One = async (tx, deps, { verificationId }, { options }, activity) => {
  await redactOne(tx, deps, verificationId, { reason: options.reason, activity });
  return null;
};
