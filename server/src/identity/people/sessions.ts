import type { SessionEntry } from '@firsthand/contract/people/people.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { servedModes } from '../../platform/http/principal.ts';
import { rootOf } from '../../platform/http/root.ts';
import { newId } from '../../platform/lib/ids.ts';
import { type Activity, audit, originOf } from '../audit/audit.ts';
import { enterBy, type Opening, type Place, placesOf } from './openings.ts';

export const IDLE_MS = 30 * 60_000;
const LIFE_MS = 12 * 60 * 60_000;
/** The greatest age of a sign-in that sensitive actions accept. */
export const RECENT_MS = 15 * 60_000;

export type Method = 'passkey' | 'magic_link' | 'invitation' | 'one_time_code' | 'first_run' | `oidc:${string}`;

export interface SignIn {
  method: Method;
  /** The persons that this sign-in opens. */
  openings: readonly Opening[];
  /** The person whose account the session begins in; null: the account used last. */
  prefer?: string | null;
}

export interface OpenedSession {
  id: string;
  personId: string;
  tenantId: string;
  livemode: boolean;
  /** Value of the session cookie. */
  token: string;
}

/**
 * Opens a new session, ends the one that the browser had before, and records this in the audit log. Signing in accepts
 * the invitation of the account that the session begins in; others wait until the person switches there.
 * Returns null if the openings lead to no account.
 */
export async function openSession(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'clock' | 'sessionTokens'>,
  request: FastifyRequest,
  { method, openings, prefer = null }: SignIn,
): Promise<OpenedSession | null> {
  const now = deps.clock.now();
  const places = await placesOf(tx, openings, prefer);
  const [place] = places;
  if (!place || !(await enterBy(tx, place, now))) return null;
  const { personId, tenantId } = place;
  const before = await presentedSession(deps, request);
  if (before) await tx.query('update sessions set ended_at = $2 where id = $1 and ended_at is null', [before, now]);

  const modes = servedModes(deps.config.mode);
  const livemode = modes.includes(place.livemode ?? true) ? (place.livemode ?? true) : modes[0]!;
  const id = newId('ses', now.getTime());
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  const origin = originOf(request);
  await tx.query(
    `insert into sessions (id, person_id, tenant_id, livemode, method, address, device, created_at, last_seen_at, expires_at, last_visit_at)
     select $1, p.id, $3, $4, $5, $6, $7, $8, $8, $9, case when b.id is null then p.last_seen_at else b.last_visit_at end
     from persons p left join sessions b on b.id = $10 and b.person_id = p.id and b.last_seen_at > $11 where p.id = $2`,
    [
      id,
      personId,
      tenantId,
      livemode,
      method,
      origin.address,
      origin.device,
      now,
      expiresAt,
      // Signing in again in the same browser goes on with the same visit.
      before,
      new Date(now.getTime() - IDLE_MS),
    ],
  );
  await tx.query(
    `insert into session_persons (session_id, person_id, proof)
     select $1, o.person_id, o.proof from unnest($2::text[], $3::text[]) as o (person_id, proof) on conflict do nothing`,
    [id, places.map(one => one.personId), places.map(one => one.proof)],
  );
  await noteUse(tx, { personId, livemode, at: now });
  await audit(
    tx,
    { tenantId, actor: { kind: 'session', id: personId }, at: now, ...origin },
    { action: 'session.started', target: id, detail: { method } },
  );
  const token = await deps.sessionTokens.sign({ sessionId: id, personId, issuedAt: now, expiresAt });
  return { id, personId, tenantId, livemode, token };
}

const noteUse = (tx: Tx, { personId, livemode, at }: { personId: string; livemode: boolean; at: Date }) =>
  tx.query('update persons set last_sign_in_at = $2, last_seen_at = $2, last_livemode = $3 where id = $1', [
    personId,
    at,
    livemode,
  ]);

/** Moves an open session to another account that it opens, and accepts the invitation there. False if it has ended. */
export async function moveSession(
  tx: Tx,
  activity: Activity,
  sessionId: string,
  { place, livemode }: { place: Place; livemode: boolean },
): Promise<boolean> {
  const { personId, tenantId } = place;
  if (!(await enterBy(tx, place, activity.at))) return false;
  const moved = await one(
    tx,
    `update sessions set person_id = $2, tenant_id = $3, livemode = $4,
       last_visit_at = case when person_id = $2 then last_visit_at else (select last_seen_at from persons where id = $2) end
     where id = $1 and ended_at is null
       and exists (select 1 from session_persons where session_id = $1 and person_id = $2)
     returning 1 as moved`,
    [sessionId, personId, tenantId, livemode],
  );
  if (!moved) return false;
  await noteUse(tx, { personId, livemode, at: activity.at });
  await audit(
    tx,
    { ...activity, tenantId, actor: { kind: 'session', id: personId } },
    { action: 'session.switched', target: sessionId },
  );
  return true;
}

