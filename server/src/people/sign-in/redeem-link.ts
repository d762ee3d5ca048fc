import { transaction } from '../../db/sql.ts';
import type { Answer, Call } from '../../http/endpoint.ts';
import { signInRefused } from '../../http/problem.ts';
import { answerSignedIn } from '../me.ts';
import { openSession, recordFailure } from '../sessions.ts';
import { ownerOfDeadToken, type Purpose, useToken } from '../tokens.ts';

/** Signs a person in with the token of a link, once. */
export async function redeemLink(
  call: Call<unknown, unknown, unknown>,
  token: string,
  purposes: readonly Purpose[],
): Promise<Answer> {
  const { deps, request } = call;
  const opened = await transaction(deps.db, async tx => {
    const used = await useToken(tx, token, purposes, deps.clock.now());
    if (!used) return null;
    return openSession(tx, deps, request, {
      personId: used.person_id,
      method: used.purpose,
      tenantId: used.tenant_id,
      proves: used.proves,
    });
  });
  if (opened) return answerSignedIn(call, opened);
  const personId = await ownerOfDeadToken(deps.db, token);
  if (personId !== null) {
    await recordFailure(deps, request, personId, { method: purposes[0]!, reason: 'the link was used or is too old' });
  }
  throw signInRefused();
}
