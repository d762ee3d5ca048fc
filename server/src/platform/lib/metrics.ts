import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Overdue {
  count: number;
  oldestSeconds: number;
}

/**
 * Prometheus metrics of one process. `overdue` is asked at each scrape, so that a node without worker tells of photos that no worker
 * takes.
 */
export function createMetrics(overdue: () => Promise<Overdue>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Both gauges of a scrape share one answer.
  let asked: Promise<Overdue | null> | null = null;
  const overdueNow = () => {
    asked ??= soon(overdue()).finally(() => {
      asked = null;
    });
    return asked;
  };
  return {
    registry,
    requests: new Histogram({
      name: 'firsthand_http_request_seconds',
      help: 'Time to answer, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    jobs: new Histogram({
      name: 'firsthand_job_seconds',
      help: 'Time a job ran, by name and outcome',
      labelNames: ['job', 'outcome'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers: [registry],
    }),
    webhookAttempts: new Histogram({
      name: 'firsthand_webhook_attempt_seconds',
      help: 'Time an attempt to deliver a webhook took, by outcome',
      labelNames: ['outcome'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15],
      registers: [registry],
    }),
    webhookFirstAttempt: new Histogram({
      name: 'firsthand_webhook_first_attempt_seconds',
      help: 'Time from an event to the first attempt to deliver it',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300],
      registers: [registry],
    }),
    sealMismatches: new Counter({
      name: 'firsthand_seal_mismatches_total',
      help: 'Reads of a verification whose record is not the one that was sealed',
      registers: [registry],
    }),
    overdueCaptures: new Gauge({
      name: 'firsthand_captures_overdue',
      help: 'Captures that have waited longer than ten minutes for their analysis',
      registers: [registry],
      async collect() {
        const now = await overdueNow();
        if (now) this.set(now.count);
      },
    }),
    oldestCaptureSeconds: new Gauge({
      name: 'firsthand_captures_oldest_seconds',
      help: 'Age of the oldest capture that has waited longer than ten minutes; 0 where there is none',
      registers: [registry],
      async collect() {
        const now = await overdueNow();
        if (now) this.set(now.oldestSeconds);
      },
    }),
    verdicts: new Counter({
      name: 'firsthand_verdicts_total',
      help: 'Verdicts written, by label and reason',
      labelNames: ['label', 'reason'],
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Longer than a healthy database takes, and much shorter than Prometheus waits for a scrape. */
const PATIENCE_MS = 2_000;

/** Null where the database fails or takes too long: the last value stays, and the rest of the scrape is answered. */
const soon = <T>(answer: Promise<T>): Promise<T | null> =>
  Promise.race([answer.catch(() => null), sleep(PATIENCE_MS, null, { ref: false })]);
