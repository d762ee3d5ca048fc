import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  trace,
} from '@opentelemetry/api';

// Without an OpenTelemetry SDK (see `platform/telemetry/start.ts`) every call here ends in the no-op of `@opentelemetry/api`.
// Attributes hold ids that open nothing. A verification's id is a credential, so it stands in no span.

/** Asked for each time, because the SDK may start later. */
const tracer = () => trace.getTracer('firsthand');

interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The W3C `traceparent` that was stored with the cause. Without it, the span belongs to the active one, or begins a trace. */
  parent?: string | null | undefined;
}

/** Runs `work` in a span of its own, which ends with it. An error marks the span and is thrown on. */
export async function inSpan<T>(name: string, o: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = startSpan(name, o);
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Starts a span that the caller ends. */
export const startSpan = (name: string, { kind, attributes, parent }: SpanOptions): Span =>
  tracer().startSpan(
    name,
    { kind: kind ?? SpanKind.INTERNAL, ...(attributes ? { attributes } : {}) },
    parent ? contextOf({ traceparent: parent }) : context.active(),
  );

/** Marks a span as failed. Only the error's class goes into it: a message may quote what somebody sent. */
export function failSpan(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Records a span that is already over, as a child of the active one. */
export function pastSpan(name: string, startTime: TimeInput, endTime: TimeInput): void {
  tracer().startSpan(name, { startTime }).end(endTime);
}

/** True inside a span that is exported. */
export const isTraced = (): boolean => trace.getActiveSpan()?.isRecording() ?? false;

/** The context of a request that carries W3C trace headers. */
export const contextOf = (headers: Record<string, unknown>): Context => propagation.extract(ROOT_CONTEXT, headers);

/** The `traceparent` of a span, or of the active one; null when nothing is traced. Store it with what this work causes. */
export function traceparentOf(span: Span | undefined = trace.getActiveSpan()): string | null {
  if (!span) return null;
  const headers: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
  return headers.traceparent ?? null;
}

/** Ids of the active span for log lines. */
export function logIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Summaries of the statements seen so far. Their texts are constants of the program. */
const summaries = new Map<string, string>();
const MAX_SUMMARIES = 2_000;

/** Verb and first table of a statement: `insert events`, `select verifications`, `commit`. */
export function summaryOf(sql: string): string {
  const known = summaries.get(sql);
  if (known) return known;
  const [, verb = '', table] =
    /\b(insert)\s+into\s+([\w.]+)/i.exec(sql) ??
    /\b(update)\s+(?!set\b)([\w.]+)\s+(?:\w+\s+)?set\b/i.exec(sql) ??
    /\b(delete)\s+from\s+([\w.]+)/i.exec(sql) ??
    [];
  const [, from] = /\bfrom\s+([a-z][\w.]*)/i.exec(sql) ?? [];
  const [first = ''] = /[a-z]+/i.exec(sql) ?? [];
  const summary = (table ? `${verb} ${table}` : from ? `select ${from}` : first).toLowerCase();
  if (summaries.size < MAX_SUMMARIES) summaries.set(sql, summary);
  return summary;
}

/** Runs a statement in a span named after it, if something is traced. Statements that no traced work asks for have none. */
export function tracedStatement<T>(statement: unknown, run: () => T): T {
  if (!isTraced()) return run();
  const { name, text } = typeof statement === 'string' ? { text: statement } : (statement as NamedStatement);
  const summary = name ?? summaryOf(text ?? '');
  const span = tracer().startSpan(`postgresql ${summary}`, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  });
  const result = run();
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  result.then(
    () => span.end(),
    error => {
      failSpan(span, error);
      span.end();
    },
  );
  return result;
}

interface NamedStatement {
  name?: string;
  text?: string;
}
