import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { startSpan, traceparentOf } from '../../platform/lib/tracing.ts';
import type { Ready } from './endpoint-queues.ts';
import type { Sent } from './schedule.ts';

/** One attempt in the trace of what caused its event. The receiver gets the headers to continue it. */
export function traceAttempt({ id, event_id, attempts, traceparent, to }: Ready): {
  headers: Record<string, string>;
  end(sent: Sent): void;
} {
  const span = startSpan('webhook', {
    kind: SpanKind.CLIENT,
    parent: traceparent,
    attributes: {
      'http.request.method': 'POST',
      'firsthand.tenant.id': to.tenant_id,
      'firsthand.delivery.id': id,
      'firsthand.event.id': event_id,
      'firsthand.attempt': attempts + 1,
    },
  });
  const own = traceparentOf(span);
  return {
    headers: own ? { traceparent: own } : {},
    end({ statusCode, error }) {
      if (statusCode !== null) span.setAttribute('http.response.status_code', statusCode);
      if (error !== null) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
