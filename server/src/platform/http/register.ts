import { Readable } from 'node:stream';
import { type Fault, fault, required } from '@firsthand/contract/base/fault.ts';
import { VERIFICATION_ID_PATTERN } from '@firsthand/contract/base/ids.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Queryable } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { isRecord } from '../lib/ask-json.ts';
import { sha256 } from '../lib/keyring.ts';
import type { Permit } from '../limits/limiter.ts';
import { type ParsedBody, parseBody, type ReceivedBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { Answer, Asked, Call, Endpoint } from './endpoint.ts';
import { claimKey, releaseKey, storeAnswer } from './idempotency.ts';
import { type CapturePrincipal, isApp, isOpen, type Principal } from './principal.ts';
import { forbiddenMembers, invalid, notFound } from './problem.ts';
import { compileBody, compileQuery, Faults, type Validator } from './validate.ts';
import { whenEnded } from './when-ended.ts';

/** The checks between a request and its handler; `auth/` makes them. */
export interface Guard {
  /** Finds the principal from the headers. Null: only the body can tell (messaging bot). Throws 401, 403 or 429. */
  fromHeaders(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint): Promise<Principal | null>;
  /** Finds the principal from the body. Throws 401, 403 or 429, and 400 for a body that names no tenant. */
  fromBody(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, body: BotBody): Promise<Principal>;
  /** Applies the endpoint's rules about bodies. Throws 403. */
  admitBody(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, body: unknown): Promise<void>;
  /** Throws 404 when the verification is unknown or belongs to another caller. */
  target(id: string, principal: Principal): Promise<void>;
  /** Finds the principal from the verification id in the path. Throws 404, and 403 for somebody who may not be the claimant. */
  fromPath(id: string, request: FastifyRequest, endpoint: Endpoint): Promise<CapturePrincipal>;
  /** Whether the verification was erased. */
  isErased(db: Queryable, id: string): Promise<boolean>;
  /** Counts the request and sets the RateLimit headers. Throws 429. */
  limit(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, principal: Principal | null): Promise<void>;
  /** Whether the credential of a request in progress still opens the endpoint. */
  stillAdmitted(request: FastifyRequest, endpoint: Endpoint): Promise<boolean>;
  /** Counts an attempt to sign in to one account. Throws 429. */
  limitAccount(reply: FastifyReply, way: string, account: string): Promise<void>;
  /** Counts a link that is sent to this address or number. Throws 429. */
  limitMessages(reply: FastifyReply, verificationId: string, to: string): Promise<void>;
  /** Counts bytes of a picture. Throws 429. */
  spendBytes(permits: readonly Permit[], bytes: number): Promise<void>;
  /** Releases the one-time signature of a failed request, so that it may open again. */
  release(request: FastifyRequest): Promise<void>;
}

/** A signed body. Parse it only after its signature was verified. */
export interface BotBody {
  raw: Buffer;
  parse(): Promise<ParsedBody>;
}

const DEFAULT_BODY_LIMIT = 1_048_576;
/** Of a body that its handler reads. */
const UNREAD: ParsedBody = { value: undefined, images: new Map(), fault: null };
const VERIFICATION_ID = new RegExp(VERIFICATION_ID_PATTERN.slice(1, -1));

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | CapturePrincipal | null;
    received: ReceivedBody | null;
    images: ReadonlyMap<string, Buffer>;
  }
}

/**
 * Registers one endpoint. It checks credential, limit, target, validation and idempotency, then runs the handler, in
 * this order.
 */
