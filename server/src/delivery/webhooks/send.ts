import type { LookupFunction } from 'node:net';
import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import type { AttemptError } from '@firsthand/contract/webhooks/webhooks.ts';
import { type Dispatcher, Pool } from 'undici';
import type { Deps } from '../../platform/deps.ts';
import { allowedOf, literalAddress, mayReach, type Resolve } from './allowed-address.ts';
import { createNames } from './dns.ts';
import { retryAfterSeconds, type Sent } from './schedule.ts';

export const ATTEMPT_TIMEOUT_MS = 15_000;
const EXCERPT_BYTES = 1_024;
/** A longer answer counts by its status. The rest is never read: the connection closes. */
const MAX_ANSWER_BYTES = 65_536;
/**
 * Closes an idle connection sooner than any usual receiver does, so that no request goes out as the receiver closes it.
 */
const IDLE_MS = 4_000;
/** No connection takes a request after this, so that a changed DNS name takes effect. */
const POOL_LIFE_MS = 60_000;
/** The number of parsed URLs to cache. */
const MAX_TARGETS = 1_000;

export interface Sender {
  /** Sends one POST for an account. Never throws: calls `done` once with the result, whatever happens. */
  send(tenantId: string, url: string, body: string, headers: Record<string, string>, done: (sent: Sent) => void): void;
  /** Closes every connection. Aborts open requests without calling `done`. */
  close(): Promise<void>;
}

export interface SenderOptions {
  resolve?: Resolve;
  timeoutMs?: number;
}

/**
 * Sends webhooks over kept-alive connections, each to an address that was checked when it opened. Follows no redirect.
 * One attempt ends within 15 s, whatever the receiver does, and 1 kB of its answer is kept.
 */
export function createSender(deps: Pick<Deps, 'config'>, o: SenderOptions = {}): Sender {
  const timeoutMs = o.timeoutMs ?? ATTEMPT_TIMEOUT_MS;
  const pools = createPools(deps, o.resolve ?? createNames({ servers: deps.config.webhookNameServers }), timeoutMs);
  const open = new Set<Attempt>();
  const targets = new Map<string, Target>();
  const targetOf = (url: string): Target => {
    const known = targets.get(url);
    if (known) return known;
    const target = readTarget(deps, url);
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  };
  return {
    send(tenantId, url, body, headers, done) {
      const target = targetOf(url);
      const attempt = new Attempt(timeoutMs, sent => {
        open.delete(attempt);
        done(sent);
      });
      open.add(attempt);
      if ('error' in target) {
        // Calls `done` after this function returns, as the caller expects.
        setImmediate(() => attempt.end(target.error));
        return;
      }
      const { origin, path, authorization } = target;
      pools
        .of(tenantId, origin)
        .dispatch(
          { path, method: 'POST', headers: authorization ? { ...headers, authorization } : headers, body },
          attempt,
        );
    },
    async close() {
      for (const attempt of open) attempt.forget();
      open.clear();
      await pools.close();
    },
  };
}

/**
 * Keeps a pool of connections for each account and origin, so that no account waits for the look-ups of another. Each
 * connection carries one request at a time; the caller bounds how many are open. A connection opens to exactly the
 * addresses that were checked, so a name that resolves differently a moment later changes nothing.
 */