/**
 * Records a failed sign-in in the account where the session would have begun. Records nothing where the openings lead to
 * no account.
 */
export async function recordFailure(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: FastifyRequest,
  openings: readonly Opening[],
  detail: { method: Method; reason: string },
  prefer: string | null = null,
): Promise<void> {
  const [place] = await placesOf(deps.db, openings, prefer);
  if (!place) return;
  await audit(
    deps.db,
    { tenantId: place.tenantId, actor: { kind: 'system' }, at: deps.clock.now(), ...originOf(request) },
    { action: 'session.refused', target: place.personId, detail },
  );
}

/** The session id in the cookie of a request, even if the session has ended. */
const presentedSession = async (deps: Pick<Deps, 'config' | 'clock' | 'sessionTokens'>, request: FastifyRequest) => {
  const cookie = request.cookies[deps.config.sessionCookie];
  return cookie ? deps.sessionTokens.verify(cookie, deps.clock.now()) : null;
};

const onThisMachine = (origin: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin);

/** A session cookie. Scripts and other sites cannot read it, and it travels over TLS, except on this machine. */
export const cookieOptions = (deps: Pick<Deps, 'origins'>) =>
  ({
    path: rootOf(deps.origins.public) || '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: !onThisMachine(deps.origins.public),
  }) as const;

export function setSessionCookie(deps: Pick<Deps, 'config' | 'origins'>, reply: FastifyReply, token: string): void {
  reply.setCookie(deps.config.sessionCookie, token, { ...cookieOptions(deps), maxAge: LIFE_MS / 1_000 });
}

export function clearSessionCookie(deps: Pick<Deps, 'config' | 'origins'>, reply: FastifyReply): void {
  reply.clearCookie(deps.config.sessionCookie, cookieOptions(deps));
}

/** The sessions to end: those in some accounts, as these persons; one of them, or all but one. */
export interface Ending {
  persons: readonly string[];
  id?: string;
  except?: string;
}

/** Ends open sessions and returns their ids. After the commit every node rejects them. */
export async function endSessions(tx: Queryable, at: Date, o: Ending): Promise<string[]> {
  const rows = await many<{ id: string }>(
    tx,
    `update sessions set ended_at = $2
     where person_id = any($1) and ended_at is null
       and ($3::text is null or id = $3) and ($4::text is null or id <> $4)
     returning id`,
    [o.persons, at, o.id ?? null, o.except ?? null],
  );
  return rows.map(row => row.id);
}

export interface SessionRow {
  id: string;
  method: string;
  address: string;
  device: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

const endOf = (row: Pick<SessionRow, 'last_seen_at' | 'expires_at'>): string =>
  new Date(Math.min(row.expires_at.getTime(), row.last_seen_at.getTime() + IDLE_MS)).toISOString();

export const presentSession = (
  row: Pick<SessionRow, 'id' | 'method' | 'created_at' | 'last_seen_at' | 'expires_at'>,
) => ({
  id: row.id,
  method: row.method,
  created_at: row.created_at.toISOString(),
  expires_at: endOf(row),
});

export const presentEntry = (row: SessionRow, currentId: string): SessionEntry => ({
  ...presentSession(row),
  last_seen_at: row.last_seen_at.toISOString(),
  address: row.address,
  device: row.device,
  current: row.id === currentId,
});

/** SQL: the session `s` is open at `$2`. `$3` is that time minus the idle limit. */
export const STANDS = 's.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3';

/** The open sessions in the accounts of these persons, newest first. */
export const standingSessions = (db: Queryable, persons: readonly string[], now: Date) =>
  many<SessionRow>(
    db,
    `select id, method, address, device, created_at, last_seen_at, expires_at from sessions s
     where s.person_id = any($1) and ${STANDS} order by created_at desc`,
    [persons, now, new Date(now.getTime() - IDLE_MS)],
  );

/** Notes that a session was used, unless another node has done so since `seenBefore`. */
export async function noteSessionUse(db: Queryable, id: string, o: { now: Date; seenBefore: Date }): Promise<void> {
  await db.query(
    `with used as (update sessions set last_seen_at = $2 where id = $1 and last_seen_at < $3 returning person_id)
     update persons set last_seen_at = $2 from used where persons.id = used.person_id`,
    [id, o.now, o.seenBefore],
  );
}
