import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { one } from '../../src/platform/db/sql.ts';
import { startWorkers } from '../../src/platform/jobs/runner.ts';
import { startTestService, type TestService, until } from '../support/harness.ts';

/** Longer than a worker may be silent, and several heartbeats. */
const LONG_MS = 15_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => service?.stop());

it('a job that takes longer than a silent worker is believed in runs once, and its process beats once for all threads', async () => {
  const { deps } = service;
  let runs = 0;
  const settle = async () => {
    runs += 1;
    await sleep(LONG_MS);
  };
  const nodes = [
    await startWorkers(deps, { settle }, { alone: false, concurrency: 4 }),
    await startWorkers(deps, { settle }, { alone: false, concurrency: 4 }),
  ];
  try {
    await deps.db.query(
      `select graphile_worker.add_job('settle', '{"verification_id":"vfy_none"}', job_key => 'long', max_attempts => 5)`,
    );
    await until(async () => runs > 0, 'the job to begin');
    await until(
      async () => !(await one(deps.db, `select from graphile_worker._private_jobs where key = 'long'`)),
      'the job to end',
      60_000,
    );
    expect(runs).toBe(1);
    const beats = await one<{ n: number }>(deps.db, 'select count(*)::int as n from worker_nodes');
    expect(beats!.n).toBe(nodes.length);
  } finally {
    for (const node of nodes) await node.stop();
  }
});
