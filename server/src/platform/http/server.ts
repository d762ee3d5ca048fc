import type { IncomingMessage } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { BlobUnavailable } from '../blobs/faults.ts';
import { DatabaseUnavailable } from '../db/pool.ts';
import type { Deps } from '../deps.ts';
import { newUlid } from '../lib/ids.ts';
import { fullVersion } from '../lib/version.ts';
import { readBody } from './body.ts';
import { readClientAddresses } from './client-address.ts';
import { noteConnections } from './drain.ts';
import type { Endpoint } from './endpoint.ts';
import { namedIn } from './named-verification.ts';
import { type PlainPage, sendPlainPage } from './plain-page.ts';
import { databaseUnavailable, invalidField, notFound, Problem, storageUnavailable } from './problem.ts';
import { rootOf, withoutRoot } from './root.ts';
import { traceRequests } from './trace-requests.ts';

/** Closes a connection that has not sent a request's headers by then. `bodyStallMs` limits bodies instead. */
const HEADERS_MS = 20_000;
/** The longest request: 25 MB at 7 kB a second. */
const REQUEST_MS = 3_600_000;

/** Of every answer that sets none of its own. */
const POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** For a browser. A program gets the error envelope. */
const UNKNOWN: PlainPage = {
  status: 404,
  title: 'Nothing is at this address',
  lines: [
    'If a company sent you a link for photos, open it again from the message, or ask for a new one.',
    'The guides of this service are under /docs, its dashboard under /dashboard.',
  ],
};

/**
 * Creates a server without routes: request ids, security headers, raw bodies, and the error envelope for every failure.
 */
export function createServer(
  deps: Pick<Deps, 'config' | 'log' | 'origins' | 'metrics'>,
  https?: ServerOptions,
): FastifyInstance {
  const { trustedProxies } = deps.config;
  const version = fullVersion();
  const setHeaders = (requestId: string, reply: FastifyReply) => {
    reply.header('request-id', requestId);
    reply.header('firsthand-version', version);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
    reply.header('x-frame-options', 'DENY');
    reply.header('content-security-policy', POLICY);
    if (deps.origins.public.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000');
  };
  const sayNotFound = (request: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): FastifyReply =>
    String(request.headers.accept).includes('text/html')
      ? sendPlainPage(reply, UNKNOWN)
      : reply.code(404).send(notFound().toBody(deps.origins.public));
  const options: FastifyServerOptions = {
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newUlid,
    requestIdHeader: false,
    rewriteUrl: request => withoutRoot(request.url ?? '/', [rootOf(deps.origins.public), rootOf(deps.origins.capture)]),
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    routerOptions: { maxParamLength: 256 },
    // While the server stops, it answers requests on open connections and then closes them.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: 65_000,
    frameworkErrors: (_error, request, reply) => {
      // A URL that cannot be decoded names no object. No hook has run yet.
      setHeaders(request.id, reply as unknown as FastifyReply);
      sayNotFound(request, reply as unknown as FastifyReply);
    },
    clientErrorHandler: (_error: unknown, socket: Socket) => {
      const refused = invalidField('request', 'format', 'is not HTTP', { format: 'http' });
      const body = JSON.stringify(refused.toBody(deps.origins.public));
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\ncontent-security-policy: ${POLICY}\r\nrequest-id: ${newUlid()}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
  };
  const app = Fastify(https ? ({ ...options, https } as FastifyServerOptions) : options) as FastifyInstance;
  app.server.headersTimeout = HEADERS_MS;
  noteConnections(app.server);

  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => data => JSON.stringify(data));
  app.decorateRequest('principal', null);
  app.decorateRequest('received', null);
  app.decorateRequest('images');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    // An unknown address is 404, so its body is not read, however long it is.
    if (request.is404) return;
    const { bodyLimit: maxBytes, config } = request.routeOptions;
    const endpoint = (config as { endpoint?: Endpoint }).endpoint;
    request.received = await readBody(request, payload, {
      maxBytes,
      stallMs: deps.config.bodyStallMs,
      imageFields: endpoint?.imageFields ?? [],
      signed: request.principal === null && endpoint?.credentials.includes('bot') === true,
      // A bot's signed body names its tenant, so it is parsed to say 403.
      unread: endpoint?.readsBody === true && request.principal !== null,
    });
  });

  readClientAddresses(app, trustedProxies);
  if (deps.config.telemetry?.traces) traceRequests(app);
  app.addHook('onRequest', async (request, reply) => setHeaders(request.id, reply));

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const seconds = reply.elapsedTime / 1_000;
    deps.metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, seconds);
    const named = namedIn(request);
    // Logs the route's pattern, never the address: the path of a capture route is a credential.
    request.log.info(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        tenant: request.principal?.tenantId,
        ...(named ? { verification: named } : {}),
      },
      'answered',
    );
  });

  app.setNotFoundHandler((request, reply) => sayNotFound(request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = request.is404 ? notFound() : asProblem(error);
    const ofApi = 'endpoint' in (request.routeOptions.config ?? {});
    if (problem.code === 'not_found' && !ofApi) return sayNotFound(request, reply);
    if (problem.status >= 500) request.log.error({ err: problem.cause ?? error, code: problem.code }, 'request failed');
    if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
    return reply.code(problem.status).send(problem.toBody(deps.origins.public));
  });
  return app;
}

function asProblem(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable) return databaseUnavailable(error);
  if (error instanceof BlobUnavailable) return storageUnavailable(error);
  if ('statusCode' in error && error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return invalidField('request', 'invalid', error.message);
  }
  return new Problem(
    'internal_error',
    'Something went wrong on the server. The log has the details under this Request-Id.',
    {
      cause: error,
    },
  );
}
