// Keeps a service at half of what it can do and watches whether anything grows that should not:
//   node bench/src/soak.ts [--minutes 30] [--rate PHOTOS_A_SECOND | --phones N] [--threads 1] [--sleep MS] [--write FILE]
// With `--phones`, it is kept at what it can do instead: each phone sends its next photo when the webhook of the last has come, and a person
// lists and searches beside them. With
// `--sleep`, the analysis is a sleep of that many milliseconds (see sleeping-analysis.ts), so that API, database and webhooks get the cores.
// Memory of each process, and the tables whose rows come and go. Data that customers keep grows with each photo; its bytes per photo must
// not. Ends with 1 where the highest value of the last third exceeds the highest before. Highest values, because tables and memory rise and
// fall between two clean-ups.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { idleSeconds, residentMb } from './cpu.ts';
import { arrivals, median, percentile } from './measure.ts';
import { type Installation, type OwnNodes, openInstallation, withOwnNodes } from './own-nodes.ts';
import { ask, photograph, type Receiver, untilTold } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';
import { sleepingFor } from './sleeping-analysis.ts';

const options = optionsOf({
  minutes: '30',
  rate: undefined,
  phones: undefined,
  threads: '1',
  sleep: undefined,
});
const MINUTES = Number(options.minutes);
const PHONES = Number(options.phones ?? 0);
const SAMPLES = 30;
/** Photos of the burst that measures what the service can do, after as many that warm it up. */
const BURST = 40;
const AT_ONCE = 4;
/** The highest value of the last third may exceed the highest before by this factor. */
const FLAT = 1.1;
/** More rows than this in the tables that empty themselves mean that they do not. At full load, photos that wait have rows in them. */
const FEW_ROWS = 200;
/** Rows of these tables are deleted once they are done with. */
const PASSING = [
  'graphile_worker._private_jobs',
  'event_outbox',
  'webhook_queue',
  'webhook_claims',
  'evidence_pending',
  'turn_lanes',
  'slow_jobs',
  'upload_addresses',
  'worker_nodes',
] as const;

interface Sample {
  minute: number;
  photos: number;
  apiMb: number;
  workerMb: number;
  passingRows: number;
  passingKb: number;
  databaseMb: number;
  /** Processor seconds since the start; `idle` of all cores. */
  cpu: { api: number; worker: number; database: number; clients: number; idle: number };
  /** Seconds from the accepted photo to its webhook, since the sample before. */
  waits: number[];
}

const report = createReport(PHONES ? 'Full load' : 'Soak');
const env = { ANALYSIS_THREADS: options.threads, WORKER_CONCURRENCY: `${Math.max(8, 2 * Number(options.threads))}` };
await withOwnNodes({ env: options.sleep ? { ...env, ...sleepingFor(Number(options.sleep)) } : env }, soak);
report.write(options.write);

async function soak(nodes: OwnNodes): Promise<void> {
  const installation = await openInstallation(nodes);
  const { api, worker, receiver, sendOne, sendAll } = installation;
  const photo = await photograph(1280, 960);
  const burst = async (): Promise<number> => {
    const began = performance.now();
    await sendAll(
      Array.from({ length: BURST }, () => photo),
      AT_ONCE,
    );
    return BURST / ((performance.now() - began) / 1_000);
  };
  await burst();
  const most = await burst();
  const rate = options.rate ? Number(options.rate) : most / 2;
  receiver.reset();
  let photos = 0;
  const send = async (): Promise<string> => {
    const id = await sendOne(photo);
    photos += 1;
    return id;
  };
  printHead(most, rate);
  const take = sampler(nodes, installation, () => photos);
  const samples: Sample[] = [await take(0)];
  const sampling = sampleOn(take, samples);
  const seconds = MINUTES * 60;
  const reads = PHONES ? readBeside(installation, seconds) : undefined;
  if (PHONES) await fullLoad(send, receiver, seconds);
  else await arrivals(async () => void (await send()), { perSecond: rate, seconds });
  await sampling;
  printCosts(samples[0]!, samples.at(-1)!);
  if (reads) printReads(await reads);
  judge(samples, api.output() + worker.output());
}

/** Returns what takes a sample: memory, the passing tables, processor time, and the waits since the one before. */
function sampler({ number }: OwnNodes, { api, worker, receiver, cpu }: Installation, photos: () => number) {
  const told = new Set<string>();
  const waits = (): number[] =>
    [...receiver.completed].flatMap(([id, { arrivedAt }]) => {
      const sentAt = receiver.sent.get(id);
      if (sentAt === undefined || told.has(id)) return [];
      told.add(id);
      return [(arrivedAt - sentAt) / 1_000];
    });
  const sumOver = async (of: (table: string) => string): Promise<number> =>
    (await Promise.all(PASSING.map(table => number(of(table))))).reduce((sum, n) => sum + n, 0);
  return async (minute: number): Promise<Sample> => ({
    minute,
    photos: photos(),
    waits: waits(),
    apiMb: await residentMb(api.pid),
    workerMb: await residentMb(worker.pid),
    passingRows: await sumOver(table => `select count(*) as n from ${table}`),
    passingKb: (await sumOver(table => `select pg_total_relation_size('${table}') as n`)) / 1_000,
    databaseMb: (await number('select pg_database_size(current_database()) as n')) / 1e6,
    cpu: {
      ...(await cpu()),
      clients: Object.values(process.cpuUsage()).reduce((sum, us) => sum + us, 0) / 1e6,
      idle: await idleSeconds(),
    },
  });
}