export function register(app: FastifyInstance, deps: Deps, guard: Guard, budget: BodyBudget, endpoint: Endpoint): void {
  const checkBody = endpoint.body ? compileBody(endpoint.body, endpoint.faults) : null;
  const checkQuery = compileQuery(endpoint.query ?? Type.Object({}));
  const needsPrincipal = !isOpen(endpoint.credentials);

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    bodyLimit: endpoint.bodyLimitBytes ?? DEFAULT_BODY_LIMIT,
    config: { endpoint },
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (endpoint.credentials.includes('capture')) allowAnyOrigin(reply);
      if (needsPrincipal) request.principal = await guard.fromHeaders(request, reply, endpoint);
      // Checks the caller and the target before the body is read: 401, 403, 429 and 404 come before any fault of the
      // body.
      if (request.principal || !needsPrincipal) await admit(request, reply);
      budget(request, reply, endpoint.bodyLimitBytes ?? DEFAULT_BODY_LIMIT);
    },
    preValidation: async (request, reply) => {
      const raw = request.received?.raw ?? Buffer.alloc(0);
      const parse = () => parseBody(request.received, endpoint.imageFields ?? []);
      if (needsPrincipal && !request.principal) {
        request.principal = await guard.fromBody(request, reply, endpoint, { raw, parse });
        await admit(request, reply);
      }
      const parsed = endpoint.readsBody ? UNREAD : await parse();
      await guard.admitBody(request, reply, endpoint, parsed.value);
      await check(request, parsed);
    },
    onSend: async (request, reply) => {
      if (reply.statusCode >= 300) await guard.release(request);
    },
    handler: async (request, reply) => {
      const answer = await answerOnce(guard, endpoint, callOf(request, reply));
      reply.code(answer.status);
      for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
      if (answer.body === undefined) return reply.send();
      const { body } = answer;
      if (body instanceof Readable) whenEnded(reply, () => body.destroy());
      return reply.send(endpoint.links ? await endpoint.links(deps, body) : body);
    },
  });

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const principal = request.principal as Principal | null;
    await guard.limit(request, reply, endpoint, principal);
    const params = request.params as Record<string, string>;
    // The database cannot hold such a name, so no object has it.
    if (Object.values(params).some(value => value.includes('\0'))) throw notFound();
    const target = endpoint.target ? (params[endpoint.target] ?? '') : null;
    if (principal) {
      if (target !== null) await guard.target(target, principal);
      if (endpoint.exists && !(await endpoint.exists({ deps, principal, params }))) throw notFound();
    } else if (target !== null) request.principal = await guard.fromPath(target, request, endpoint);
  }

  /** Puts the parsed body into the request. Throws 400 with every fault, and 403 for members that the caller may not send. */
  async function check(request: FastifyRequest, { value, images, fault: unparsed }: ParsedBody): Promise<void> {
    // One fault suffices when a list or map is far too large; the rest is not checked.
    const refused = unparsed ?? checkBody?.overfull(value);
    request.body = refused ? undefined : value;
    request.images = images;
    const members = (await endpoint.membersRefused?.(askedOf(request))) ?? [];
    if (members.length > 0) throw forbiddenMembers(members);
    const faults = new Faults(headerFaults(request));
    faults.addNew(checkQuery(request.query));
    if (!endpoint.readsBody) {
      faults.addNew(refused ? [refused] : bodyFaults(request, checkBody, endpoint.bodyOptional));
    }
    if (!refused) faults.addNew((await endpoint.recordFaults?.(askedOf(request))) ?? []);
    if (faults.list.length > 0) throw invalid(faults.list);
  }

  const askedOf = ({ principal, params, body, query }: FastifyRequest): Asked => ({
    deps,
    principal: principal?.kind === 'capture' ? null : principal,
    params: params as Record<string, string>,
    body,
    query,
  });

  function callOf(request: FastifyRequest, reply: FastifyReply) {
    const call: Call<unknown, unknown, Principal | null> = {
      ...askedOf(request),
      images: request.images,
      ip: request.ip,
      idempotencyKey: idempotencyKeyOf(request),
      keepAnswer: async () => {},
      stillAdmitted: () => guard.stillAdmitted(request, endpoint),
      limitAccount: (way, account) => guard.limitAccount(reply, way, account),
      limitMessages: (verificationId, to) => guard.limitMessages(reply, verificationId, to),
      spendBytes: guard.spendBytes,
      request,
      reply,
    };
    return call as Parameters<Endpoint['handler']>[0];
  }
}

