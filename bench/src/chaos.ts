// Breaks one part after another of an installation of several machines, under load, and checks after each that nothing is lost:
//   npm run bench:chaos -- [--short] [--times 1] [--only TEXT] [--rate 2] [--write FILE]
// Two API nodes and two workers behind a proxy, Debian's PostgreSQL with a synchronous standby, an S3 server, Redis. `--times N` builds a
// new installation N times and ends at the first broken promise. Ends with 1 when a promise was broken, with 2 when a part is missing.
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import { Checker } from './chaos/check.ts';
import { FAULTS, type Fault } from './chaos/faults.ts';
import { type Fleet, missing, startFleet } from './chaos/fleet.ts';
import { type ClientError, createLoad, type Load } from './chaos/load.ts';
import { postgresVersion } from './chaos/postgres.ts';
import { percentile } from './measure.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({ short: false, times: '1', only: undefined, rate: '2' });
const BEFORE_MS = 2_000;
const AFTER_MS = 4_000;
/** A webhook or a photo that waits longer than this after everything is well is stuck. */
const STUCK_MS = 60_000;
const TIMES = Number(options.times);

const lacking = missing(options);
if (lacking.length > 0) {
  console.error(`Missing on this machine: apt-get install --no-install-recommends ${lacking.join(' ')}`);
  process.exit(2);
}
const report = createReport('Faults under load');
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const faults = FAULTS.filter(
  ({ name, short }) => (!options.short || short) && (!options.only || name.includes(options.only)),
);

/** One fault and what became of it. */
interface Outcome {
  fault: string;
  photos: number;
  /** Errors seen by clients, each kind with its number. */
  errors: Map<string, number>;
  /** When the last error came after the fault began. */
  lastErrorMs: number | undefined;
  verdictSeconds: number[];
  recoveryMs: number;
  slowest: string;
  broken: string[];
}

report.print(`${machine()}, ${postgresVersion()}; ` + `${options.rate} verifications a second begin on average.\n`);
let broken = 0;
if (TIMES > 1) {
  report.print(`Each run: ${faults.map(({ name }) => name).join('; ')}.\n`);
  report.print(
    '| run | photos acknowledged | errors seen by clients | photo to verdict, p50 and longest | longest recovery | minutes | broken promises |\n|---|---|---|---|---|---|---|',
  );
} else {
  report.print(
    '| fault | photos acknowledged | errors seen by clients | errors end after | photo to verdict, p50 and longest | all done after the repair | broken promises |\n|---|---|---|---|---|---|---|',
  );
}
for (let run = 1; run <= TIMES && broken === 0; run += 1) {
  const began = performance.now();
  const outcomes = await runAll();
  if (TIMES > 1) printRun(run, outcomes, performance.now() - began);
}
report.print(`\n${broken} broken promises.`);
if (broken === 0) report.write(options.write);
// Clients of a broken run may wait for ever.
process.exit(broken === 0 ? 0 : 1);

/** Builds an installation, tries every fault on it, and takes it away. */
async function runAll(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const receiver = await receiveWebhooks();
  const fleet = await startFleet();
  let load: Load | undefined;
  try {
    // Reviews of a random share are not what this counts.
    await fleet.pool.query('alter table tenants alter column review_sample set default 0');
    await fleet.pool.query('update tenants set review_sample = 0');
    load = createLoad({
      url: fleet.proxy.url,
      nodes: fleet.apis.map(({ port }) => `http://127.0.0.1:${port}`),
      tenant: fleet.tenant,
      webhookUrl: receiver.url,
      perSecond: Number(options.rate),
    });
    const checker = new Checker({ fleet, load, receiver });
    for (const fault of faults) {
      console.error(`${new Date().toISOString()} ${fault.name}`);
      const outcome = await runOne(fault, fleet, load, checker);
      outcomes.push(outcome);
      broken += outcome.broken.length;
      for (const promise of outcome.broken) console.error(`  BROKEN: ${promise}`);
      if (TIMES === 1) printFault(outcome);
    }
  } catch (error) {
    broken += 1;
    console.error(error);
  } finally {
    if (broken > 0) await tellAll(fleet, load);
    await fleet.stop();
    await receiver.close();
  }
  return outcomes;
}

/** What one wants to know once a promise is broken. */
async function tellAll(fleet: Fleet, load: Load | undefined): Promise<void> {
  console.error(`Errors of clients: ${listed(countOf(load?.errors ?? []))}`);
  console.error(`Ready API nodes: ${fleet.proxy.ready().length}`);
  const { rows } = await fleet.pool
    .query(
      `select state, wait_event_type, wait_event, now() - query_start as since, left(query, 100) as query
       from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() order by query_start`,
    )
    .catch(error => ({ rows: [String(error)] }));
  console.error(rows);
  for (const node of fleet.nodes) console.error(`--- ${node.name}\n${node.output().slice(-2_000)}`);
}

function countOf(errors: readonly ClientError[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { what } of errors) counts.set(what, (counts.get(what) ?? 0) + 1);
  return counts;
}

function listed(errors: ReadonlyMap<string, number>): string {
  return [...errors].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none';
}

function middleAndLongest(samples: readonly number[]): string {
  return `${percentile(samples, 0.5).toFixed(1)} and ${Math.max(...samples).toFixed(1)} s`;
}

function printFault(o: Outcome): void {
  report.row(
    o.fault,
    o.photos,
    listed(o.errors),
    o.lastErrorMs === undefined ? '' : seconds(o.lastErrorMs),
    middleAndLongest(o.verdictSeconds),
    seconds(o.recoveryMs) + (o.slowest ? ` (last: ${o.slowest})` : ''),
    o.broken.length,
  );
}

function printRun(run: number, outcomes: readonly Outcome[], tookMs: number): void {
  const errors = new Map<string, number>();
  for (const [what, count] of outcomes.flatMap(outcome => [...outcome.errors])) {
    errors.set(what, (errors.get(what) ?? 0) + count);
  }
  report.row(
    run,
    outcomes.reduce((sum, { photos }) => sum + photos, 0),
    listed(errors),
    middleAndLongest(outcomes.flatMap(outcome => outcome.verdictSeconds)),
    seconds(Math.max(0, ...outcomes.map(outcome => outcome.recoveryMs))),
    (tookMs / 60_000).toFixed(1),
    broken,
  );
}

async function runOne(fault: Fault, fleet: Fleet, load: Load, checker: Checker): Promise<Outcome> {
  const errorsBefore = load.errors.length;
  const photosOf = () => load.kept.reduce((sum, entry) => sum + entry.photos.size, 0);
  const photosBefore = photosOf();
  load.begin();
  await sleep(BEFORE_MS);
  const began = performance.now();
  const broken = await fault.run(fleet);
  const mended = performance.now();
  await sleep(AFTER_MS);
  await load.end(STUCK_MS);
  const { left, last: slowest } = await checker.settled(STUCK_MS);
  const recoveryMs = Math.max(0, performance.now() - mended - AFTER_MS);
  broken.push(...left.map(what => `${what}, for ever`));
  const verdictSeconds = checker.verdictSeconds();
  broken.push(...(await checker.check()));

  const seen = load.errors.slice(errorsBefore);
  const last = seen.at(-1);
  return {
    fault: fault.name,
    photos: photosOf() - photosBefore,
    errors: countOf(seen),
    lastErrorMs: last && Math.max(0, last.at - began),
    verdictSeconds,
    recoveryMs,
    slowest,
    broken,
  };
}
