// Measures what one photo costs each part of an installation: processor time, rows, bytes.
//   node bench/src/capacity.ts [--photos 60] [--sleep MS] [--write FILE]
// With `--sleep`, the analysis is a sleep of that many milliseconds (see sleeping-analysis.ts), and the worker's time is that of everything else.
// The API, a worker and PostgreSQL are processes of their own. Processor time is what the kernel counted for them, less what they
// take when nobody asks, so other load on the machine hardly changes it.
import { readdir, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstRunOf } from '../../server/test/support/service-process.ts';
import { cpuSeconds, postmasterOf } from './cpu.ts';
import { type OwnNodes, withOwnNodes } from './own-nodes.ts';
import { phone, photograph, startReceiver, submitPicture } from './receivers.ts';
import { createReport } from './report.ts';
import { sleepingFor } from './sleeping-analysis.ts';

const { values: options } = parseArgs({
  options: { photos: { type: 'string', default: '60' }, sleep: { type: 'string' }, write: { type: 'string' } },
});
const PHOTOS = Number(options.photos);
const IDLE_MS = 15_000;
const AT_ONCE = 2;
const SIZES = [
  [1280, 960],
  [4000, 3000],
] as const;

const report = createReport('What one photo costs');
await withOwnNodes(options.sleep ? { env: sleepingFor(Number(options.sleep)) } : {}, measure);
report.write(options.write);

async function measure({ dataDir, number, start, atEnd }: OwnNodes): Promise<void> {
  const api = await start('serve');
  const worker = await start('work');
  const receiver = await startReceiver();
  atEnd(receiver.close);
  const tenant = await firstRunOf(dataDir);
  const postmaster = await postmasterOf(dataDir);

  const take = async () => ({
    at: performance.now(),
    api: await cpuSeconds(api.pid),
    worker: await cpuSeconds(worker.pid),
    database: await cpuSeconds(postmaster),
    written: await number('select sum(n_tup_ins) as n from pg_stat_user_tables'),
    changed: await number('select sum(n_tup_upd + n_tup_del) as n from pg_stat_user_tables'),
    size: await number('select pg_database_size(current_database()) as n'),
    wal: await number("select pg_current_wal_lsn() - '0/0' as n"),
    blobs: await bytesIn(join(dataDir, 'blobs')),
  });
  type Taken = Awaited<ReturnType<typeof take>>;

  let serial = 0;
  const send = async (photo: Buffer, count: number) => {
    receiver.reset();
    let left = count;
    const sender = async () => {
      while (left-- > 0) {
        serial += 1;
        const dispatcher = phone(`127.0.${7 + (serial >> 7)}.${1 + (serial & 127)}`);
        await submitPicture(api.url, tenant, dispatcher, receiver, photo);
        await dispatcher.close();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    while (receiver.completed.size < count) await sleep(50);
    // The statistics of PostgreSQL and the log's last entries follow within seconds.
    await sleep(5_000);
  };

  // Whatever is compiled or filled once.
  await send(await photograph(1280, 960), 10);
  const idleFrom = await take();
  await sleep(IDLE_MS);
  const idleTo = await take();
  const idle = (part: 'api' | 'worker' | 'database') =>
    (idleTo[part] - idleFrom[part]) / ((idleTo.at - idleFrom.at) / 1_000);

  report.print(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}\n`);
  report.print(
    `| for one photo, its verification, verdict and webhook | ${SIZES.map(size => size.join(' × ')).join(' | ')} |`,
  );
  report.print(`|---|${SIZES.map(() => '---').join('|')}|`);
  const taken: [Taken, Taken][] = [];
  for (const [width, height] of SIZES) {
    const photo = await photograph(width, height);
    const before = await take();
    await send(photo, PHOTOS);
    taken.push([before, await take()]);
  }
  const row = (what: string, value: (before: Taken, after: Taken) => string) =>
    report.print(`| ${what} | ${taken.map(([before, after]) => value(before, after)).join(' | ')} |`);
  const busy = (part: 'api' | 'worker' | 'database') => (before: Taken, after: Taken) => {
    const seconds = after[part] - before[part] - (idle(part) * (after.at - before.at)) / 1_000;
    return `${((1_000 * seconds) / PHOTOS).toFixed(0)} ms`;
  };
  const per = (key: 'written' | 'changed') => (before: Taken, after: Taken) =>
    ((after[key] - before[key]) / PHOTOS).toFixed(0);
  const kilobytes = (key: 'size' | 'wal' | 'blobs') => (before: Taken, after: Taken) =>
    `${((after[key] - before[key]) / PHOTOS / 1_000).toFixed(0)} kB`;
  row('processor time, API', busy('api'));
  row('processor time, worker', busy('worker'));
  row('processor time, PostgreSQL', busy('database'));
  row('rows inserted', per('written'));
  row('rows updated or deleted', per('changed'));
  row('database growth', kilobytes('size'));
  row('write-ahead log', kilobytes('wal'));
  row('files in the store', kilobytes('blobs'));
  const share = (part: 'api' | 'worker' | 'database') => `${(100 * idle(part)).toFixed(1)}%`;
  report.print(
    `\nIdle, an API process takes ${share('api')} of a core, a worker ${share('worker')}, PostgreSQL ${share('database')}. ${PHOTOS} photos of each size.`,
  );
}

async function bytesIn(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}
