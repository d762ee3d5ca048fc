import { isId } from '@firsthand/contract/base/ids.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { FastifyRequest } from 'fastify';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type CapturePrincipal, servedModes } from '../../platform/http/principal.ts';
import { Problem } from '../../platform/http/problem.ts';
import { fromSession } from './session.ts';

/**
 * Authenticates a capture token, which is the verification id. Null when it is malformed, unknown, or of a mode that this deployment does
 * not serve; every deployment serves trials.
 */
export async function fromCaptureToken(
  deps: Pick<Deps, 'config' | 'db'>,
  token: string,
): Promise<CapturePrincipal | null> {
  if (!isId('vfy', token)) return null;
  const row = await one<{ tenant_id: string }>(
    deps.db,
    `select tenant_id from verifications v where id = $1 and (livemode = any($2)
       or exists (select from tenants t where t.id = v.tenant_id and t.is_trial))`,
    [token, servedModes(deps.config.mode)],
  );
  return row ? { kind: 'capture', tenantId: row.tenant_id, verificationId: token, personId: null } : null;
}

/** The person of an account whose session the request carries, whichever account that session is in now. */
export async function insiderOf(
  deps: Pick<Deps, 'config' | 'db' | 'sessionTokens' | 'clock'>,
  request: FastifyRequest,
  tenantId: string,
): Promise<{ id: string; role: Role } | null> {
  const cookie = request.cookies[deps.config.sessionCookie];
  const person = cookie === undefined ? null : await fromSession(deps, cookie, { seen: false });
  if (!person) return null;
  const member = await one<{ id: string; role: Role }>(
    deps.db,
    `select m.person_id as id, m.role from session_persons o join memberships m on m.person_id = o.person_id
     where o.session_id = $1 and m.tenant_id = $2`,
    [person.sessionId, tenantId],
  );
  return member ?? null;
}

export const notForStaff = (): Problem =>
  new Problem('forbidden', 'You are signed in to this account with a role that may not send photos.');
