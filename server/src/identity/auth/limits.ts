import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../platform/config/config.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { Problem } from '../../platform/http/problem.ts';
import { sha256Hex } from '../../platform/lib/keyring.ts';
import { createLimiter, type Limiter, type Permit, type Standing } from '../../platform/limits/limiter.ts';
import { createPostgresStore } from '../../platform/limits/postgres.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MB = 1_048_576;
/** The unit of the windows that count bytes: PostgreSQL counts to 2³¹. */
const UNIT_BYTES = 1_024;

/** Limits for requests without a tenant, per address or per verification. */
const OPEN_LIMITS = {
  verification: { limit: 120, windowMs: MINUTE_MS },
  address: { limit: 600, windowMs: MINUTE_MS },
  trial: { limit: 10, windowMs: 60 * MINUTE_MS },
  link: { limit: 60, windowMs: MINUTE_MS },
} as const;
/** Bytes that an address may send within an hour to verifications that anyone can open. */
const OPEN_BYTES = { trial: 128 * MB, link: 1_024 * MB } as const;
const SIGN_IN_LIMIT = { limit: 10, windowMs: 10 * MINUTE_MS } as const;
export type AddressLimit = 'address' | 'trial' | 'link';

/** The limiter of this node. All nodes share the windows, in Redis or else in the database. */
export async function openLimiter({ config, db, log }: Pick<Deps, 'config' | 'db' | 'log'>): Promise<Limiter> {
  const shared = createPostgresStore(db);
  if (!config.redisUrl) return createLimiter([shared], log);
  const { openRedisStore } = await import('../../platform/limits/redis.ts');
  return createLimiter([await openRedisStore(config.redisUrl, log), shared], log);
}

/** A tenant has separate windows for live and test traffic, so a test run never blocks live requests. */
export const tenantPermit = (config: Config, principal: Principal): Permit => ({
  key: `tenant:${principal.tenantId}:${principal.livemode ? 'live' : 'test'}`,
  limit: principal.requestsPerMinute ?? config.rateLimitPerMinute,
  windowMs: MINUTE_MS,
});

export const addressPermit = (name: AddressLimit, ip: string): Permit => ({
  key: `${name}:${networkOf(ip)}`,
  ...OPEN_LIMITS[name],
});

/** Attempts at one sign-in method from one address. */
export const signInPermit = (path: string, ip: string): Permit => ({
  key: `sign_in:${path}:${networkOf(ip)}`,
  ...SIGN_IN_LIMIT,
});

/** Attempts at one sign-in method for one account, from any address. */
export const accountPermit = (way: string, account: string): Permit => ({
  key: `sign_in:${way}:${sha256Hex(account)}`,
  ...SIGN_IN_LIMIT,
});

/** Requests of a signed-in person over all sessions. */
export const personPermit = (personId: string): Permit => ({
  key: `person:${personId}`,
  limit: 600,
  windowMs: MINUTE_MS,
});

export const verificationPermit = (id: string): Permit => ({ key: `verification:${id}`, ...OPEN_LIMITS.verification });

const bytePermit = (key: string, bytes: number): Permit => ({
  key,
  limit: Math.ceil(bytes / UNIT_BYTES),
  windowMs: HOUR_MS,
});

/** Bytes that a verification takes within an hour. */
export const verificationBytes = (id: string, bytes: number): Permit => bytePermit(`bytes:${id}`, bytes);

/** Bytes that one address sends within an hour to all trials, or to everything that was opened by a shared link. */
export const addressBytes = (name: keyof typeof OPEN_BYTES, ip: string): Permit =>
  bytePermit(`bytes_${name}:${networkOf(ip)}`, OPEN_BYTES[name]);

/** Counts bytes in every window. Throws 429 when one was full before; the upload that fills it is the last one taken. */
export async function spendBytes(limiter: Limiter, permits: readonly Permit[], bytes: number): Promise<void> {
  const refusal = await limiter.spend(permits, Math.max(1, Math.ceil(bytes / UNIT_BYTES)));
  if (!refusal) return;
  throw new Problem('too_many_requests', 'Too many bytes were sent here. Try again after the time in Retry-After.', {
    retryAfterSeconds: Math.max(1, Math.ceil((refusal.waitMs ?? 0) / 1_000)),
  });
}

/** Identifies one sender: an IPv4 address, or the /64 prefix of an IPv6 subscriber. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().map((byte, index) => (index < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/** Takes every permit and reports the tightest one in the RateLimit headers. Throws 429 when one is refused. */
export async function takePermits(limiter: Limiter, reply: FastifyReply, permits: readonly Permit[]): Promise<void> {
  const standings = await limiter.take(permits);
  tell(
    reply,
    standings.reduce((a, b) => (tightness(b) < tightness(a) ? b : a)),
  );
}

/**
 * Counts a link that is sent: to one e-mail address or phone number, and of one verification. Throws 429. Otherwise the RateLimit
 * headers stay those of the account.
 */
export async function limitMessages(
  limiter: Limiter,
  reply: FastifyReply,
  { verificationId, to }: { verificationId: string; to: string },
): Promise<void> {
  const standings = await limiter.take([
    { key: `message_to:${sha256Hex(to)}`, limit: 5, windowMs: HOUR_MS },
    { key: `message_of:${verificationId}`, limit: 10, windowMs: 24 * HOUR_MS },
  ]);
  const refused = standings.find(({ allowed }) => !allowed);
  if (refused) tell(reply, refused);
}

/** Writes the RateLimit headers. Throws 429 for a refusal. */
export function tell(reply: FastifyReply, standing: Standing): void {
  const seconds = Math.max(1, Math.ceil((standing.waitMs ?? standing.resetMs) / 1_000));
  reply.header('ratelimit-limit', String(standing.limit));
  reply.header('ratelimit-remaining', String(standing.remaining));
  reply.header('ratelimit-reset', String(seconds));
  if (!standing.allowed) {
    throw new Problem('too_many_requests', 'Too many requests. Try again after the time in Retry-After.', {
      retryAfterSeconds: seconds,
    });
  }
}

/** Orders refused permits first, longest wait first; then allowed ones by what remains. */
const tightness = (standing: Standing): number => (standing.allowed ? standing.remaining : -1 - (standing.waitMs ?? 0));