/** Adds samples until the time is over, and prints every third. */
async function sampleOn(take: (minute: number) => Promise<Sample>, samples: Sample[]): Promise<void> {
  const everyMs = (MINUTES * 60_000) / SAMPLES;
  const began = performance.now();
  for (let n = 1; n <= SAMPLES; n += 1) {
    await sleep(Math.max(0, began + n * everyMs - performance.now()));
    samples.push(await take((n * MINUTES) / SAMPLES));
    if (n % 3 === 0) printSample(samples[0]!, samples.at(-2)!, samples.at(-1)!);
  }
}

function printHead(most: number, rate: number): void {
  const { threads } = options;
  const load = PHONES
    ? `${PHONES} phones send one photo after another, each when the webhook of its last has come,`
    : `At most ${most.toFixed(1)} photos a second just before; ${rate.toFixed(1)} a second begin on average`;
  report.print(
    `${machine()}. An API process, a worker with ${threads} analysis ${threads === '1' ? 'thread' : 'threads'}, PostgreSQL; ` +
      `photos of 1280 × 960${options.sleep ? `, whose analysis is a sleep of ${options.sleep} ms` : ''}. ${load} for ${MINUTES} minutes.\n`,
  );
  report.print(
    '| minute | photos | API, resident | worker, resident | rows in tables that empty themselves | size of those tables | database for each photo | photo to webhook, p50 and p99 |\n|---|---|---|---|---|---|---|---|',
  );
}

function printSample(first: Sample, before: Sample, sample: Sample): void {
  const photos = sample.photos - first.photos;
  const waits = [...before.waits, ...sample.waits];
  report.row(
    sample.minute.toFixed(1),
    photos,
    `${sample.apiMb.toFixed(0)} MB`,
    `${sample.workerMb.toFixed(0)} MB`,
    sample.passingRows,
    `${sample.passingKb.toFixed(0)} kB`,
    `${((1_000 * (sample.databaseMb - first.databaseMb)) / photos).toFixed(0)} kB`,
    `${percentile(waits, 0.5).toFixed(1)} and ${percentile(waits, 0.99).toFixed(1)} s`,
  );
}

/** Sends from all phones at once for `seconds`. */
async function fullLoad(sendOne: () => Promise<string>, receiver: Receiver, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: PHONES }, async () => {
      while (performance.now() < end) {
        await untilTold(receiver, await sendOne());
      }
    }),
  );
}

/** Lists and searches five times a second for `seconds`. */
async function readBeside({ api, tenant }: Installation, seconds: number) {
  const reads = {
    'the first 20 verifications': '?limit=20',
    'the failed ones': '?limit=20&status=failed',
    'a search for a word that none has': '?limit=20&q=meier',
    'a search for the beginning of an id': '?limit=20&q=vfy_01',
  };
  const times = Object.entries(reads).map(([what, query]) => ({ what, query, ms: [] as number[] }));
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; )
    for (const { query, ms } of times) {
      ms.push((await ask(`${api.url}/v1/verifications${query}`, { key: tenant.rk_secret })).ms);
      await sleep(200);
    }
  return times;
}

function printReads(times: Awaited<ReturnType<typeof readBeside>>): void {
  report.print('\n| beside the photos | p50 | p99 |\n|---|---|---|');
  for (const { what, ms } of times) report.row(what, ...[0.5, 0.99].map(p => `${percentile(ms, p).toFixed(0)} ms`));
}

/** What the photos between two samples took of the processors. */
function printCosts(from: Sample, to: Sample): void {
  const photos = to.photos - from.photos;
  const each = (part: keyof Sample['cpu']) => `${((1_000 * (to.cpu[part] - from.cpu[part])) / photos).toFixed(0)} ms`;
  const seconds = 60 * (to.minute - from.minute);
  const idle = (to.cpu.idle - from.cpu.idle) / (cpus().length * seconds);
  report.print(
    `\n${(photos / seconds).toFixed(1)} photos a second. Processor time of one: API ${each('api')}, worker ${each('worker')}, PostgreSQL ` +
      `${each('database')}, phones and receiver ${each('clients')}. The cores were idle for ${(100 * idle).toFixed(0)}% of the time.`,
  );
}

/** Compares the last third of the samples with those before. */
function judge(samples: readonly Sample[], output: string): void {
  const from = Math.floor((2 * samples.length) / 3);
  const [before, last] = [samples.slice(0, from), samples.slice(from)];
  const growth = (read: (sample: Sample) => number) => Math.max(...last.map(read)) / Math.max(...before.map(read));
  const memory = { api: growth(sample => sample.apiMb), worker: growth(sample => sample.workerMb) };
  const tables = growth(sample => sample.passingKb);
  const rows = median(last.map(sample => sample.passingRows));
  report.print(
    `\nHighest value of the last third beside the highest before: memory of the API ${memory.api.toFixed(2)}, of the worker ${memory.worker.toFixed(2)}; ` +
      `size of the tables that empty themselves ${tables.toFixed(2)}, ${rows} rows in them.`,
  );
  const few = FEW_ROWS + 10 * PHONES;
  const flat = memory.api <= FLAT && memory.worker <= FLAT && tables <= FLAT && rows <= few;
  if (!flat) {
    console.error(`Something grows.\n${output.slice(-2_000)}`);
    process.exitCode = 1;
  }
}