/** Runs the handler; for a repeated idempotency key it returns the stored answer instead. */
async function answerOnce(guard: Guard, endpoint: Endpoint, call: Parameters<Endpoint['handler']>[0]): Promise<Answer> {
  const { deps, principal, request, idempotencyKey: key } = call;
  // The capture flow stores its keys on the capture itself, so a retry is answered even after completion.
  const scope = key && principal && endpoint.method === 'POST' ? scopeOf(principal) : null;
  if (!scope || !key) return endpoint.handler(call);
  const hash = sha256(`${request.method} ${request.url}\n${sha256(request.received?.raw ?? '').toString('hex')}`);
  const earlier = await claimKey(deps.db, scope, key, hash, deps.clock.now(), isApp(principal));
  if (earlier) return earlier;
  const store = async (db: Queryable, answer: Answer) =>
    storeAnswer(db, scope, key, await stored(guard, endpoint, { db, answer, request }));
  try {
    let kept = false;
    const answer = await endpoint.handler({
      ...call,
      keepAnswer: async (tx, value) => {
        await store(tx, value);
        kept = true;
      },
    });
    if (!kept) await store(deps.db, answer);
    return answer;
  } catch (error) {
    await releaseKey(deps.db, scope, key);
    throw error;
  }
}

/** The stored answer without its secrets, with the verification it shows: the one in the path, or the first it names. */
async function stored(
  guard: Guard,
  { target, secretAnswer }: Endpoint,
  { db, answer, request }: { db: Queryable; answer: Answer; request: FastifyRequest },
) {
  const inPath = target && (request.params as Record<string, string>)[target];
  const text = JSON.stringify(answer.body ?? null);
  const verificationId = inPath || VERIFICATION_ID.exec(text)?.[0] || null;
  // An answer that knows of the erasure came after it, and may be replayed.
  const outdated =
    verificationId !== null && !text.includes('"redacted_at"') && (await guard.isErased(db, verificationId));
  const members = Object.entries(answer.body ?? {}).filter(([name]) => !secretAnswer?.includes(name));
  return { ...answer, ...(secretAnswer ? { body: Object.fromEntries(members) } : {}), verificationId, outdated };
}

/** Returns the scope that shares idempotency keys. Nobody else shares a person's keys. */
function scopeOf(principal: Principal): string {
  if (principal.kind === 'session') return `${principal.tenantId}:${principal.userId}:${principal.livemode}`;
  // An app's key is in many hands: it must not fetch the answers of the account's other keys.
  if (isApp(principal)) return `${principal.tenantId}:${principal.keyId}`;
  return `${principal.tenantId}:${principal.kind === 'key' ? principal.livemode : 'any'}`;
}

function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : undefined;
}

function headerFaults(request: FastifyRequest): Fault[] {
  const key = idempotencyKeyOf(request);
  if (key === undefined || (key.length >= 1 && key.length <= 255)) return [];
  const message = 'must have 1 to 255 characters';
  return [
    key === ''
      ? fault('Idempotency-Key', 'too_short', message, { min: 1 })
      : fault('Idempotency-Key', 'too_long', message, { max: 255 }),
  ];
}

function bodyFaults({ method, body }: FastifyRequest, check: Validator | null, optional = false): Fault[] {
  if (method === 'GET' || method === 'HEAD' || (method === 'DELETE' && !check)) return [];
  if (body === undefined) return check && !optional ? [required('body')] : [];
  if (!check)
    return isRecord(body) && Object.keys(body).length === 0
      ? []
      : [fault('body', 'too_many', 'must be empty', { max: 0 })];
  return check.faults(body).map(found => (found.path === '' ? { ...found, path: 'body' } : found));
}

/** Allows any origin. The tenant's own pages call capture routes too, and these read no cookie. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header(
    'access-control-expose-headers',
    'Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotent-Replayed',
  );
  reply.header('cross-origin-resource-policy', 'cross-origin');
}

/** Answers the preflight of every path in the capture flow. */
export function registerPreflights(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const paths = new Set(endpoints.filter(e => e.credentials.includes('capture')).map(e => e.path));
  for (const url of paths) {
    app.options(url, async (_request, reply) => {
      allowAnyOrigin(reply);
      reply.header('access-control-allow-methods', 'GET, POST, OPTIONS');
      reply.header('access-control-allow-headers', 'Authorization, Content-Type, Idempotency-Key');
      reply.header('access-control-max-age', '86400');
      return reply.code(204).send();
    });
  }
}
