import { setTimeout as sleep } from 'node:timers/promises';
import { isId } from '@firsthand/contract/base/ids.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Endpoint, rulesFor } from '../../platform/http/endpoint.ts';
import { isApp, type Principal, readableModes } from '../../platform/http/principal.ts';
import {
  forbidden,
  invalid,
  modeChanged,
  notFound,
  type Problem,
  reauthenticationRequired,
} from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/register.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import type { Limiter, Permit } from '../../platform/limits/limiter.ts';
import { bearerOf, fromBearer, isInForce } from './bearer.ts';
import { type BotRequest, botFor, botRequestOf, claimSignature, isSigned, releaseSignature } from './bot.ts';
import { fromCaptureToken, insiderOf, notForStaff } from './capture.ts';
import {
  accountPermit,
  addressPermit,
  limitMessages,
  personPermit,
  signInPermit,
  spendBytes,
  takePermits,
  tell,
  tenantPermit,
  verificationPermit,
} from './limits.ts';
import { forbiddenFor, unauthorizedFor } from './refusals.ts';
import { fromSession, isFromOurPages, isOfOtherMode, isRecent, mayOpenSession } from './session.ts';

interface Refused {
  principal: Principal;
  until: number;
}

/** A rejected key is not looked up again for this long. A revoked key may get 429 instead of 401 in that time. */
const REFUSED_MS = 1_000;
/** Maximum number of keys that a node keeps state for. */
const REMEMBERED = 10_000;
const REFUSAL_DELAY_MS = 50;
/** A key or session that was accepted within this time is looked up even when others have used up the limit of its address. */
const KNOWN_MS = 60_000;

type GuardDeps = Pick<Deps, 'config' | 'db' | 'sessionTokens' | 'origins' | 'clock'>;

/** What a node remembers of credentials, and the refusals that come before their lookup. */
function createMemory(deps: GuardDeps, limiter: Limiter) {
  const refused = new Map<string, Refused>();
  const known = new Map<string, number>();
  function remember<V>(map: Map<string, V>, key: string, value: V): void {
    if (map.size >= REMEMBERED) map.clear();
    map.set(key, value);
  }
  return {
    accepted: (digest: string) => remember(known, digest, Date.now() + KNOWN_MS),
    forget: (digest: string) => known.delete(digest),

    /** Notes a key that has used up its limit. */
    noteLimit(digest: string, principal: Principal): void {
      if (!limiter.refused(tenantPermit(deps.config, principal).key)) return;
      remember(refused, digest, { principal, until: Date.now() + REFUSED_MS });
    },

    /**
     * Answers a key that has used up its limit with 429, without a lookup and after a delay. Otherwise clients that retry immediately
     * would occupy the node with refusals and slow every other tenant.
     */
    async refuseAgain(digest: string, reply: FastifyReply, endpoint: Endpoint): Promise<void> {
      const last = refused.get(digest);
      if (!last) return;
      const standing = last.until > Date.now() ? limiter.refused(tenantPermit(deps.config, last.principal).key) : null;
      if (!standing) {
        refused.delete(digest);
        return;
      }
      if (mayOpen(endpoint, last.principal)) {
        await sleep(REFUSAL_DELAY_MS);
        tell(reply, standing);
      }
    },

    /** Throws 429 before the lookup when the address has used up its limit of rejected credentials, unless this one is known. */
    async refuseAddress(digest: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if ((known.get(digest) ?? 0) > Date.now()) return;
      const standing = limiter.refused(addressPermit('address', request.ip).key);
      if (!standing) return;
      await sleep(REFUSAL_DELAY_MS);
      tell(reply, standing);
    },
  };
}

const digestOf = (credential: string): string => sha256(credential).toString('base64');

/** Counts a rejected credential against its address. Throws `problem`, or 429 when the address has used up its limit. */
async function refuse(
  limiter: Limiter,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): Promise<never> {
  const [standing] = await limiter.take([addressPermit('address', request.ip)]);
  if (!standing!.allowed) tell(reply, standing!);
  throw problem;
}

/** Reads the principal of a request's headers: an API key, or else the cookie of a session. Null where the body decides. */
function createHeaderReader(deps: GuardDeps, limiter: Limiter): Guard['fromHeaders'] {
  const memory = createMemory(deps, limiter);
  const refusal = (request: FastifyRequest, endpoint: Endpoint) =>
    unauthorizedFor(request, endpoint, deps.config.sessionCookie);

  async function fromCookie(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint) {
    const cookie = request.cookies[deps.config.sessionCookie];
    const digest = digestOf(cookie ?? '');
    await memory.refuseAddress(digest, request, reply);
    if (request.headers['x-bot-auth'] !== undefined) return null;
    const person = cookie === undefined ? null : await fromSession(deps, cookie);
    if (!person || !isFromOurPages(deps, request) || !mayOpen(endpoint, person)) {
      memory.forget(digest);
      return refuse(limiter, request, reply, person ? forbiddenFor(endpoint, person) : refusal(request, endpoint));
    }
    memory.accepted(digest);
    if (isOfOtherMode(request, person)) throw modeChanged(person.livemode);
    if (endpoint.recent && !isRecent(deps, person)) throw reauthenticationRequired();
    return person;
  }

  async function fromKey(token: string, request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint) {
    const digest = digestOf(token);
    await memory.refuseAgain(digest, reply, endpoint);
    await memory.refuseAddress(digest, request, reply);
    const principal = await fromBearer(deps, token);
    if (!principal || !mayOpen(endpoint, principal)) {
      memory.forget(digest);
      return refuse(
        limiter,
        request,
        reply,
        principal ? forbiddenFor(endpoint, principal) : refusal(request, endpoint),
      );
    }
    memory.accepted(digest);
    memory.noteLimit(digest, principal);
    return principal;
  }

  return (request, reply, endpoint) => {
    const token = bearerOf(request.headers.authorization);
    return token === null ? fromCookie(request, reply, endpoint) : fromKey(token, request, reply, endpoint);
  };
}

