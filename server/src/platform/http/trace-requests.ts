import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { contextOf } from '../lib/tracing.ts';
import { namedIn } from './named-verification.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null;
  }
}

/** Asked every few seconds by machines. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Gives each request a span, in which everything up to its answer runs. A caller's `traceparent` becomes its parent. The span
 * names the route's pattern, never the address: the path of a capture route is a credential.
 */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    if (UNTRACED.has(route)) {
      done();
      return;
    }
    const caller = contextOf(request.headers);
    const span = trace.getTracer('firsthand').startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'firsthand.request.id': request.id,
        },
      },
      caller,
    );
    request.span = span;
    context.with(trace.setSpan(caller, span), done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { span } = request;
    if (!span) return;
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (request.principal) span.setAttribute('firsthand.tenant.id', request.principal.tenantId);
    const verification = namedIn(request);
    if (verification) span.setAttribute('firsthand.verification', verification);
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}
