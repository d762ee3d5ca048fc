import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openDeps } from '../../src/open.ts';
import { startService } from '../../src/service.ts';
import { createVerification, startTestService, submit, type TestService, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { freePort } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}
const rules = (parse(read('ops/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(group => group.rules);
const panels = (JSON.parse(read('ops/grafana.json')) as { panels: { title: string; targets: { expr: string }[] }[] })
  .panels;
const runbook = read('docs/runbook.md');

/** Names of metrics in a PromQL expression: words with an underscore that are no function and no label. */
const metricsIn = (expr: string): string[] =>
  [...expr.replace(/\{[^}]*\}/g, '').matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g)]
    .map(([name]) => name)
    .filter(name => name !== 'histogram_quantile');

describe('ops/alerts.yaml and ops/grafana.json', () => {
  let service: TestService;
  let exposed: string;
  beforeAll(async () => {
    service = await startTestService({ env: { VISION_BASE_URL: 'http://127.0.0.1:9/v1', VISION_MODEL: 'none' } });
    exposed = await (await fetch(`${service.url}/metrics`)).text();
  });
  afterAll(() => service?.stop());

  const declared = (metric: string) =>
    [metric, metric.replace(/_(bucket|count|sum)$/, '')].some(name => exposed.includes(`# TYPE ${name} `));

  it('name only metrics that GET /metrics declares', () => {
    const named = [...rules.map(rule => rule.expr), ...panels.flatMap(panel => panel.targets.map(({ expr }) => expr))];
    const metrics = [...new Set(named.flatMap(metricsIn))];
    expect(metrics.length).toBeGreaterThan(8);
    expect(metrics.filter(metric => !declared(metric))).toEqual([]);
    expect(declared('firsthand_made_up_total')).toBe(false);
  });

  it('select only labels that the metrics carry', async () => {
    const labels = new Map<string, readonly string[]>();
    for (const metric of (service.deps.metrics.registry as Registry).getMetricsAsArray()) {
      labels.set(metric.name, (metric as unknown as { labelNames: string[] }).labelNames);
    }
    for (const { expr } of [...rules, ...panels.flatMap(panel => panel.targets)]) {
      for (const [, metric, selectors] of expr.matchAll(/\b(firsthand_[a-z_]+?)(?:_bucket|_count|_sum)?\{([^}]*)\}/g)) {
        for (const [, label] of selectors!.matchAll(/([a-z]+)\s*[=!]/g)) expect(labels.get(metric!)).toContain(label);
      }
    }
  });

  it.each(rules)('$alert has its section in the runbook', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    const section = runbook.split(/^## /m).find(text => text.startsWith(`${alert}\n`));
    for (const part of ['**Means**', '**Look**', '**Do**']) expect(section).toContain(part);
  });

  it('and the runbook has no section without an alert', () => {
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(rule => rule.alert));
  });

  it('GET /metrics of a node without worker counts the photos that no worker takes', async () => {
    const api = await startTestService({ worker: false });
    try {
      const overdue = async () =>
        /^firsthand_captures_overdue (\d+)$/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1];
      const { id } = await createVerification(api);
      expect((await submit(api, id, await plain())).status).toBe(201);
      expect(await overdue()).toBe('0');
      await api.deps.db.query("update captures set created_at = now() - interval '11 minutes'");
      expect(await overdue()).toBe('1');
      const worker = await startTestService({ beside: api });
      await until(async () => (await overdue()) === '0', 'the worker to take the photo');
      await worker.stop();
    } finally {
      await api.stop();
    }
  });

  it('a worker without API answers /healthz, /readyz and /metrics at WORKER_PORT', async () => {
    const port = await freePort();
    const config = { ...service.deps.config, workerPort: port, host: '127.0.0.1' };
    const worker = await startService(await openDeps(config, service.deps.log, { database: 'own' }), {
      http: false,
      worker: true,
    });
    try {
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
      expect((await get('/healthz')).status).toBe(200);
      await until(async () => (await get('/readyz')).status === 200, 'the worker to be ready');
      expect(await (await get('/metrics')).text()).toContain('firsthand_job_seconds');
      expect((await get('/v1/verifications')).status).toBe(404);
    } finally {
      await worker.stop();
    }
  });
});
