/**
 * What an exact look-up of one PDQ hash costs among many stored, with inserts going on beside it, on an embedded PostgreSQL of its own.
 *
 *     node bench/src/phash.ts [--stored 1000000] [--queries 2000] [--scan]
 *
 * Prints a line of JSON; exits 1 when the 99th percentile passes the limit of 10 ms or a stored hash is not found.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WHOLE } from '@firsthand/forensics/phash/plane.ts';
import { lookUp } from '../../server/src/analysis/reverse/find.ts';
import { bitString } from '../../server/src/analysis/reverse/slots.ts';
import { rememberPicture, scopeId } from '../../server/src/analysis/reverse/store.ts';
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool, type Pool, transaction } from '../../server/src/db/sql.ts';
import { createLog } from '../../server/src/lib/log.ts';

const LIMIT_MS = 10;

const { values: options } = parseArgs({
  options: {
    stored: { type: 'string', default: '1000000' },
    queries: { type: 'string', default: '2000' },
    scan: { type: 'boolean', default: false },
  },
});
const stored = Number(options.stored);
const queries = Number(options.queries);

const log = createLog('silent');
const dataDir = await mkdtemp(join(tmpdir(), 'fh-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log, settings: { max_wal_size: '8GB' } });
const pool = createPool(server.url, 4, () => {});
try {
  await migrate(pool, log);
  const scope = await scopeId(pool, { tenantId: null, livemode: null });
  const { rows } = await pool.query<{ id: string }>(
    `insert into reverse_lists (scope_id, name, created_at) values ($1, 'bench', now()) returning id`,
    [scope],
  );
  const list = Number(rows[0]!.id);
  const filling = performance.now();
  await fill(pool, scope, list, stored);
  const filled = performance.now() - filling;
  const insert = { stop: false, count: 0, ms: [] as number[] };
  const inserting = keepInserting(pool, scope, list, insert);
  const found = await measure(pool, scope, list);
  insert.stop = true;
  await inserting;
  const { rows: size } = await pool.query<{ bytes: string }>("select pg_total_relation_size('reverse_slots') as bytes");
  const report = {
    stored,
    queries,
    lookup_ms: percentiles(found.ms),
    recall: found.hits / queries,
    inserts_meanwhile: insert.count,
    insert_ms: percentiles(insert.ms),
    slots_mb: Math.round(Number(size[0]!.bytes) / 2 ** 20),
    fill_s: Math.round(filled / 1_000),
    ...(options.scan ? { scan_ms: percentiles(await scan(pool)) } : {}),
    limit_ms: LIMIT_MS,
  };
  console.log(JSON.stringify(report));
  if (report.lookup_ms.p99 > LIMIT_MS || report.recall < 1) process.exitCode = 1;
} finally {
  await pool.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Random hashes, in the database itself: what is measured is the look-up. The index is built as it is kept, by inserting. */
async function fill(pool: Pool, scope: number, list: number, count: number): Promise<void> {
  const batch = 50_000;
  for (let from = 1; from <= count; from += batch) {
    await pool.query(
      `with made as (
         insert into reverse_pictures (scope_id, list_id, label, pdq, quality, created_at)
         select $1, $2, n::text, ('x' || md5(n::text) || md5(n || 'b'))::bit(256), 100, now()
         from generate_series($3::integer, $4::integer) n returning id, pdq
       ), entries as (
         insert into reverse_entries (picture_id, hash, region, frame)
         select id, pdq, '{0,0,1,1}', '{0,0,1,1}' from made returning id, hash
       )
       insert into reverse_slots (key, entry_id, hash)
       select ($1::bigint << 20) | (slot << 16) | substring(hash from slot * 16 + 1 for 16)::integer, id, hash
       from entries, generate_series(0, 15) slot`,
      [scope, list, from, Math.min(count, from + batch - 1)],
    );
  }
  await pool.query('vacuum analyze reverse_slots');
}

/** One picture after another, as captures come in, until told to stop. */
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

/** Stored hashes with up to 31 bits changed; each must be found. */
async function measure(pool: Pool, scope: number, list: number): Promise<{ ms: number[]; hits: number }> {
  const { rows } = await pool.query<{ hash: string }>(
    'select pdq::text as hash from reverse_pictures where list_id = $1 order by random() limit $2',
    [list, queries],
  );
  const ms: number[] = [];
  let hits = 0;
  for (let i = 0; i < queries; i++) {
    const bits = Uint8Array.from(rows[i % rows.length]!.hash, Number);
    for (let k = 0; k < 31; k++) bits[Math.floor(Math.random() * 256)]! ^= 1;
    const hash = new Uint8Array(32);
    for (const [at, bit] of bits.entries()) hash[at >> 3]! |= bit << (7 - (at & 7));
    const started = performance.now();
    const found = await lookUp(pool, [scope], hash);
    if (i >= queries / 20) ms.push(performance.now() - started);
    if (found.some(hit => hit.distance <= 31)) hits += 1;
  }
  return { ms, hits };
}

/** The alternative: every hash compared, by one worker of the database. */
async function scan(pool: Pool): Promise<number[]> {
  const ms: number[] = [];
  for (let i = 0; i < 10; i++) {
    const started = performance.now();
    await pool.query('select id from reverse_entries where bit_count(hash # $1::bit(256)) <= 31', [
      bitString(new Uint8Array(randomBytes(32))),
    ]);
    ms.push(performance.now() - started);
  }
  return ms;
}

function percentiles(ms: number[]): { p50: number; p99: number; max: number } {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(100 * (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)) / 100;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
