// How long a photo takes at 30, 50 and 70% of what the whole installation sustains, phones and receiver included:
//   node bench/src/tails.ts [--runs 5] [--seconds 45] [--threads 1] [--write FILE]
// Half of the analysis' rate is not half of the machine's, so each run first finds the rate that the whole sustains: phones that each send
// their next photo when the webhook of the last has come.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import { idleSeconds, residentMb } from './cpu.ts';
import { arrivals, median, milliseconds, percentile } from './measure.ts';
import { type Installation, openInstallation, withOwnNodes } from './own-nodes.ts';
import { photograph, untilTold } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({ runs: '5', seconds: '45', threads: '1' });
const RUNS = Number(options.runs);
const SECONDS = Number(options.seconds);
const THREADS = Number(options.threads);
const LOADS = [0.3, 0.5, 0.7, 1] as const;
const PHONES = 8 * THREADS;

/** What one stretch of load gave. Times in milliseconds, processor time of one photo. */
interface Load {
  perSecond: number;
  verdict: { p50: number; p99: number };
  webhook: { p50: number; p99: number };
  cpu: { api: number; database: number; worker: number; clients: number };
  /** The part of all processors' time that was used. */
  busy: number;
}

const report = createReport('Tails');
const photo = await photograph(1280, 960);
const oneAnalysis = await timeOfAnalysis();
await withOwnNodes(
  { env: { ANALYSIS_THREADS: `${THREADS}`, WORKER_CONCURRENCY: `${Math.max(8, 2 * THREADS)}` } },
  async nodes => {
    const installation = await openInstallation(nodes);
    await fullLoad(installation, 10);
    const loads = new Map<number, Load[]>(LOADS.map(load => [load, []]));
    for (let run = 0; run < RUNS; run += 1) {
      const most = await measured(installation, () => fullLoad(installation, SECONDS / 2));
      loads.get(1)!.push(most);
      for (const load of LOADS.filter(load => load < 1)) {
        const perSecond = load * most.perSecond;
        loads.get(load)!.push(await measured(installation, () => steadyLoad(installation, perSecond, run + 1)));
      }
    }
    print(loads, await residentMb(installation.worker.pid));
  },
);
report.write(options.write);

/** Milliseconds of one analysis with nothing else running. */
async function timeOfAnalysis(): Promise<number> {
  const { analyze, close } = createAnalysisPool({ threads: 1, timeoutMs: 60_000, memoryMb: 768 });
  const analyse = () => analyze({ bytes: photo, signals: ['screen', 'ai'] });
  for (let n = 0; n < 20; n += 1) await analyse();
  const ms = await milliseconds(analyse, 21);
  await close();
  return ms;
}

/** Each phone sends its next photo when the webhook of its last has come. */
async function fullLoad({ sendOne, receiver }: Installation, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: PHONES }, async () => {
      while (performance.now() < end) await untilTold(receiver, await sendOne(photo));
    }),
  );
}

/** Photos begin at random moments, at the same ones whenever the bench runs. */
async function steadyLoad({ sendOne, receiver }: Installation, perSecond: number, seed: number): Promise<void> {
  await arrivals(async () => void (await sendOne(photo)), { perSecond, seconds: SECONDS, seed });
  while (receiver.completed.size < receiver.sent.size) await sleep(20);
}

async function measured({ receiver, cpu }: Installation, work: () => Promise<void>): Promise<Load> {
  receiver.reset();
  const read = async () => ({
    ...(await cpu()),
    clients: Object.values(process.cpuUsage()).reduce((sum, us) => sum + us, 0) / 1e6,
    idle: await idleSeconds(),
    at: performance.now() / 1_000,
  });
  const from = await read();
  await work();
  const to = await read();
  const photos = receiver.sent.size;
  const seconds = to.at - from.at;
  const each = (part: 'api' | 'database' | 'worker' | 'clients') => (1_000 * (to[part] - from[part])) / photos;
  const times = [...receiver.sent].map(([id, sentAt]) => ({ sentAt, ...receiver.completed.get(id)! }));
  const spread = (samples: number[]) => ({ p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) });
  return {
    perSecond: photos / seconds,
    verdict: spread(times.map(({ sentAt, verdictAt }) => verdictAt - sentAt)),
    webhook: spread(times.map(({ sentAt, arrivedAt }) => arrivedAt - sentAt)),
    cpu: { api: each('api'), database: each('database'), worker: each('worker'), clients: each('clients') },
    busy: 1 - (to.idle - from.idle) / (cpus().length * seconds),
  };
}

function print(loads: ReadonlyMap<number, Load[]>, workerMb: number): void {
  report.print(
    `${machine()}. An API process, a worker with ${THREADS} analysis ${THREADS === 1 ? 'thread' : 'threads'}, PostgreSQL, ` +
      `phones and receiver on the same cores; photos of 1280 × 960. One analysis takes ${oneAnalysis.toFixed(0)} ms with nothing ` +
      `else running. ${RUNS} runs of ${SECONDS} s for each load: the median, and the worst in brackets. The worker ended with ` +
      `${workerMb.toFixed(0)} MB.\n`,
  );
  report.print(
    '| load | photos a second | processors busy | photo to verdict, p50 | p99 | in analyses | photo to webhook, p50 | p99 | API, processor time | PostgreSQL | worker | phones |\n' +
      '|---|---|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const [load, runs] of loads) {
    const of = (read: (run: Load) => number, unit = ' ms', digits = 0) => {
      const values = runs.map(read);
      return `${median(values).toFixed(digits)}${unit} (${Math.max(...values).toFixed(digits)})`;
    };
    const inAnalyses = (read: (run: Load) => number) => (median(runs.map(read)) / oneAnalysis).toFixed(1);
    report.row(
      load === 1 ? 'full' : `${100 * load}%`,
      of(run => run.perSecond, '', 1),
      of(run => 100 * run.busy, '%'),
      of(run => run.verdict.p50),
      of(run => run.verdict.p99),
      `${inAnalyses(run => run.verdict.p50)} and ${inAnalyses(run => run.verdict.p99)}`,
      of(run => run.webhook.p50),
      of(run => run.webhook.p99),
      of(run => run.cpu.api, ' ms', 1),
      of(run => run.cpu.database, ' ms', 1),
      of(run => run.cpu.worker, ' ms', 1),
      of(run => run.cpu.clients, ' ms', 1),
    );
  }
}
