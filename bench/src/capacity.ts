// Measures what one photo costs each part of an installation: processor time, rows, bytes.
//   node bench/src/capacity.ts [--photos 60] [--sleep MS] [--write FILE]
//   node bench/src/capacity.ts --ways [--photos 60] [--write FILE]
//   npm run bench:rows -- [--photos 12] [--write FILE]
// With `--sleep`, the analysis is a sleep of that many milliseconds (see sleeping-analysis.ts), and the worker's time is that of everything else.
// `--ways` compares the ways in: a presigned upload, JSON, and verifications that a batch created.
// `--tables` (bench:rows) counts what a photo writes, table by table: photos of different scenes, one after another.
// The API, a worker and PostgreSQL are processes of their own. Processor time is what the kernel counted for them, less what they
// take when nobody asks, so other load on the machine hardly changes it.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { type Installation, type OwnNodes, openInstallation, withOwnNodes } from './own-nodes.ts';
import { ask, createVerification, phone, photograph, submitInline, uploadPicture } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';
import { sleepingFor } from './sleeping-analysis.ts';

const options = optionsOf({ photos: '60', sleep: undefined, tables: false, ways: false });
const PHOTOS = Number(options.photos);
const WARM_UP = 10;
const IDLE_MS = 20_000;
/** An idle connection reports its counts within ten seconds. */
const REPORTED_MS = 12_000;
const SIZES = [
  [1280, 960],
  [4000, 3000],
] as const;
const PARTS = [
  ['API', 'api'],
  ['worker', 'worker'],
  ['PostgreSQL', 'database'],
] as const;
const KINDS = ['inserted', 'updated', 'deleted'] as const;

type Written = Record<(typeof KINDS)[number], number>;

/** What has been used and written so far. */
interface Taken extends Written {
  /** In seconds. */
  at: number;
  cpu: Record<(typeof PARTS)[number][1], number>;
  commits: number;
  wal: number;
  size: number;
  blobs: number;
  tables: Map<string, Written>;
}
type Value = (taken: Taken) => number;

const WAYS = ['presigned upload', 'inside the JSON', 'row of a batch'] as const;

const report = createReport(options.tables ? 'What one photo writes' : 'What one photo costs');
await withOwnNodes(
  {
    ...(options.sleep && { env: sleepingFor(Number(options.sleep)) }),
    // After a checkpoint the log also carries whole pages, as many as the load between two makes. Autovacuum works once a minute,
    // sometimes among the photos and sometimes before them.
    ...(options.tables && { settings: { checkpoint_timeout: '1h', autovacuum: 'off' } }),
  },
  measure,
);
report.write(options.write);

async function measure(nodes: OwnNodes): Promise<void> {
  const installation = await openInstallation(nodes);
  const take = () => taken(nodes, installation.cpu);
  const send = async (photos: readonly Buffer[]): Promise<void> => {
    await installation.sendAll(photos, options.tables ? 1 : 2);
    await sleep(REPORTED_MS);
  };
  const scenes = (first: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => photograph(1280, 960, first + n)));
  const different = options.tables ? await scenes(WARM_UP, PHOTOS) : [];
  // Whatever is compiled or filled once.
  await send(await scenes(0, WARM_UP));
  const idleFrom = await take();
  await sleep(IDLE_MS);
  const idleTo = await take();
  const idle = (value: Value): number => (value(idleTo) - value(idleFrom)) / (idleTo.at - idleFrom.at);
  if (options.tables) {
    const before = await take();
    await send(different);
    printTables(before, await take(), idle);
    return;
  }
  const runs: [Taken, Taken][] = [];
  if (options.ways) {
    const photo = await photograph(4000, 3000);
    for (const way of WAYS) {
      const before = await take();
      await sendBy(way, nodes, installation, photo);
      await sleep(REPORTED_MS);
      runs.push([before, await take()]);
    }
    printCosts(WAYS, runs, idle);
    return;
  }
  for (const [width, height] of SIZES) {
    const photo = await photograph(width, height);
    const before = await take();
    await send(Array.from({ length: PHOTOS }, () => photo));
    runs.push([before, await take()]);
  }
  printCosts(
    SIZES.map(size => size.join(' × ')),
    runs,
    idle,
  );
}

/** Sends as many photos of 12 megapixels by one way, two at once, and waits for their webhooks. */
async function sendBy(
  way: (typeof WAYS)[number],
  { pool }: OwnNodes,
  { api, tenant, receiver }: Installation,
  photo: Buffer,
): Promise<void> {
  receiver.reset();
  const request = { webhook_url: receiver.url };
  const ids: string[] = [];
  if (way === 'row of a batch') {
    const rows = Array.from({ length: PHOTOS }, (_, n) => ({ name: `Person ${n}` }));
    const { body } = await ask<Batch>(`${api.url}/v1/batches`, { key: tenant.rk_secret, body: { request, rows } });
    const created = async () =>
      (await pool.query<{ id: string }>('select verification_id as id from batch_rows where batch_id = $1', [body.id]))
        .rows;
    while ((await created()).filter(({ id }) => id).length < PHOTOS) await sleep(50);
    ids.push(...(await created()).map(({ id }) => id));
  }
  let turn = 0;
  const sender = async () => {
    for (let n = turn++; n < PHOTOS; n = turn++) {
      const dispatcher = phone(`127.0.4.${1 + (n % 200)}`);
      const id = ids[n] ?? (await createVerification(api.url, tenant, dispatcher, request)).id;
      const send = way === 'inside the JSON' ? submitInline : uploadPicture;
      await send(api.url, dispatcher, receiver, id, photo);
      await dispatcher.close();
    }
  };
  await Promise.all([sender(), sender()]);
  while (receiver.completed.size < PHOTOS) await sleep(20);
}

