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
  notFound,
  type Problem,
  reauthenticationRequired,
  unauthorized,
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
  personPermit,
  signInPermit,
  spendBytes,
  takePermits,
  tell,
  tenantPermit,
  verificationPermit,
} from './limits.ts';
import { fromSession, isFromOurPages, isRecent, mayOpenSession } from './session.ts';

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

/**
 * Turns credentials into principals and enforces limits and roles. Each endpoint lists the credentials it accepts; the OpenAPI `security`
 * sections are made from the same list.
 */
export function createGuard(
  deps: Pick<Deps, 'config' | 'db' | 'sessionTokens' | 'origins' | 'clock'>,
  limiter: Limiter,
): Guard {
  const claims = new WeakMap<FastifyRequest, BotRequest>();
  const refused = new Map<string, Refused>();
  const known = new Map<string, number>();

  /**
   * Answers a key that has used up its limit with 429, without a lookup and after a delay. Otherwise clients that retry immediately would
   * occupy the node with refusals and slow every other tenant.
   */
  async function refuseAgain(token: string, reply: FastifyReply, endpoint: Endpoint): Promise<void> {
    const last = refused.get(token);
    if (!last) return;
    const standing = last.until > Date.now() ? limiter.refused(tenantPermit(deps.config, last.principal).key) : null;
    if (!standing) {
      refused.delete(token);
      return;
    }
    if (mayOpen(endpoint, last.principal)) {
      await sleep(REFUSAL_DELAY_MS);
      tell(reply, standing);
    }
  }

  /** Throws 429 before the credential lookup when the address has used up its limit of rejected credentials. */
  async function refuseAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const standing = limiter.refused(addressPermit('address', request.ip).key);
    if (!standing) return;
    await sleep(REFUSAL_DELAY_MS);
    tell(reply, standing);
  }

  /** Counts a rejected credential against its address. Throws `problem`, or 429 when the address has used up its limit. */
  async function refuse(request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<never> {
    const [standing] = await limiter.take([addressPermit('address', request.ip)]);
    if (!standing!.allowed) tell(reply, standing!);
    throw problem;
  }

  const isKnown = (digest: string): boolean => (known.get(digest) ?? 0) > Date.now();

  function remember<V>(map: Map<string, V>, key: string, value: V): void {
    if (map.size >= REMEMBERED) map.clear();
    map.set(key, value);
  }

  return {
    async fromHeaders(request, reply, endpoint) {
      const { headers } = request;
      const token = bearerOf(headers.authorization);
      if (token === null) {
        const cookie = request.cookies[deps.config.sessionCookie];
        const digest = sha256(cookie ?? '').toString('base64');
        if (!isKnown(digest)) await refuseAddress(request, reply);
        if (headers['x-bot-auth'] !== undefined) return null;
        const person = cookie === undefined ? null : await fromSession(deps, cookie);
        if (!person || !isFromOurPages(deps, request) || !mayOpen(endpoint, person)) {
          known.delete(digest);
          return refuse(request, reply, person ? forbidden() : unauthorized());
        }
        remember(known, digest, Date.now() + KNOWN_MS);
        if (endpoint.recent && !isRecent(deps, person)) throw reauthenticationRequired();
        return person;
      }
      const digest = sha256(token).toString('base64');
      await refuseAgain(digest, reply, endpoint);
      if (!isKnown(digest)) await refuseAddress(request, reply);
      const principal = await fromBearer(deps, token);
      if (!principal || !mayOpen(endpoint, principal)) {
        known.delete(digest);
        return refuse(request, reply, principal ? forbidden() : unauthorized());
      }
      remember(known, digest, Date.now() + KNOWN_MS);
      if (limiter.refused(tenantPermit(deps.config, principal).key)) {
        remember(refused, digest, { principal, until: Date.now() + REFUSED_MS });
      }
      return principal;
    },

    async fromBody(request, reply, endpoint, { raw, parse }) {
      const bot = botRequestOf(request.headers, raw);
      if (!bot || !isSigned(deps, bot)) return refuse(request, reply, unauthorized());
      const { value, fault } = await parse();
      if (fault) throw invalid([fault]);
      const principal = await botFor(deps, value);
      if (!mayOpen(endpoint, principal)) return refuse(request, reply, forbidden());
      const claim = await claimSignature(deps, bot);
      if (claim === 'replay') return refuse(request, reply, unauthorized());
      if (claim === 'first') claims.set(request, bot);
      return principal;
    },

    async fromPath(id, request, endpoint) {
      const principal = await fromCaptureToken(deps, id);
      if (!principal) throw notFound();
      if (!endpoint.asClaimant) return principal;
      const insider = await insiderOf(deps, request, principal.tenantId);
      if (insider && !hasRole(insider.role, 'member')) throw notForStaff();
      return { ...principal, personId: insider?.id ?? null };
    },

    async admitBody(request, reply, endpoint, body) {
      const { principal } = request;
      if (principal?.kind !== 'session') return;
      const rules = rulesFor(endpoint, body);
      if (rules.some(({ role }) => role && !hasRole(principal.role, role))) return refuse(request, reply, forbidden());
      if (rules.length > 0 && !isRecent(deps, principal)) throw reauthenticationRequired();
    },

    async target(id, principal) {
      if (!isId('vfy', id)) throw notFound();
      const known = await one(
        deps.db,
        'select 1 from verifications where id = $1 and tenant_id = $2 and livemode = any($3)',
        [id, principal.tenantId, readableModes(principal)],
      );
      if (!known) throw notFound();
    },

    isErased: async (db, id) =>
      (await one(db, 'select 1 from verifications where id = $1 and redacted_at is not null', [id])) !== undefined,

    async limit(request, reply, endpoint, principal) {
      if (principal?.kind === 'session') return takePermits(limiter, reply, [personPermit(principal.userId)]);
      if (principal) return takePermits(limiter, reply, [tenantPermit(deps.config, principal)]);
      if (endpoint.credentials.includes('sign_in') && !mayOpenSession(deps, request)) throw forbidden();
      const permits: Permit[] = [addressPermit('address', request.ip)];
      if (endpoint.addressLimit === 'sign_in') permits.push(signInPermit(endpoint.path, request.ip));
      else if (endpoint.addressLimit) permits.push(addressPermit(endpoint.addressLimit, request.ip));
      const id = endpoint.target && (request.params as Record<string, string>)[endpoint.target];
      if (id && isId('vfy', id)) permits.push(verificationPermit(id));
      return takePermits(limiter, reply, permits);
    },

    async stillAdmitted({ principal, cookies }, endpoint) {
      if (principal && 'keyId' in principal) return isInForce(deps.db, principal.keyId);
      if (principal?.kind !== 'session') return true;
      const person = await fromSession(deps, cookies[deps.config.sessionCookie] ?? '', { seen: false });
      return person?.tenantId === principal.tenantId && mayOpen(endpoint, person);
    },

    limitAccount: (reply, way, account) => takePermits(limiter, reply, [accountPermit(way, account)]),

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
