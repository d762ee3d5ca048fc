/**
 * What it costs to forget a million rows that are over, on an embedded PostgreSQL of its own:
 *
 * node bench/src/forgetting.ts [--rows 1000000] [--write FILE]
 *
 * The service's own sweep of idempotency keys, one plain DELETE, and a partition that is dropped, each on a table of the same
 * rows. Beside them, requests claim keys one after another, as they do in service.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'firsthand/platform/db/embedded.ts';
import { migrate } from 'firsthand/platform/db/migrate.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import { claimKey, forgetKeys, storeAnswer } from 'firsthand/platform/http/idempotency.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { percentile } from './measure.ts';
import { createReport } from './report.ts';

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, write: { type: 'string' } },
});
const rows = Number(options.rows);
const log = createLog('silent');
const dataDir = await mkdtemp(join(tmpdir(), 'fh-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log, settings: { max_wal_size: '8GB', autovacuum: 'off' } });
const pool = createPool(server.url, 4, () => {});
const report = createReport('Forgetting');
try {
  await migrate(pool, log);
  const old = (table: string) => `insert into ${table} (scope, key, request_hash, created_at, status, body)
    select 'tenant', md5(n::text) || md5(n || 'b'), decode(md5(n::text), 'hex'), now() - interval '3 days' + n * interval '1 ms',
      201, repeat(md5(n::text), 30) from generate_series(1, ${rows}) n`;
  await pool.query(`create table by_day (like idempotency_keys including defaults) partition by range (created_at)`);
  await pool.query(
    `create table over partition of by_day (primary key (scope, key)) for values from (minvalue) to (now() - interval '1 day')`,
  );
  await pool.query('create index on over (created_at)');
  const now = new Date();
  const ways: { name: string; table: string; forget(): Promise<unknown> }[] = [
    {
      name: 'the sweep, 5,000 in each statement',
      table: 'idempotency_keys',
      forget: () => forgetKeys(pool, now),
    },
    {
      name: 'one DELETE',
      table: 'idempotency_keys',
      forget: () => pool.query("delete from idempotency_keys where created_at < now() - interval '2 days'"),
    },
    {
      name: 'a partition dropped',
      table: 'over',
      forget: () => pool.query('alter table by_day detach partition over; drop table over'),
    },
  ];
  report.print(`${rows.toLocaleString('en')} rows of 1 kB\n`);
  report.print(
    '| | time | write-ahead log | a request claims its key meanwhile, p50 and worst | without |\n|---|---|---|---|---|',
  );
  for (const { name, table, forget } of ways) {
    await pool.query('truncate idempotency_keys');
    await pool.query(old(table));
    await pool.query(`vacuum analyze ${table}`);
    await pool.query('checkpoint');
    const quiet = await claims(async () => void (await new Promise(resolve => setTimeout(resolve, 3_000))));
    const { rows: before } = await pool.query<{ at: string }>('select pg_current_wal_insert_lsn() as at');
    const began = performance.now();
    let seconds = 0;
    const busy = await claims(async () => {
      await forget();
      seconds = (performance.now() - began) / 1_000;
    });
    const { rows: wal } = await pool.query<{ bytes: string }>(
      'select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes',
      [before[0]!.at],
    );
    const ms = (list: number[]) => `${percentile(list, 0.5).toFixed(1)} and ${percentile(list, 1).toFixed(0)} ms`;
    report.print(
      `| ${name} | ${seconds.toFixed(2)} s | ${Math.round(Number(wal[0]!.bytes) / 1e6)} MB | ${ms(busy)} | ${ms(quiet)} |`,
    );
  }
  report.write(options.write);
} finally {
  await pool.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Claims keys and stores their answers while `work` runs. Returns the time of each. */
async function claims(work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  let over = false;
  const working = work().finally(() => {
    over = true;
  });
  do {
    const began = performance.now();
    const key = randomUUID();
    await claimKey(pool, 'tenant', key, Buffer.from('hash'), new Date());
    await storeAnswer(pool, 'tenant', key, { status: 201, body: {}, verificationId: null });
    times.push(performance.now() - began);
  } while (!over);
  await working;
  return times;
}
