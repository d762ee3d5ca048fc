import { isId } from '@firsthand/contract/ids.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type Principal, readableModes } from '../http/principal.ts';
import { forbidden, notFound, Problem, unauthorized } from '../http/problem.ts';
import type { Guard } from '../http/register.ts';
import { fromBearer } from './bearer.ts';
import { fromBot } from './bot.ts';

const PER_VERIFICATION = 120;
const PER_ADDRESS = 600;
const WINDOW_SECONDS = 60;

const header = (request: FastifyRequest, name: string): string | null => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
};

/** Turns credentials into principals and keeps everyone to what is theirs. */
export function createGuard(deps: Deps): Guard {
  const window = { duration: WINDOW_SECONDS };
  const tenants = new RateLimiterMemory({ ...window, points: deps.config.rateLimitPerMinute });
  const verifications = new RateLimiterMemory({ ...window, points: PER_VERIFICATION });
  const addresses = new RateLimiterMemory({ ...window, points: PER_ADDRESS });

  return {
    async fromHeaders(request, endpoint) {
      const [scheme, token] = (header(request, 'authorization') ?? '').split(' ', 2);
      if (scheme?.toLowerCase() === 'bearer' && token) {
        const principal = await fromBearer(deps, token);
        if (!principal) throw unauthorized();
        if (!endpoint.credentials.includes(principal.kind)) throw forbidden();
        return principal;
      }
      if (endpoint.credentials.includes('bot') && header(request, 'x-bot-auth') !== null) return null;
      throw unauthorized();
    },

    async fromBody(request, raw) {
      const signature = header(request, 'x-bot-auth');
      const timestamp = header(request, 'x-bot-auth-timestamp');
      const principal = signature && timestamp ? await fromBot(deps, { signature, timestamp }, raw) : null;
      if (!principal) throw unauthorized();
      return principal;
    },

    async target(id, principal) {
      if (!isId('vfy', id)) throw notFound();
      const known = principal
        ? await one(deps.db, 'select 1 from verifications where id = $1 and tenant_id = $2 and livemode = any($3)', [
            id,
            principal.tenantId,
            readableModes(principal),
          ])
        : await one(deps.db, 'select 1 from verifications where id = $1', [id]);
      if (!known) throw notFound();
    },

    async limit(request, reply, _endpoint: Endpoint, principal: Principal | null) {
      if (principal) {
        await consume(tenants, principal.tenantId, reply);
        return;
      }
      await consume(addresses, request.ip, reply);
      const { token, id } = request.params as Record<string, string | undefined>;
      const verification = token ?? id;
      if (verification) await consume(verifications, verification, reply);
    },
  };
}

async function consume(limiter: RateLimiterMemory, key: string, reply: FastifyReply): Promise<void> {
  const result = await limiter.consume(key).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1_000));
  reply.header('ratelimit-limit', String(limiter.points));
  reply.header('ratelimit-remaining', String(result.remainingPoints));
  reply.header('ratelimit-reset', String(seconds));
  if (result.consumedPoints > limiter.points) {
    throw new Problem('too_many_requests', 'Too many requests; try again later.', { retryAfterSeconds: seconds });
  }
}
