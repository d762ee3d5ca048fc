import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { type Job, Logger, type Runner, run, type TaskList, type WorkerPool } from 'graphile-worker';
import { many, one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { inSpan } from '../lib/tracing.ts';
import type { FormerPayload, JobPayloads, SlowTask, Traced } from './queue.ts';

type Payloads = JobPayloads & Record<SlowTask, FormerPayload>;

export type Tasks = { [N in keyof Payloads]: (deps: Deps, payload: Payloads[N]) => Promise<void> };

export interface RunningWorkers {
  /** Takes no new jobs, lets running jobs finish, and hands back the rest. */
  stop(): Promise<void>;
}

/** One worker of a pool looks this often for a job that no notification announced: one whose time has come, or one handed back. */
const LOOK_MS = 1_000;
const HEARTBEAT_MS = 2_000;
/** A worker without a heartbeat for this long is dead: other workers take its jobs. */
const DEAD_AFTER_MS = 8_000;
const RESTART_MS = 1_000;
const SHUTDOWN_GRACE_MS = 20_000;

/**
 * Runs jobs until stopped. graphile-worker keeps the jobs of a killed worker locked for hours. Here each process
 * registers its pool of workers, in whose name jobs are locked, with a heartbeat, and the jobs of a silent pool are handed back at once. If the database belongs to this
 * process, no other worker can be alive, so the start frees every locked job.
 */
export async function startWorkers(
  deps: Deps,
  tasks: Partial<Tasks>,
  o: { alone: boolean; concurrency: number },
): Promise<RunningWorkers> {
  const ids = new Set<string>();
  const open = new Set<WorkerPool>();
  const inWork = new Set<string>();
  if (o.alone) await releaseDead(deps, 'all');
  const taskList: TaskList = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, helpers) => {
        const end = deps.metrics.jobs.startTimer({ job: name });
        try {
          const attributes = { 'firsthand.attempt': helpers.job.attempts };
          const parent = (payload as Traced).traceparent;
          await inSpan(`job ${name}`, { kind: SpanKind.CONSUMER, attributes, parent }, () =>
            (task as (d: Deps, p: unknown) => Promise<void>)(deps, payload),
          );
          end({ outcome: 'done' });
        } catch (error) {
          end({ outcome: 'failed' });
          deps.log.warn(
            { err: error, job: name, payload, attempt: helpers.job.attempts },
            'job failed; it will be tried again',
          );
          throw error;
        }
      },
    ]),
  );
  const start = (): Promise<Runner> =>
    run({
      pgPool: deps.db,
      taskList,
      concurrency: o.concurrency,
      noHandleSignals: true,
      // Each worker of the pool would look by itself, and all at the same moments.
      pollInterval: 60_000,
      logger: quiet(deps),
      preset: {
        worker: {
          gracefulShutdownAbortTimeout: SHUTDOWN_GRACE_MS,
          // A pooler such as pgbouncer gives each transaction another connection of the server.
          preparedStatements: deps.config.databaseUrl === null,
        },
      },
      events: watched(ids, open, inWork),
    });
  let runner: Runner | null = await start();
  const stopping = new AbortController();
  const beating = heartbeat(deps, { ids, inWork }, stopping.signal);
  const looking = setInterval(() => {
    for (const pool of open) pool.nudge(1);
  }, LOOK_MS);
  // graphile-worker outlives a lost connection in most places, but not in all.
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        runner ??= await start();
        await runner.promise;
      } catch (error) {
        deps.log.error({ err: error }, 'the job runner ended; it starts again');
      }
      if (stopping.signal.aborted) return;
      runner = null;
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      clearInterval(looking);
      await runner?.stop();
      await running;
      await beating;
      await deps.db.query('delete from worker_nodes where worker_id = any($1)', [[...ids]]);
    },
  };
}

/**
 * Keeps the ids under which graphile-worker locks jobs, one for each pool of workers, the pools that take jobs, and the ids of the jobs in
 * work.
 */
