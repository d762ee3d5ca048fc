import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logNameOf } from '../../../src/platform/lib/log-name.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { ask, submit, until } from '../../support/harness.ts';
import { firstHand } from '../../support/pictures.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts';

const SERVER = 2;
const CONSUMER = 5;
const CLIENT = 3;

describe('OpenTelemetry, with the API and a worker in processes of their own', () => {
  let collector: Collector;
  let database: TestDatabase;
  let dataDir: string;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  let workerUrl: string;
  let receiver: Server;
  let webhookUrl: string;
  let key: string;
  let secretKey: string;
  const webhooks: { headers: IncomingHttpHeaders; body: { type: string; data: { id: string } } }[] = [];

  beforeAll(async () => {
    collector = await startCollector();
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', chunk => {
        body += chunk;
      });
      request.on('end', () => {
        webhooks.push({ headers: request.headers, body: JSON.parse(body) });
        response.end();
      });
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks?token=in-the-url`;
    database = await freshDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'fh-telemetry-'));
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      DRAIN_SECONDS: '0',
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    };
    api = startServiceProcess({ dataDir, port: await freePort(), command: 'serve', env });
    await api.ready();
    const port = await freePort();
    workerUrl = `http://localhost:${port}`;
    worker = startServiceProcess({
      dataDir,
      port,
      command: 'work',
      env: {
        ...env,
        WORKER_PORT: `${port}`,
        OTEL_SERVICE_NAME: 'photo-worker',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
    });
    await worker.ready();
    ({ pk_test: key, rk_secret: secretKey } = await firstRunOf(dataDir));
  }, 120_000);

  afterAll(async () => {
    await Promise.all([api?.kill(), worker?.kill()]);
    await Promise.all([collector?.close(), new Promise(resolve => receiver?.close(resolve))]);
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const spanOf = (found: (span: ReceivedSpan) => boolean) => collector.until(() => collector.spans.find(found));
  const inTrace = (traceId: string) => collector.spans.filter(span => span.traceId === traceId);
  const create = (body: object, headers = {}) =>
    ask<{ id: string }>(api, '/v1/verifications', { key, body: { webhook_url: webhookUrl, ...body }, headers });
  const webhookOf = (id: string, type: string) =>
    until(async () => webhooks.find(({ body }) => body.type === type && body.data.id === id), `${type} of ${id}`);

  it('traces a photo from its request through each signal to the webhook of its verdict', async () => {
    const { body } = await create({ signals_required: ['screen', 'ai', 'reverse', 'depth'] });
    const sent = await submit(api, body.id, await firstHand(7));
    expect(sent.status).toBe(201);
    const requestId = sent.headers.get('request-id');
    const request = await spanOf(span => span.attributes['firsthand.request.id'] === requestId);
    expect(request).toMatchObject({ name: 'POST /v1/verifications/:token/captures', kind: SERVER, parentSpanId: '' });
    const name = logNameOf(body.id);
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 201, 'firsthand.verification': name });

    const { headers } = await webhookOf(body.id, 'verification.completed');
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(headers.traceparent)) ?? [];
    expect(traceId).toBe(request.traceId);
    const told = await spanOf(span => span.spanId === spanId);
    expect(told).toMatchObject({ name: 'webhook', kind: CLIENT, failed: false });
    expect(told.attributes).toMatchObject({
      'http.response.status_code': 200,
      'firsthand.attempt': 1,
      'firsthand.event.id': headers['webhook-id'],
    });

    const job = await spanOf(span => span.name === 'job analyze_capture');
    expect(job).toMatchObject({ kind: CONSUMER, parentSpanId: request.spanId, traceId });
    expect(job.attributes['firsthand.verification']).toBe(name);
    expect(told.parentSpanId).toBe(job.spanId);
    const parts = inTrace(traceId!).filter(span => span.parentSpanId === job.spanId);
    for (const part of ['decode', 'fingerprint', 'screen', 'ai', 'reverse', 'depth']) {
      const span = parts.find(({ name }) => name === `analysis ${part}`);
      expect(span, part).toBeDefined();
      expect(BigInt(span!.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(job.startTimeUnixNano));
      expect(BigInt(span!.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(job.endTimeUnixNano));
    }
    expect(parts.map(({ name }) => name)).toContain('reverse search');
    const statements = inTrace(traceId!).filter(({ name }) => name.startsWith('postgresql '));
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['postgresql insert captures', 'postgresql insert events', 'postgresql commit']),
    );
    expect(statements.map(({ attributes }) => attributes['db.system.name'])).toEqual(
      statements.map(() => 'postgresql'),
    );
  });

  it('carries the trace of a request into its job and the webhooks that follow', async () => {
    const { body: batch, status } = await ask<{ id: string }>(api, '/v1/batches', {
      key: secretKey,
      body: { request: { webhook_url: webhookUrl }, rows: [{ name: 'Adalgunde' }] },
    });
    expect([status, batch]).toMatchObject([202, {}]);
    const job = await spanOf(span => span.name === 'job run_batch');
    const request = await spanOf(span => span.spanId === job.parentSpanId);
    expect(request.name).toBe('POST /v1/batches');
    const told = await spanOf(span => span.name === 'webhook' && span.traceId === job.traceId);
    expect(job.service).toMatchObject({ 'service.name': 'photo-worker', 'deployment.environment.name': 'test' });
    expect(request.service).toMatchObject({ 'service.name': 'firsthand' });
    expect(told.parentSpanId).toBe(job.spanId);
  });

  it('continues the trace of a caller that sends traceparent', async () => {
    const traceId = randomBytes(16).toString('hex');
    const parent = randomBytes(8).toString('hex');
    await create({}, { traceparent: `00-${traceId}-${parent}-01` });
    expect(await spanOf(span => span.traceId === traceId && span.kind === SERVER)).toMatchObject({
      name: 'POST /v1/verifications',
      parentSpanId: parent,
    });
  });

  it('puts the ids of the trace into log lines', async () => {
    const reply = await ask(api, '/v1/webhooks/test', { key: secretKey, body: { url: webhookUrl } });
    const requestId = reply.headers.get('request-id')!;
    const span = await spanOf(({ attributes }) => attributes['firsthand.request.id'] === requestId);
    const lines = api.output().split('\n');
    const line = lines.find(text => text.includes(requestId) && text.includes('"answered"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ trace_id: span.traceId });
  });

  it('names no credential and no personal data', async () => {
    const { body } = await create({
      metadata: { claimant: 'Adalgunde' },
      expected_info: { subject: { person: { email: 'ada@example.org', phone_e164: '+491701234567' } } },
    });
    await submit(api, body.id, await firstHand(8));
    await ask(api, `/v1/verifications/${body.id}`, { key });
    await ask(api, `/v1/verifications/${body.id}?q=Adalgunde`, { key: 'pk_test_nobody' });
    await webhookOf(body.id, 'verification.completed');
    await spanOf(span => span.name === 'GET /v1/verifications/:id');
    const all = collector.requests.map(request => request.body.toString('latin1')).join('\n');
    const secrets = [
      body.id,
      body.id.slice(4),
      key,
      secretKey,
      'pk_test_nobody',
      'Adalgunde',
      '4917012',
      'in-the-url',
      'Bearer',
    ];
    expect(secrets.filter(secret => all.includes(secret))).toEqual([]);
    expect(all).toContain('POST /v1/verifications');
  });

  it('speaks OTLP over HTTP as the standard variables say', () => {
    const kinds = new Set(collector.requests.map(({ path, type }) => `${path} ${type}`));
    expect([...kinds].sort()).toEqual([
      '/v1/metrics application/json',
      '/v1/metrics application/x-protobuf',
      '/v1/traces application/json',
      '/v1/traces application/x-protobuf',
    ]);
    expect(collector.requests.every(({ headers }) => headers['x-collector-key'] === 'abc')).toBe(true);
  });

  it('exports the metrics of GET /metrics under the same names and values', async () => {
    const text = await (await fetch(`${workerUrl}/metrics`)).text();
    const named = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name!);
    expect(named).toContain('firsthand_job_seconds');
    const all = await collector.until(() =>
      named.every(name => collector.metrics.has(name)) ? collector.metrics : undefined,
    );
    const verdicts = /^firsthand_verdicts_total\{label="verified",[^}]*\} (\d+)$/m.exec(text);
    const exported = all.get('firsthand_verdicts_total')!;
    expect(exported.monotonic).toBe(true);
    await collector.until(() =>
      collector.metrics
        .get('firsthand_verdicts_total')
        ?.points.find(({ attributes, value }) => attributes.label === 'verified' && value === Number(verdicts?.[1])),
    );
    const buckets = [
      ...text.matchAll(/^firsthand_job_seconds_bucket\{le="([^"]+)",job="run_batch",outcome="done"\} (\d+)$/gm),
    ];
    const run = all
      .get('firsthand_job_seconds')!
      .points.find(({ attributes }) => attributes.job === 'run_batch' && attributes.outcome === 'done')!;
    const { bounds, buckets: counts, count } = run.value as { bounds: number[]; buckets: number[]; count: number };
    expect(bounds).toEqual(buckets.map(([, le]) => Number(le)).filter(Number.isFinite));
    expect(counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, n) => sum + n))).toEqual(
      buckets.map(([, , value]) => Number(value)),
    );
    expect(count).toBe(1);
  });

  it('lets a process end with 0 while the collector is away', async () => {
    await collector.close();
    expect(await api.stop()).toBe(0);
    expect(await worker.stop()).toBe(0);
  });
});

describe('OpenTelemetry, off', () => {
  it('loads no package of the SDK', async () => {
    const root = join(import.meta.dirname, '..', '..', '..');
    const script = `
      import { Module } from 'node:module';
      await import('./src/service.ts'); await import('./src/open.ts');
      console.log(JSON.stringify(Object.keys(Module._cache).filter(path => path.includes('@opentelemetry'))));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter(path => !path.includes('@opentelemetry/api/'))).toEqual([]);
  });
});
