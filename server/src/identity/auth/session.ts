import type { Role } from '@firsthand/contract/people/people.ts';
import type { FastifyRequest } from 'fastify';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type PersonPrincipal, servedModes } from '../../platform/http/principal.ts';
import { IDLE_MS, noteSessionUse, RECENT_MS, STANDS } from '../people/sessions.ts';

/** The recorded last request of a session may lag by this much. The idle timeout counts from the record. */
const LAST_SEEN_RESOLUTION_MS = 60_000;

interface SessionRow {
  id: string;
  person_id: string;
  tenant_id: string;
  livemode: boolean;
  created_at: Date;
  last_seen_at: Date;
  role: Role;
}

/**
 * Returns the person of a session cookie, or null. Reads session and role on every request, so a sign-out or role change takes effect on
 * all nodes at once. `seen`: whether this request counts as activity.
 */
export async function fromSession(
  deps: Pick<Deps, 'config' | 'db' | 'sessionTokens' | 'clock'>,
  cookie: string,
  { seen = true }: { seen?: boolean } = {},
): Promise<PersonPrincipal | null> {
  const now = deps.clock.now();
  const sessionId = await deps.sessionTokens.verify(cookie, now);
  if (sessionId === null) return null;
  const session = await one<SessionRow>(
    deps.db,
    `select s.id, s.person_id, s.tenant_id, s.livemode, s.created_at, s.last_seen_at, m.role
     from sessions s join memberships m on m.tenant_id = s.tenant_id and m.person_id = s.person_id
     where s.id = $1 and ${STANDS}`,
    [sessionId, now, new Date(now.getTime() - IDLE_MS)],
  );
  if (!session) return null;
  const seenBefore = new Date(now.getTime() - LAST_SEEN_RESOLUTION_MS);
  if (seen && session.last_seen_at < seenBefore) await noteSessionUse(deps.db, session.id, { now, seenBefore });
  // A deployment limited to one mode shows only that mode.
  const modes = servedModes(deps.config.mode);
  const livemode = modes.includes(session.livemode) ? session.livemode : modes[0]!;
  return {
    kind: 'session',
    tenantId: session.tenant_id,
    userId: session.person_id,
    role: session.role,
    sessionId: session.id,
    signedInAt: session.created_at,
    livemode,
    reads: [livemode],
    requestsPerMinute: null,
  };
}

export const isRecent = (deps: Pick<Deps, 'clock'>, person: PersonPrincipal): boolean =>
  deps.clock.now().getTime() - person.signedInAt.getTime() <= RECENT_MS;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True when a cookie-authenticated request comes from one of our own pages, by `Sec-Fetch-Site` or else `Origin`. False without both
 * headers, and for any request from another site.
 */
export function isFromOurPages(deps: Pick<Deps, 'origins'>, request: FastifyRequest): boolean {
  if (SAFE.has(request.method)) return true;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return true;
  if (site !== undefined && site !== 'none') return false;
  return request.headers.origin === new URL(deps.origins.public).origin;
}

/** True for a change that its page meant for the other mode: the person switched in another tab. A page says its mode in `Firsthand-Mode`. */
export function isOfOtherMode({ method, headers }: FastifyRequest, { livemode }: PersonPrincipal): boolean {
  const meant = headers['firsthand-mode'];
  return meant !== undefined && !SAFE.has(method) && meant !== (livemode ? 'live' : 'test');
}

/** The same check for a sign-in request. It also allows requests without both headers, because such a client is not a browser. */
export function mayOpenSession(deps: Pick<Deps, 'origins'>, request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (origin === undefined && site === undefined) || isFromOurPages(deps, request);
}