/** The limits of a request without an account. */
function openPermits(request: FastifyRequest, { addressLimit, path, target }: Endpoint): Permit[] {
  const permits: Permit[] = [addressPermit('address', request.ip)];
  if (addressLimit === 'sign_in') permits.push(signInPermit(path, request.ip));
  else if (addressLimit) permits.push(addressPermit(addressLimit, request.ip));
  const id = target && (request.params as Record<string, string>)[target];
  if (id && isId('vfy', id)) permits.push(verificationPermit(id));
  return permits;
}

/** Throws 404 unless the id names a verification that the principal may see. */
async function requireVerification({ db }: Pick<Deps, 'db'>, id: string, principal: Principal): Promise<void> {
  const known =
    isId('vfy', id) &&
    (await one(db, 'select 1 from verifications where id = $1 and tenant_id = $2 and livemode = any($3)', [
      id,
      principal.tenantId,
      readableModes(principal),
    ]));
  if (!known) throw notFound();
}

/** The holder of a link. Throws 404 for an unknown one, and 403 for staff who may not send photos. */
async function claimantOf(deps: GuardDeps, id: string, request: FastifyRequest, endpoint: Endpoint) {
  const principal = await fromCaptureToken(deps, id);
  if (!principal) throw notFound();
  if (!endpoint.asClaimant) return principal;
  const insider = await insiderOf(deps, request, principal.tenantId);
  if (insider && !hasRole(insider.role, 'member')) throw notForStaff();
  return { ...principal, personId: insider?.id ?? null };
}

/**
 * Turns credentials into principals and enforces limits and roles. Each endpoint lists the credentials it accepts; the OpenAPI `security`
 * sections are made from the same list.
 */
export function createGuard(deps: GuardDeps, limiter: Limiter): Guard {
  const claims = new WeakMap<FastifyRequest, BotRequest>();
  return {
    fromHeaders: createHeaderReader(deps, limiter),

    async fromBody(request, reply, endpoint, { raw, parse }) {
      const bot = botRequestOf(request.headers, raw);
      if (!bot || !isSigned(deps, bot))
        return refuse(limiter, request, reply, unauthorizedFor(request, endpoint, deps.config.sessionCookie));
      const { value, fault } = await parse();
      if (fault) throw invalid([fault]);
      const principal = await botFor(deps, value);
      if (!mayOpen(endpoint, principal)) return refuse(limiter, request, reply, forbiddenFor(endpoint, principal));
      const claim = await claimSignature(deps, bot);
      if (claim === 'replay')
        return refuse(limiter, request, reply, unauthorizedFor(request, endpoint, deps.config.sessionCookie));
      if (claim === 'first') claims.set(request, bot);
      return principal;
    },

    fromPath: (id, request, endpoint) => claimantOf(deps, id, request, endpoint),

    async admitBody(request, reply, endpoint, body) {
      const { principal } = request;
      if (principal?.kind !== 'session') return;
      const rules = rulesFor(endpoint, body);
      const missing = rules.find(({ role }) => role && !hasRole(principal.role, role))?.role;
      if (missing) return refuse(limiter, request, reply, forbiddenFor(endpoint, principal, missing));
      if (rules.length > 0 && !isRecent(deps, principal)) throw reauthenticationRequired();
    },

    target: (id, principal) => requireVerification(deps, id, principal),

    isErased: async (db, id) =>
      (await one(db, 'select 1 from verifications where id = $1 and redacted_at is not null', [id])) !== undefined,

    async limit(request, reply, endpoint, principal) {
      if (principal?.kind === 'session') return takePermits(limiter, reply, [personPermit(principal.userId)]);
      if (principal) return takePermits(limiter, reply, [tenantPermit(deps.config, principal)]);
      if (endpoint.credentials.includes('sign_in') && !mayOpenSession(deps, request)) throw forbidden();
      return takePermits(limiter, reply, openPermits(request, endpoint));
    },

    async stillAdmitted({ principal, cookies }, endpoint) {
      if (principal && 'keyId' in principal) return isInForce(deps.db, principal.keyId);
      if (principal?.kind !== 'session') return true;
      const person = await fromSession(deps, cookies[deps.config.sessionCookie] ?? '', { seen: false });
      return person?.tenantId === principal.tenantId && mayOpen(endpoint, person);
    },

    limitAccount: (reply, way, account) => takePermits(limiter, reply, [accountPermit(way, account)]),

    limitMessages: (reply, verificationId, to) => limitMessages(limiter, reply, { verificationId, to }),

    spendBytes: (permits, bytes) => spendBytes(limiter, permits, bytes),

    async release(request) {
      const claim = claims.get(request);
      if (claim) await releaseSignature(deps.db, claim);
    },
  };
}

/** True when the endpoint accepts this kind of credential, the scopes of a key and the role of a person. */
function mayOpen(endpoint: Endpoint, principal: Principal): boolean {
  if (!endpoint.credentials.includes(principal.kind)) return false;
  if (isApp(principal)) return !!endpoint.scope && principal.scopes.includes(endpoint.scope);
  return principal.kind !== 'session' || hasRole(principal.role, endpoint.role ?? 'viewer');
}
