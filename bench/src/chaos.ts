// Breaks one part after another of an installation of several machines, under load, and checks after each that nothing is lost:
//   npm run bench:chaos -- [--short] [--rounds 1] [--only TEXT] [--rate 2] [--write FILE]
// Two API nodes and two workers behind a proxy, Debian's PostgreSQL with a synchronous standby, an S3 server, Redis. Ends with 1
// when a promise was broken.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { receiveWebhooks } from 'firsthand/commands/receive-webhooks.ts';
import { type Checker, createChecker } from './chaos/check.ts';
import { FAULTS, type Fault } from './chaos/faults.ts';
import { type Fleet, missing, startFleet } from './chaos/fleet.ts';
import { createLoad, type Load } from './chaos/load.ts';
import { percentile } from './measure.ts';
import { createReport } from './report.ts';

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    rate: { type: 'string', default: '2' },
    write: { type: 'string' },
  },
});
const BEFORE_MS = 2_000;
const AFTER_MS = 4_000;
/** A webhook or a photo that waits longer than this after everything is well is stuck. */
const STUCK_MS = 60_000;

const lacking = missing();
if (lacking.length > 0) {
  console.error(`Missing on this machine: apt-get install --no-install-recommends ${lacking.join(' ')}`);
  process.exit(2);
}
const report = createReport('Faults under load');
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

const receiver = await receiveWebhooks();
const fleet = await startFleet();
// Reviews of a random share are not what this counts.
await fleet.pool.query('alter table tenants alter column review_sample set default 0');
await fleet.pool.query('update tenants set review_sample = 0');
const load = createLoad({
  url: fleet.proxy.url,
  nodes: fleet.apis.map(({ port }) => `http://127.0.0.1:${port}`),
  tenant: fleet.tenant,
  webhookUrl: receiver.url,
  perSecond: Number(options.rate),
});
const checker = createChecker({ fleet, load, receiver });
let broken = 0;
try {
  await runAll(fleet, load, checker);
} catch (error) {
  broken += 1;
  console.error(error);
  for (const node of fleet.nodes) console.error(`--- ${node.name}\n${node.output().slice(-2_000)}`);
} finally {
  await fleet.stop();
  await receiver.close();
}
if (broken === 0) report.write(options.write);
process.exitCode = broken === 0 ? 0 : 1;

async function runAll(fleet: Fleet, load: Load, checker: Checker): Promise<void> {
  const faults = FAULTS.filter(
    ({ name, short }) => (!options.short || short) && (!options.only || name.includes(options.only)),
  );
  report.print(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}, ${fleet.database.version}; ` +
      `${options.rate} verifications a second begin on average.\n`,
  );
  report.print(
    '| fault | photos acknowledged | errors seen by clients | errors end after | photo to verdict, p50 and longest | all done after the repair | broken promises |\n|---|---|---|---|---|---|---|',
  );
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const fault of faults) {
      console.error(`${new Date().toISOString()} ${fault.name}`);
      const promises = await runOne(fault, fleet, load, checker);
      broken += promises.length;
      for (const promise of promises) console.error(`  BROKEN: ${promise}`);
    }
  }
  const photos = load.kept.reduce((sum, entry) => sum + entry.photos.size, 0);
  report.print(
    `\n${load.kept.length} verifications, ${photos} photos, ${receiver.received.length} webhooks received, ${broken} broken promises.`,
  );
}

async function runOne(fault: Fault, fleet: Fleet, load: Load, checker: Checker): Promise<string[]> {
  const errorsBefore = load.errors.length;
  const photosBefore = load.kept.reduce((sum, entry) => sum + entry.photos.size, 0);
  load.begin();
  await sleep(BEFORE_MS);
  const began = performance.now();
  const faults = await fault.run(fleet);
  const mended = performance.now();
  await sleep(AFTER_MS);
  await load.end(STUCK_MS);
  const { left, last: slowest } = await checker.settled(STUCK_MS);
  const done = performance.now();
  faults.push(...left.map(what => `${what}, for ever`));
  const waits = checker.verdictSeconds();
  faults.push(...(await checker.check()));

  const errors = load.errors.slice(errorsBefore);
  const counts = new Map<string, number>();
  for (const { what } of errors) counts.set(what, (counts.get(what) ?? 0) + 1);
  const told = [...counts].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none';
  const last = errors.at(-1);
  report.print(
    `| ${[
      fault.name,
      load.kept.reduce((sum, entry) => sum + entry.photos.size, 0) - photosBefore,
      told,
      last ? seconds(Math.max(0, last.at - began)) : '',
      `${percentile(waits, 0.5).toFixed(1)} and ${Math.max(...waits).toFixed(1)} s`,
      seconds(Math.max(0, done - mended - AFTER_MS)) + (slowest ? ` (last: ${slowest})` : ''),
      faults.length,
    ].join(' | ')} |`,
  );
  return faults;
}
