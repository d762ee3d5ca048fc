import type { SessionEntry } from '@firsthand/contract/people.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { many, one, type Queryable, type Tx } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { servedModes } from '../http/principal.ts';
import { rootOf } from '../http/root.ts';
import { newId } from '../lib/ids.ts';
import { audit, originOf } from '../tenants/audit.ts';
import { reclaim } from './persons.ts';

export const IDLE_MS = 30 * 60_000;
const LIFE_MS = 12 * 60 * 60_000;
/** The greatest age of a sign-in that sensitive acts accept. */
export const RECENT_MS = 15 * 60_000;

export type Method = 'passkey' | 'magic_link' | 'invitation' | 'one_time_code' | 'first_run' | `oidc:${string}`;

export interface SignIn {
  personId: string;
  method: Method;
  /** The account that the session opens in; null: the one the person used last. */
  tenantId?: string | null;
  /** True if this way to sign in proves that the person owns the address or number. */
  proves: boolean;
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
 * Opens a new session, ends the one that the browser had before, and records this in the audit log.
 * Returns null for a person who was removed or has no account.
 */
export async function openSession(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'clock' | 'sessionTokens'>,
  request: FastifyRequest,
  { personId, method, tenantId = null, proves }: SignIn,
): Promise<OpenedSession | null> {
  const now = deps.clock.now();
  const person = await one<{ proven: boolean; last_tenant_id: string | null; last_livemode: boolean | null }>(
    tx,
    `select proven_at is not null as proven, last_tenant_id, last_livemode from persons
     where id = $1 and removed_at is null for update`,
    [personId],
  );
  const membership = await membershipFor(tx, personId, tenantId ?? person?.last_tenant_id ?? null);
  if (!person || !membership) return null;
  if (proves && !person.proven) {
    await reclaim(tx, personId, now);
    await tx.query('update persons set proven_at = $2 where id = $1', [personId, now]);
  }
  const before = await presentedSession(deps, request);
  if (before) await tx.query('update sessions set ended_at = $2 where id = $1 and ended_at is null', [before, now]);

  const modes = servedModes(deps.config.mode);
  const livemode = modes.includes(person.last_livemode ?? true) ? (person.last_livemode ?? true) : modes[0]!;
  const id = newId('ses', now.getTime());
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  const origin = originOf(request);
  await tx.query(
    `insert into sessions (id, person_id, tenant_id, livemode, method, address, device, created_at, last_seen_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
    [id, personId, membership.tenant_id, livemode, method, origin.address, origin.device, now, expiresAt],
  );
  await tx.query('update persons set last_sign_in_at = $2, last_tenant_id = $3, last_livemode = $4 where id = $1', [
    personId,
    now,
    membership.tenant_id,
    livemode,
  ]);
  await audit(
    tx,
    { tenantId: membership.tenant_id, actor: { kind: 'session', id: personId }, at: now, ...origin },
    { action: 'session.started', target: id, detail: { method } },
  );
  const token = await deps.sessionTokens.sign({ sessionId: id, personId, issuedAt: now, expiresAt });
  return { id, personId, tenantId: membership.tenant_id, livemode, token };
}

/** The membership a session opens with: in the requested account, else in the one the person joined first. */
export const membershipFor = (db: Queryable, personId: string, tenantId: string | null) =>
  one<{ tenant_id: string }>(
    db,
    `select tenant_id from memberships where person_id = $1
     order by (tenant_id = $2) desc nulls last, created_at, tenant_id limit 1`,
    [personId, tenantId],
  );

/**
 * Records a failed sign-in as this person, in the account where the session would have opened. Records nothing for a
 * person without an account.
 */
export async function recordFailure(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: FastifyRequest,
  personId: string,
  detail: { method: Method; reason: string },
): Promise<void> {
  const membership = await membershipFor(deps.db, personId, null);
  if (!membership) return;
  await audit(
    deps.db,
    { tenantId: membership.tenant_id, actor: { kind: 'system' }, at: deps.clock.now(), ...originOf(request) },
    { action: 'session.refused', target: personId, detail },
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

/** The sessions to end: a person's, everywhere or in one account; one of them, or all but one. */
export interface Ending {
  personId: string;
  tenantId?: string;
  id?: string;
  except?: string;
}

/** Ends open sessions and returns their ids. After the commit every node rejects them. */
export async function endSessions(tx: Queryable, at: Date, o: Ending): Promise<string[]> {
  const rows = await many<{ id: string }>(
    tx,
    `update sessions set ended_at = $2
     where person_id = $1 and ended_at is null and ($3::text is null or tenant_id = $3)
       and ($4::text is null or id = $4) and ($5::text is null or id <> $5)
     returning id`,
    [o.personId, at, o.tenantId ?? null, o.id ?? null, o.except ?? null],
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

/** The open sessions of a person, newest first. */
export const standingSessions = (db: Queryable, personId: string, now: Date) =>
  many<SessionRow>(
    db,
    `select id, method, address, device, created_at, last_seen_at, expires_at from sessions s
     where s.person_id = $1 and ${STANDS} order by created_at desc`,
    [personId, now, new Date(now.getTime() - IDLE_MS)],
  );

/** Notes that a session was used, unless another node has done so since `seenBefore`. */
export async function noteSessionUse(db: Queryable, id: string, o: { now: Date; seenBefore: Date }): Promise<void> {
  await db.query('update sessions set last_seen_at = $2 where id = $1 and last_seen_at < $3', [
    id,
    o.now,
    o.seenBefore,
  ]);
}
