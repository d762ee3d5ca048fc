import { transaction } from '../../../platform/db/sql.ts';
import type { Answer, Call } from '../../../platform/http/endpoint.ts';
import { signInRefused } from '../../../platform/http/problem.ts';
import { answerSignedIn } from '../me.ts';
import { openSession, recordFailure } from '../sessions.ts';
import { findToken, openedByToken, type Purpose, useToken } from '../tokens.ts';

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
      method: used.purpose,
      openings: await openedByToken(tx, used),
      prefer: used.person_id,
    });
  });
  if (opened) return answerSignedIn(call, opened);
  const dead = await findToken(deps.db, token);
  if (dead) {
    const detail = { method: purposes[0]!, reason: 'the link was used or is too old' };
    await recordFailure(deps, request, await openedByToken(deps.db, dead), detail, dead.person_id);
  }
  throw signInRefused();
}
