import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { type Job, Logger, type Runner, run, type TaskList, type WorkerPool } from 'graphile-worker';
import { many, one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { inSpan } from '../lib/tracing.ts';
import type { JobPayloads, Traced } from './queue.ts';

export type Tasks = { [N in keyof JobPayloads]: (deps: Deps, payload: JobPayloads[N]) => Promise<void> };

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
 * registers its pool of workers, in whose name jobs are locked, with a heartbeat. The jobs of a silent pool are handed
 * back at once. If the database belongs to this process, no other worker can be alive, so the start frees every locked
 * job.
 */
export async function startWorkers(
  deps: Deps,
  tasks: Partial<Tasks>,
  o: { alone: boolean; concurrency: number },
): Promise<RunningWorkers> {
  if (o.alone) await releaseDead(deps, 'all');
  const pools = watchPools(deps.db);
  const start = (): Promise<Runner> =>
    run({
      pgPool: deps.db,
      taskList: taskListOf(deps, tasks),
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
      events: pools.events,
    });
  let runner: Runner | null = await start();
  // It may be stopping already.
  const end = async () => runner?.stop().catch(() => {});
  const stopping = new AbortController();
  const beating = heartbeat(deps, pools, end, stopping.signal);
  const looking = setInterval(() => {
    for (const pool of pools.open) pool.nudge(1);
  }, LOOK_MS);
  // graphile-worker outlives a lost connection in most places, but not in all.
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        runner ??= await start();
        if (stopping.signal.aborted) await end();
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
      await end();
      await running;
      await beating;
      await pools.forgotten();
    },
  };
}

const taskListOf = (deps: Deps, tasks: Partial<Tasks>): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, { job: { attempts } }) => {
        const end = deps.metrics.jobs.startTimer({ job: name });
        try {
          const parent = (payload as Traced).traceparent;
          await inSpan(
            `job ${name}`,
            { kind: SpanKind.CONSUMER, attributes: { 'firsthand.attempt': attempts }, parent },
            () => (task as (d: Deps, p: unknown) => Promise<void>)(deps, payload),
          );
          end({ outcome: 'done' });
        } catch (error) {
          end({ outcome: 'failed' });
          deps.log.warn({ err: error, job: name, payload, attempt: attempts }, 'job failed; it will be tried again');
          throw error;
        }
      },
    ]),
  );

/** The pools of workers of this process. */
interface Pools {
  events: EventEmitter;
  /** In their names jobs are locked. */
  ids: ReadonlySet<string>;
  /** Those that take jobs. */
  open: ReadonlySet<WorkerPool>;
  /** The ids of the jobs in work. */
  inWork: ReadonlySet<string>;
  /** Resolves when no pool that ended counts as alive. */
  forgotten(): Promise<unknown>;
}

function watchPools(db: Deps['db']): Pools {
  const ids = new Set<string>();
  const open = new Set<WorkerPool>();
  const inWork = new Set<string>();
  let forgotten: Promise<unknown> = Promise.resolve();
  const events = new EventEmitter();
  events.on('pool:create', ({ workerPool }: { workerPool: WorkerPool }) => {
    ids.add(workerPool.id);
    open.add(workerPool);
  });
  events.on('pool:release', ({ workerPool: { id } }: { workerPool: WorkerPool }) => {
    ids.delete(id);
    // If this fails, the pool falls silent.
    forgotten = db.query('delete from worker_nodes where worker_id = $1', [id]).catch(() => {});
  });
  // A worker that has ended must not be nudged.
  for (const end of ['pool:gracefulShutdown', 'pool:forcefulShutdown', 'pool:release']) {
    events.on(end, ({ workerPool }: { workerPool: WorkerPool }) => open.delete(workerPool));
  }
  events.on('job:start', ({ job }: { job: Job }) => inWork.add(job.id));
  events.on('job:complete', ({ job }: { job: Job }) => inWork.delete(job.id));
  return { events, ids, open, inWork, forgotten: () => forgotten };
}

/**
 * Registers the pools, and hands back the jobs of dead workers. A job can also be locked by a living pool that does not
 * have it, because the answer was lost with its connection. Then `end` ends the pool once its jobs are done, and the next
 * pool takes its place.
 */
async function heartbeat(
  deps: Pick<Deps, 'log' | 'db'>,
  { ids, inWork }: Pools,
  end: () => void,
  signal: AbortSignal,
): Promise<void> {
  let beatAt = Number.NEGATIVE_INFINITY;
  // A job that just ended looks lost for a moment, until it is deleted.
  let suspects: string[] = [];
  while (!signal.aborted) {
    try {
      const found = (await one<{ silent: boolean; held: boolean; own: string[] }>(
        deps.db,
        `with beat as (
           insert into worker_nodes (worker_id, seen_at) select unnest($1::text[]), now()
           on conflict (worker_id) do update set seen_at = excluded.seen_at
         )
         select exists (select from worker_nodes where seen_at < now() - $2 * interval '1 ms' and worker_id <> all($1)) as silent,
           count(*) > 0 as held, coalesce(array_agg(id) filter (where locked_by = any($1)), '{}') as own
         from graphile_worker.jobs where locked_at < now() - $2 * interval '1 ms'`,
        [[...ids], DEAD_AFTER_MS],
      ))!;
      // After the database paused, every other worker looks dead until it sends its next heartbeat.
      const steady = performance.now() - beatAt < 2 * HEARTBEAT_MS;
      beatAt = performance.now();
      if (steady && (found.silent || found.held)) await releaseDead(deps, 'silent');
      const lost = found.own.filter(id => !inWork.has(id));
      if (lost.some(id => suspects.includes(id))) end();
      suspects = lost;
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

const quiet = (deps: Pick<Deps, 'log'>) =>
  new Logger(() => (level, message, meta) => {
    if (level === 'error') deps.log.error({ meta }, message);
    else if (level === 'warning') deps.log.warn(message);
  });
