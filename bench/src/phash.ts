/**
 * Measures an exact lookup of one PDQ hash among many stored, with inserts beside it, on its own embedded PostgreSQL.
 *
 * node bench/src/phash.ts [--stored 1000000] [--queries 2000] [--warm 2000] [--keep FOLDER] [--bulk]
 *
 * Baseline, measured in turn: one statement that looks up as many plain keys in a table of as many plain keys. The first `--warm` lookups
 * do not count, because a service that has run for a while has its pages in memory. `--keep` leaves the filled database in FOLDER, where
 * the next run finds it. `--bulk` packs the slots after filling instead of by inserting.
 *
 * Prints one line of JSON. Exits with 1 when the 99th percentile exceeds 10 ms (25 ms above a million stored) or a stored hash is not found.
 * `cpu_ms` is what the kernel counted for one lookup: other programs hardly change it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WHOLE } from '@firsthand/forensics/phash/plane.ts';
import { lookUp } from '../../server/src/inspection/analysis/reverse/find.ts';
import { rememberPicture, scopeId } from '../../server/src/inspection/analysis/reverse/store.ts';
import { startEmbeddedPostgres } from '../../server/src/platform/db/embedded.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { createPool } from '../../server/src/platform/db/pool.ts';
import { type Pool, transaction } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/lib/log.ts';
import { percentile } from './measure.ts';
import { optionsOf } from './report.ts';

/** Keys of one lookup: sixteen slots, each unchanged and with every single bit flipped. */
const PROBES = 272;

const options = optionsOf({ stored: '1000000', queries: '2000', warm: '2000', keep: undefined, bulk: false });
const stored = Number(options.stored);
const queries = Number(options.queries);
const warm = Number(options.warm);
const limitMs = stored > 1_000_000 ? 25 : 10;

const log = createLog('silent');
const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'fh-bench-')));
await mkdir(dataDir, { recursive: true });
const filledMark = join(dataDir, `filled-${stored}`);
const server = await startEmbeddedPostgres({ dataDir, log, settings: { max_wal_size: '8GB' } });
const pool = createPool(server.url, 4, () => {});
try {
  await migrate(pool, log);
  const scope = await scopeId(pool, { tenantId: null, livemode: null });
  const { rows } = await pool.query<{ id: string }>(
    `insert into reverse_lists (scope_id, name, created_at) values ($1, 'bench', now())
     on conflict (scope_id, name) do update set created_at = excluded.created_at returning id`,
    [scope],
  );
  const list = Number(rows[0]!.id);
  const filling = performance.now();
  const reused = await access(filledMark).then(
    () => true,
    () => false,
  );
  if (!reused) {
    await fill(pool, scope, list, stored);
    await writeFile(filledMark, '');
  }
  const filled = performance.now() - filling;
  await pool.query('checkpoint');
  const insert = { stop: false, count: 0, ms: [] as number[] };
  const inserting = keepInserting(pool, scope, list, insert);
  const load = loadavg()[0]!;
  const found = await measure(pool, scope, list);
  insert.stop = true;
  await inserting;
  const { rows: size } = await pool.query<{ name: string; bytes: string }>(
    `select name, pg_total_relation_size('reverse_' || name) as bytes from unnest('{slots,entries,pictures}'::text[]) name`,
  );
  const lookup = percentiles(found.ms);
  const floor = percentiles(found.floor);
  const report = {
    stored,
    queries,
    lookup_ms: lookup,
    bare_keys_ms: floor,
    times_bare_keys: { p50: round(lookup.p50 / floor.p50), p99: round(lookup.p99 / floor.p99) },
    recall: found.hits / queries,
    inserts_meanwhile: insert.count,
    insert_ms: percentiles(insert.ms),
    cpu_ms: { database: round(percentile(found.databaseMs, 0.5)), process: round(percentile(found.processMs, 0.5)) },
    mb: Object.fromEntries(size.map(({ name, bytes }) => [name, Math.round(Number(bytes) / 2 ** 20)])),
    ...(reused ? {} : { fill_s: Math.round(filled / 1_000) }),
    load_before: round(load),
    load_after: round(loadavg()[0]!),
    limit_ms: limitMs,
  };
  console.log(JSON.stringify(report));
  if (report.lookup_ms.p99 > limitMs || report.recall < 1) process.exitCode = 1;
} finally {
  await pool.end();
  await server.stop();
  if (!options.keep) await rm(dataDir, { recursive: true, force: true });
}

/**
 * Makes random hashes inside the database, because the bench measures only the lookup. Rows of slots grow in batches as
 * they do in service, unless `--bulk` makes each at once.
 */