function watched(ids: Set<string>, open: Set<WorkerPool>, inWork: Set<string>): EventEmitter {
  const events = new EventEmitter();
  events.on('pool:create', ({ workerPool }: { workerPool: WorkerPool }) => {
    ids.add(workerPool.id);
    open.add(workerPool);
  });
  events.on('pool:release', ({ workerPool }: { workerPool: WorkerPool }) => {
    ids.delete(workerPool.id);
    open.delete(workerPool);
  });
  // A worker that has ended must not be nudged.
  for (const end of ['pool:gracefulShutdown', 'pool:forcefulShutdown']) {
    events.on(end, ({ workerPool }: { workerPool: WorkerPool }) => open.delete(workerPool));
  }
  events.on('job:start', ({ job }: { job: Job }) => inWork.add(job.id));
  events.on('job:complete', ({ job }: { job: Job }) => inWork.delete(job.id));
  return events;
}

async function heartbeat(
  deps: Pick<Deps, 'log' | 'db'>,
  { ids, inWork }: { ids: ReadonlySet<string>; inWork: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<void> {
  let beatAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      const found = await one<{ silent: boolean; held: boolean }>(
        deps.db,
        `with beat as (
           insert into worker_nodes (worker_id, seen_at) select unnest($1::text[]), now()
           on conflict (worker_id) do update set seen_at = excluded.seen_at
         )
         select exists (select from worker_nodes where seen_at < now() - $2 * interval '1 ms' and worker_id <> all($1)) as silent,
           exists (select from graphile_worker._private_jobs where locked_at < now() - $2 * interval '1 ms') as held`,
        [[...ids], DEAD_AFTER_MS],
      );
      // After the database paused, every other worker looks dead until it sends its next heartbeat.
      const steady = performance.now() - beatAt < 2 * HEARTBEAT_MS;
      beatAt = performance.now();
      if (steady && (found!.silent || found!.held)) await releaseDead(deps, 'silent');
      if (found!.held) await releaseLost(deps, [...ids], [...inWork]);
    } catch (error) {
      deps.log.warn({ err: error }, 'heartbeat failed');
    }
    await sleep(HEARTBEAT_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Hands back every job of workers without a recent heartbeat, by the database's clock. `all`: of every worker, when the
 * caller knows that none is alive.
 */
async function releaseDead(deps: Pick<Deps, 'log' | 'db'>, which: 'silent' | 'all'): Promise<void> {
  const what = [which === 'all', DEAD_AFTER_MS];
  await deps.db.query("delete from worker_nodes where $1 or seen_at < now() - $2 * interval '1 ms'", what);
  const dead = await many<{ locked_by: string }>(
    deps.db,
    `select distinct locked_by from graphile_worker.jobs j
     where locked_by is not null and ($1 or locked_at < now() - $2 * interval '1 ms')
       and not exists (select from worker_nodes n where n.worker_id = j.locked_by)`,
    what,
  );
  if (dead.length === 0) return;
  await deps.db.query('select graphile_worker.force_unlock_workers($1::text[])', [dead.map(row => row.locked_by)]);
  deps.log.info({ workers: dead.length }, 'took over the jobs of workers that ended');
}

/**
 * Hands back the jobs that the database gave to these workers of this process and that never arrived, because the answer
 * was lost with its connection. graphile-worker keeps them locked for hours, and the workers are alive.
 */
async function releaseLost(deps: Pick<Deps, 'db'>, ids: readonly string[], inWork: readonly string[]): Promise<void> {
  await deps.db.query(
    `with freed as (
       update graphile_worker._private_jobs set locked_by = null, locked_at = null
       where locked_by = any($1) and locked_at < now() - $2 * interval '1 ms' and id <> all($3::bigint[])
       returning job_queue_id
     )
     update graphile_worker._private_job_queues queue set locked_by = null, locked_at = null
     from freed where queue.id = freed.job_queue_id and queue.locked_by = any($1)`,
    [ids, DEAD_AFTER_MS, inWork],
  );
}

const quiet = (deps: Pick<Deps, 'log'>) =>
  new Logger(() => (level, message, meta) => {
    if (level === 'error') deps.log.error({ meta }, message);
    else if (level === 'warning') deps.log.warn(message);
  });
