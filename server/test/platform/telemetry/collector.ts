import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
// The last release that carries what the OpenTelemetry project generates from its protocol.
import messages from 'otlp-messages/build/src/generated/root.js';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Pair = { key: string; value: Value };

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number | string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  failed: boolean;
  service: Record<string, unknown>;
}

export interface ReceivedMetric {
  name: string;
  /** Attributes and value of each point: a number, or a histogram's count, sum and buckets. */
  points: { attributes: Record<string, unknown>; value: unknown }[];
  monotonic?: boolean;
}

export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** The latest export's. */
  metrics: Map<string, ReceivedMetric>;
  /** Every request: its path, its content type and its bytes as they came, decompressed. */
  requests: { path: string; type: string; headers: NodeJS.Dict<string | string[]>; body: Buffer }[];
  until<T>(found: () => T | undefined): Promise<T>;
  close(): Promise<void>;
}

const { trace, metrics } = (messages as unknown as Generated).opentelemetry.proto.collector;
type Decoded = { resourceSpans?: Resource[]; resourceMetrics?: Resource[] };
interface Type {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, o: object): Decoded;
}
interface Generated {
  opentelemetry: {
    proto: {
      collector: {
        trace: { v1: { ExportTraceServiceRequest: Type } };
        metrics: { v1: { ExportMetricsServiceRequest: Type } };
      };
    };
  };
}
interface Resource {
  resource: { attributes?: Pair[] };
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol, read below
  scopeSpans?: any[];
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol, read below
  scopeMetrics?: any[];
}

/** An OTLP/HTTP receiver for both encodings. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const received = new Map<string, ReceivedMetric>();
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      const type = request.headers['content-type'] ?? '';
      requests.push({ path: request.url ?? '', type, headers: request.headers, body });
      const found = decoded(request.url ?? '', type, body);
      for (const each of found.resourceSpans ?? []) spans.push(...spansOf(each));
      for (const each of found.resourceMetrics ?? [])
        for (const metric of metricsOf(each)) received.set(metric.name, metric);
      response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics: received,
    requests,
    async until(found) {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const value = found();
        if (value !== undefined) return value;
        if (Date.now() > deadline) throw new Error(`not received; spans: ${spans.map(span => span.name).join(', ')}`);
        await sleep(50);
      }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function decoded(path: string, type: string, body: Buffer): Decoded {
  if (type.startsWith('application/json')) return JSON.parse(body.toString()) as Decoded;
  const message = path.endsWith('/traces')
    ? trace.v1.ExportTraceServiceRequest
    : metrics.v1.ExportMetricsServiceRequest;
  return message.toObject(message.decode(body), { longs: String, defaults: false });
}

const hex = (id: unknown): string =>
  id === undefined ? '' : typeof id === 'string' ? id : Buffer.from(id as Uint8Array).toString('hex');

const attributesOf = (pairs: Pair[] = []): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)]),
  );

const spansOf = ({ resource, scopeSpans = [] }: Resource): ReceivedSpan[] =>
  scopeSpans.flatMap(scope =>
    // biome-ignore lint/suspicious/noExplicitAny: a message of the protocol
    scope.spans.map((span: any) => ({
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentSpanId: hex(span.parentSpanId),
      name: span.name,
      kind: span.kind,
      startTimeUnixNano: String(span.startTimeUnixNano),
      endTimeUnixNano: String(span.endTimeUnixNano),
      attributes: attributesOf(span.attributes),
      failed: Number(span.status?.code ?? 0) === 2,
      service: attributesOf(resource.attributes),
    })),
  );

const metricsOf = ({ scopeMetrics = [] }: Resource): ReceivedMetric[] =>
  scopeMetrics.flatMap(scope =>
    // biome-ignore lint/suspicious/noExplicitAny: a message of the protocol
    scope.metrics.map((metric: any) => {
      const data = metric.sum ?? metric.gauge ?? metric.histogram;
      return {
        name: metric.name,
        ...(metric.sum ? { monotonic: metric.sum.isMonotonic === true } : {}),
        // biome-ignore lint/suspicious/noExplicitAny: a message of the protocol
        points: (data?.dataPoints ?? []).map((point: any) => ({
          attributes: attributesOf(point.attributes),
          value: metric.histogram
            ? {
                count: Number(point.count ?? 0),
                sum: point.sum ?? 0,
                bounds: point.explicitBounds ?? [],
                buckets: (point.bucketCounts ?? []).map(Number),
              }
            : (point.asDouble ?? Number(point.asInt ?? 0)),
        })),
      };
    }),
  );