async function fill(pool: Pool, scope: number, list: number, count: number): Promise<void> {
  const batch = 50_000;
  for (let from = 1; from <= count; from += batch) {
    const to = Math.min(count, from + batch - 1);
    await pool.query(
      `with made as (
         insert into reverse_pictures (scope_id, list_id, label, pdq, quality, created_at)
         select $1, $2, n::text, ('x' || md5(n::text) || md5(n || 'b'))::bit(256), 100, now()
         from generate_series($3::integer, $4::integer) n returning id, pdq
       )
       insert into reverse_entries (picture_id, hash, region, frame) select id, pdq, '{0,0,1,1}', '{0,0,1,1}' from made`,
      [scope, list, from, to],
    );
    if (!options.bulk) await fileSlots(pool, scope, from, to);
    process.stderr.write(`\r${to} of ${count} stored`);
  }
  process.stderr.write('\n');
  if (options.bulk) await fileSlots(pool, scope, 1, count);
  await pool.query('vacuum analyze reverse_slots');
  await pool.query('vacuum analyze reverse_entries');
  await pool.query('create table bare_keys (key bigint primary key)');
  await pool.query('insert into bare_keys select generate_series(1, $1::bigint)', [count]);
  await pool.query('vacuum analyze bare_keys');
}

/** Stores the entries like `rememberPicture`, many at once. */
async function fileSlots(pool: Pool, scope: number, from: number, to: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set work_mem = '1GB'");
    await client.query(
      `insert into reverse_slots (key, part, records)
       select ($1::bigint << 20) | (slot << 16) | substring(hash from slot * 16 + 1 for 16)::integer, 0, string_agg(
         substring(int8send(id) from 3) || int8send(substring(hash || hash from slot * 16 + 17 for 64)::bit(64)::bigint), '')
       from reverse_entries, generate_series(0, 15) slot where id between $2 and $3 group by 1
       on conflict (key, part) do update set records = reverse_slots.records || excluded.records`,
      [scope, from, to],
    );
  } finally {
    client.release(true);
  }
}

/** Inserts one picture after another, like incoming captures, until stopped. */
async function keepInserting(
  pool: Pool,
  scope: number,
  listId: number,
  state: { stop: boolean; count: number; ms: number[] },
): Promise<void> {
  while (!state.stop) {
    const hash = new Uint8Array(randomBytes(32));
    const entries = [{ hash, region: WHOLE, frame: WHOLE }];
    const label = `new ${state.count}`;
    const started = performance.now();
    await transaction(pool, tx =>
      rememberPicture(tx, { listId, scope, label }, { hash, quality: 100, entries }, new Date()),
    );
    state.ms.push(performance.now() - started);
    state.count += 1;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** Looks up stored hashes with up to 31 changed bits, each of which must be found, and after each as many plain keys. */
async function measure(
  pool: Pool,
  scope: number,
  list: number,
): Promise<{ ms: number[]; floor: number[]; databaseMs: number[]; processMs: number[]; hits: number }> {
  const { rows } = await pool.query<{ hash: string }>(
    `select pdq::text as hash from reverse_pictures
     where id = any (select 1 + floor(random() * $2)::bigint from generate_series(1, $3)) and list_id = $1 limit $3`,
    [list, stored, queries + warm],
  );
  const ms: number[] = [];
  const floor: number[] = [];
  const databaseMs: number[] = [];
  const processMs: number[] = [];
  let hits = 0;
  // A connection of its own, so that the time of one database process is known.
  const reader = createPool(server.url, 1, () => {});
  const { rows: backend } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
  const databaseTime = () => Number(readFileSync(`/proc/${backend[0]!.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  for (let i = -warm; i < queries; i++) {
    const bits = Uint8Array.from(rows[(i + warm) % rows.length]!.hash, Number);
    for (let k = 0; k < 31; k++) bits[Math.floor(Math.random() * 256)]! ^= 1;
    const hash = new Uint8Array(32);
    for (const [at, bit] of bits.entries()) hash[at >> 3]! |= bit << (7 - (at & 7));
    const used = { database: databaseTime(), process: process.cpuUsage() };
    const started = performance.now();
    const found = await lookUp(reader, [scope], hash);
    const ended = performance.now();
    const { user, system } = process.cpuUsage(used.process);
    const inDatabase = databaseTime() - used.database;
    const keys = Array.from({ length: PROBES }, () => 1 + Math.floor(Math.random() * stored));
    const asked = performance.now();
    await reader.query({
      name: 'bare_keys',
      text: 'select key from bare_keys where key = any($1::bigint[])',
      values: [keys],
    });
    if (i < 0) continue;
    ms.push(ended - started);
    databaseMs.push(inDatabase);
    processMs.push((user + system) / 1_000);
    floor.push(performance.now() - asked);
    if (found.some(hit => hit.distance <= 31)) hits += 1;
  }
  await reader.end();
  return { ms, floor, databaseMs, processMs, hits };
}

function percentiles(ms: number[]): { p50: number; p99: number; max: number } {
  const at = (share: number) => round(percentile(ms, share));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}
