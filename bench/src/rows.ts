// Counts what one photo writes, table by table: rows, write-ahead log, processor time of API, worker and PostgreSQL.
//   npm run bench:rows -- [--photos 12] [--write FILE]
// The photos show different scenes. They are sent one after another through HTTP, each with its verification, upload, verdict and three
// webhooks.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstRunOf } from '../../server/test/support/service-process.ts';
import { cpuSeconds, postmasterOf } from './cpu.ts';
import { type OwnNodes, withOwnNodes } from './own-nodes.ts';
import { phone, photograph, startReceiver, submitPicture } from './receivers.ts';
import { createReport } from './report.ts';

const { values: options } = parseArgs({
  options: {
    photos: { type: 'string', default: '12' },
    write: { type: 'string' },
  },
});
const PHOTOS = Number(options.photos);
const WARM_UP = 6;
const IDLE_MS = 20_000;
/** An idle connection reports its counts within ten seconds. */
const REPORTED_MS = 12_000;

interface Written {
  inserted: number;
  updated: number;
  deleted: number;
}

const report = createReport('What one photo writes');
await withOwnNodes(
  {
    settings: {
      // After a checkpoint the log also carries whole pages. How many depends on the load between two checkpoints, not on the photo.
      checkpoint_timeout: '1h',
      // It works once a minute, sometimes among the photos and sometimes before them.
      autovacuum: 'off',
    },
  },
  measure,
);
report.write(options.write);

async function measure({ dataDir, pool, number, start, atEnd }: OwnNodes): Promise<void> {
  const api = await start('serve');
  const worker = await start('work');
  const receiver = await startReceiver();
  atEnd(receiver.close);
  const tenant = await firstRunOf(dataDir);
  const postmaster = await postmasterOf(dataDir);
  const photos = await Promise.all(Array.from({ length: WARM_UP + PHOTOS }, (_, n) => photograph(1280, 960, n)));

  const take = async () => ({
    at: performance.now(),
    api: await cpuSeconds(api.pid),
    worker: await cpuSeconds(worker.pid),
    database: await cpuSeconds(postmaster),
    wal: await number("select pg_current_wal_insert_lsn() - '0/0' as n"),
    commits: await number('select xact_commit as n from pg_stat_database where datname = current_database()'),
    tables: new Map(
      (
        await pool.query<Written & { name: string }>(
          `select case schemaname when 'public' then '' else schemaname || '.' end || relname as name,
             n_tup_ins::integer as inserted, n_tup_upd::integer as updated, n_tup_del::integer as deleted
           from pg_stat_user_tables`,
        )
      ).rows.map(({ name, ...written }) => [name, written]),
    ),
  });
  type Taken = Awaited<ReturnType<typeof take>>;

  let serial = 0;
  const send = async (count: number) => {
    receiver.reset();
    for (let sent = 1; sent <= count; sent++) {
      serial += 1;
      const dispatcher = phone(`127.0.7.${serial}`);
      await submitPicture(api.url, tenant, dispatcher, receiver, photos[serial - 1]!);
      await dispatcher.close();
      while (receiver.completed.size < sent) await sleep(50);
    }
    await sleep(REPORTED_MS);
  };

  // Compiles what is compiled once.
  await send(WARM_UP);
  const idleFrom = await take();
  await sleep(IDLE_MS);
  const idleTo = await take();
  const before = await take();
  await send(PHOTOS);
  const after = await take();

  const idleSeconds = (idleTo.at - idleFrom.at) / 1_000;
  const seconds = (after.at - before.at) / 1_000;
  const none: Written = { inserted: 0, updated: 0, deleted: 0 };
  /** Per photo, less what the same time costs when nobody asks. */
  const perPhoto = (value: (taken: Taken) => number) =>
    (value(after) - value(before) - ((value(idleTo) - value(idleFrom)) / idleSeconds) * seconds) / PHOTOS;
  const perSecond = (value: (taken: Taken) => number) => (value(idleTo) - value(idleFrom)) / idleSeconds;
  const rowsOf = (name: string, kind: keyof Written) => (taken: Taken) => (taken.tables.get(name) ?? none)[kind];
  const allRows = (kind: keyof Written) => (taken: Taken) =>
    [...taken.tables.values()].reduce((sum, written) => sum + written[kind], 0);
  const shown = (value: number) => (Math.abs(value) < 0.05 ? '' : value.toFixed(1));

  report.print(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}, ${PHOTOS} photos\n`,
  );
  report.print('| table | inserted | updated | deleted |\n|---|---|---|---|');
  const kinds = ['inserted', 'updated', 'deleted'] as const;
  for (const name of [...after.tables.keys()].sort()) {
    const values = kinds.map(kind => shown(perPhoto(rowsOf(name, kind))));
    if (values.some(value => value !== '')) report.print(`| ${name} | ${values.join(' | ')} |`);
  }
  report.print(`| **all** | ${kinds.map(kind => perPhoto(allRows(kind)).toFixed(1)).join(' | ')} |`);
  report.print('\n| | one photo | idle, a second |\n|---|---|---|');
  const kilobytes = (taken: Taken) => taken.wal / 1_000;
  report.print(`| write-ahead log | ${perPhoto(kilobytes).toFixed(1)} kB | ${perSecond(kilobytes).toFixed(1)} kB |`);
  report.print(`| transactions | ${perPhoto(t => t.commits).toFixed(0)} | ${perSecond(t => t.commits).toFixed(1)} |`);
  const changed = (taken: Taken) => kinds.reduce((sum, kind) => sum + allRows(kind)(taken), 0);
  report.print(`| rows written | ${perPhoto(changed).toFixed(1)} | ${perSecond(changed).toFixed(1)} |`);
  for (const [name, part] of [
    ['API', 'api'],
    ['worker', 'worker'],
    ['PostgreSQL', 'database'],
  ] as const)
    report.print(
      `| processor time, ${name} | ${(1_000 * perPhoto(t => t[part])).toFixed(0)} ms | ${(1_000 * perSecond(t => t[part])).toFixed(1)} ms |`,
    );
}