async function taken({ dataDir, pool, number }: OwnNodes, cpu: () => Promise<Taken['cpu']>): Promise<Taken> {
  const { rows } = await pool.query<Written & { name: string }>(
    `select case schemaname when 'public' then '' else schemaname || '.' end || relname as name,
       n_tup_ins::integer as inserted, n_tup_upd::integer as updated, n_tup_del::integer as deleted
     from pg_stat_user_tables`,
  );
  const sum = (kind: keyof Written): number => rows.reduce((all, row) => all + row[kind], 0);
  return {
    at: performance.now() / 1_000,
    cpu: await cpu(),
    commits: await number('select xact_commit as n from pg_stat_database where datname = current_database()'),
    wal: await number("select pg_current_wal_insert_lsn() - '0/0' as n"),
    size: await number('select pg_database_size(current_database()) as n'),
    blobs: await bytesIn(join(dataDir, 'blobs')),
    tables: new Map(rows.map(({ name, ...written }) => [name, written])),
    inserted: sum('inserted'),
    updated: sum('updated'),
    deleted: sum('deleted'),
  };
}

/** Per photo, less what the same time costs when nobody asks. */
function busy(before: Taken, after: Taken, value: Value, idle: (value: Value) => number): number {
  return (value(after) - value(before) - idle(value) * (after.at - before.at)) / PHOTOS;
}

function printCosts(columns: readonly string[], runs: [Taken, Taken][], idle: (value: Value) => number): void {
  report.print(`${machine()}\n`);
  report.row('for one photo, its verification, verdict and webhook', ...columns);
  report.print(`|---|${columns.map(() => '---').join('|')}|`);
  for (const [name, part] of PARTS) {
    const ms = runs.map(([before, after]) => 1_000 * busy(before, after, taken => taken.cpu[part], idle));
    report.row(`processor time, ${name}`, ...ms.map(each => `${each.toFixed(0)} ms`));
  }
  const raw = (what: string, value: Value, scale: number, unit: string): void => {
    const each = runs.map(([before, after]) => (value(after) - value(before)) / PHOTOS / scale);
    report.row(what, ...each.map(n => `${n.toFixed(0)}${unit}`));
  };
  raw('rows inserted', taken => taken.inserted, 1, '');
  raw('rows updated or deleted', taken => taken.updated + taken.deleted, 1, '');
  raw('database growth', taken => taken.size, 1_000, ' kB');
  raw('write-ahead log', taken => taken.wal, 1_000, ' kB');
  raw('files in the store', taken => taken.blobs, 1_000, ' kB');
  const [api, worker, database] = PARTS.map(([, part]) => `${(100 * idle(taken => taken.cpu[part])).toFixed(1)}%`);
  report.print(
    `\nIdle, an API process takes ${api} of a core, a worker ${worker}, PostgreSQL ${database}. ${PHOTOS} photos in each column.`,
  );
}

function printTables(before: Taken, after: Taken, idle: (value: Value) => number): void {
  const perPhoto = (value: Value): number => busy(before, after, value, idle);
  report.print(`${machine()}, ${PHOTOS} photos\n`);
  report.print('| table | inserted | updated | deleted |\n|---|---|---|---|');
  for (const name of [...after.tables.keys()].sort()) {
    const shown = KINDS.map(kind => perPhoto(({ tables }) => tables.get(name)?.[kind] ?? 0)).map(each =>
      Math.abs(each) < 0.05 ? '' : each.toFixed(1),
    );
    if (shown.some(text => text !== '')) report.row(name, ...shown);
  }
  report.row('**all**', ...KINDS.map(kind => perPhoto(taken => taken[kind]).toFixed(1)));
  report.print('\n| | one photo | idle, a second |\n|---|---|---|');
  const both = (what: string, value: Value, digits: number, unit = ''): void =>
    report.row(what, `${perPhoto(value).toFixed(digits)}${unit}`, `${idle(value).toFixed(1)}${unit}`);
  both('write-ahead log', ({ wal }) => wal / 1_000, 1, ' kB');
  both('transactions', ({ commits }) => commits, 0);
  both('rows written', taken => KINDS.reduce((sum, kind) => sum + taken[kind], 0), 1);
  for (const [name, part] of PARTS) both(`processor time, ${name}`, ({ cpu }) => 1_000 * cpu[part], 0, ' ms');
}

async function bytesIn(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}