function createPools(deps: Pick<Deps, 'config'>, resolve: Resolve, timeoutMs: number) {
  const current = new Map<string, { pool: Pool; openedAt: number }>();
  /** These, and older ones whose requests are still open. */
  const all = new Set<Pool>();
  // An address in the URL itself needs no look-up: it was checked with the URL.
  const lookupFor =
    (tenantId: string): LookupFunction =>
    (hostname, _options, callback) => {
      const checked = resolve(hostname, tenantId).then(addresses => allowedOf(deps, hostname, addresses));
      checked.then(
        addresses => callback(null, addresses),
        error => callback(error, []),
      );
    };
  const open = (key: string, tenantId: string, origin: string): Pool => {
    const pool = new Pool(origin, {
      // With `autoSelectFamily`, the socket asks for all addresses.
      connect: { lookup: lookupFor(tenantId), timeout: timeoutMs, autoSelectFamily: true },
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const forgetIfUnused = () => {
      const { connected, size } = pool.stats;
      if (connected + size > 0) return;
      all.delete(pool);
      if (current.get(key)?.pool === pool) current.delete(key);
    };
    pool.on('disconnect', forgetIfUnused).on('connectionError', forgetIfUnused);
    all.add(pool);
    current.set(key, { pool, openedAt: performance.now() });
    return pool;
  };
  return {
    of(tenantId: string, origin: string): Pool {
      const key = `${tenantId} ${origin}`;
      const known = current.get(key);
      // undici's own `clientTtl` reads the clock for each connection of the pool at each request.
      if (known && performance.now() - known.openedAt < POOL_LIFE_MS) return known.pool;
      // Lets open requests end.
      void known?.pool.close();
      return open(key, tenantId, origin);
    },
    /** Aborts all requests and closes all connections. */
    async close(): Promise<void> {
      await Promise.all([...all].map(pool => pool.destroy()));
    },
  };
}

/** The parts of a URL to post to, or the reason to refuse it. */
type Target = { origin: string; path: string; authorization: string | null } | { error: AttemptError };

function readTarget(deps: Pick<Deps, 'config'>, url: string): Target {
  const target = webUrlOf(url);
  if (!target) return { error: 'invalid_url' };
  // An address in the URL itself needs no lookup.
  const literal = literalAddress(target.hostname);
  if (literal && !mayReach(deps, literal)) return { error: 'forbidden_address' };
  const { origin, pathname, search, username, password } = target;
  return { origin, path: pathname + search, authorization: username || password ? basic(username, password) : null };
}

/** Basic credentials (RFC 7617). A URL percent-encodes both; an invalid encoding is taken literally. */
function basic(username: string, password: string): string {
  const decode = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  return `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')}`;
}

/** Handles one request. undici reports its progress, and the attempt ends exactly once. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  #done: ((sent: Sent) => void) | null;
  #controller: Dispatcher.DispatchController | null = null;
  #statusCode: number | null = null;
  #retryAfter: number | null = null;
  #excerpt: Buffer[] = [];
  #bytes = 0;

  constructor(timeoutMs: number, done: (sent: Sent) => void) {
    this.#done = done;
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The attempt ended while its connection was opening.
    if (!this.#done) controller.abort(new Error('over'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = retryAfterSeconds(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now());
    if (Number(headers['content-length']) > MAX_ANSWER_BYTES) this.end(errorOfStatus(statusCode));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < EXCERPT_BYTES) this.#excerpt.push(Buffer.from(chunk.subarray(0, EXCERPT_BYTES - this.#bytes)));
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) this.end(errorOfStatus(this.#statusCode ?? 0));
  }

  onResponseEnd(): void {
    // Nothing is left to abort, and the connection stays open.
    this.#controller = null;
    this.end(errorOfStatus(this.#statusCode ?? 0));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(errorOf(error));
  }

  end(error: AttemptError | null): void {
    const done = this.#done;
    if (!done) return;
    this.forget();
    done({
      statusCode: this.#statusCode,
      error,
      // PostgreSQL stores no U+0000.
      excerpt: this.#bytes > 0 ? Buffer.concat(this.#excerpt).toString('utf8').replaceAll('\0', '\ufffd') : null,
      latencyMs: Math.round(performance.now() - this.#started),
      retryAfterSeconds: this.#retryAfter,
    });
  }

  /** Aborts the request without calling `done`. */
  forget(): void {
    this.#done = null;
    clearTimeout(this.#timer);
    this.#controller?.abort(new Error('over'));
    this.#controller = null;
  }
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect';
  return status === 410 ? 'gone' : 'status';
}

const BY_CODE: Readonly<Record<string, AttemptError>> = {
  FORBIDDEN_ADDRESS: 'forbidden_address',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_INVALID_ARG: 'invalid_url',
};

/** Names the error by the codes of the system, TLS, the HTTP parser and undici. */
function errorOf(error: unknown): AttemptError {
  const { code = '', name, errors } = error as { code?: string; name?: string; errors?: unknown[] };
  // undici tried several addresses, and each failed.
  if (Array.isArray(errors) && errors.length > 0) return errorOf(errors[0]);
  const known = BY_CODE[code];
  if (known) return known;
  if (name === 'HTTPParserError') return 'protocol';
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|EPROTO/.test(code)) return 'tls';
  return 'failed';
}
