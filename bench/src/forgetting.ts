/**
 * What it costs to forget a million rows that are over, on an embedded PostgreSQL of its own:
 *
 * node bench/src/forgetting.ts [--rows 1000000] [--write FILE]
 *
 * The service's own sweep of idempotency keys, one plain DELETE, and a partition that is dropped, each on a table of the same
 * rows. Beside them, requests claim keys one after another, as they do in service.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from 'firsthand/platform/db/migrate.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { claimKey, forgetKeys, storeAnswer } from 'firsthand/platform/http/idempotency.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { percentile } from './measure.ts';
import { type OwnNodes, withOwnNodes } from './own-nodes.ts';
import { createReport, optionsOf } from './report.ts';

const options = optionsOf({ rows: '1000000' });
const rows = Number(options.rows);
const report = createReport('Forgetting');
await withOwnNodes({ settings: { max_wal_size: '8GB', autovacuum: 'off' } }, measure);
report.write(options.write);

async function measure({ pool, number }: OwnNodes): Promise<void> {
  await migrate(pool, createLog('silent'));
  await pool.query(`create table by_day (like idempotency_keys including defaults) partition by range (created_at)`);
  await pool.query(
    `create table over partition of by_day (primary key (scope, key)) for values from (minvalue) to (now() - interval '1 day')`,
  );
  await pool.query('create index on over (created_at)');
  const now = new Date();
  const wal = () => number("select pg_current_wal_insert_lsn() - '0/0' as n");
  const ms = (list: number[]) => `${percentile(list, 0.5).toFixed(1)} and ${percentile(list, 1).toFixed(0)} ms`;
  report.print(`${rows.toLocaleString('en')} rows of 1 kB\n`);
  report.print(
    '| | time | write-ahead log | a request claims its key meanwhile, p50 and worst | without |\n|---|---|---|---|---|',
  );
  for (const [name, table, forget] of [
    ['the sweep, 5,000 in each statement', 'idempotency_keys', () => forgetKeys(pool, now)],
    [
      'one DELETE',
      'idempotency_keys',
      () => pool.query("delete from idempotency_keys where created_at < now() - interval '2 days'"),
    ],
    ['a partition dropped', 'over', () => pool.query('alter table by_day detach partition over; drop table over')],
  ] as const) {
    await fill(pool, table);
    const quiet = await claims(pool, () => sleep(3_000));
    const before = await wal();
    const began = performance.now();
    let seconds = 0;
    const busy = await claims(pool, async () => {
      await forget();
      seconds = (performance.now() - began) / 1_000;
    });
    const mb = Math.round(((await wal()) - before) / 1e6);
    report.row(name, `${seconds.toFixed(2)} s`, `${mb} MB`, ms(busy), ms(quiet));
  }
}

/** Fills a table with the rows of three days ago. */
async function fill(pool: Pool, table: 'idempotency_keys' | 'over'): Promise<void> {
  await pool.query('truncate idempotency_keys');
  await pool.query(`insert into ${table} (scope, key, request_hash, created_at, status, body)
    select 'tenant', md5(n::text) || md5(n || 'b'), decode(md5(n::text), 'hex'), now() - interval '3 days' + n * interval '1 ms',
      201, repeat(md5(n::text), 30) from generate_series(1, ${rows}) n`);
  await pool.query(`vacuum analyze ${table}`);
  await pool.query('checkpoint');
}

/** Claims keys and stores their answers while `work` runs. Returns the time of each. */
async function claims(pool: Pool, work: () => Promise<void>): Promise<number[]> {
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
