/**
 * Measures search, filters and statistics of one account with many verifications, over HTTP on a service of its own. Also creates and
 * photos before and after the account is filled, sizes for each verification, and a vacuum.
 *
 * node bench/src/search.ts [--rows 1000000] [--write FILE]
 *
 * Exits 1 when a median is above the bar.
 */
import { availableParallelism, loadavg } from 'node:os';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { normalizeRequest } from 'firsthand/verification/verifications/issue.ts';
import { Agent } from 'undici';
import { median, percentile } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { ask, createVerification, phone, photograph, startReceiver, submitPicture, untilTold } from './receivers.ts';
import { createReport, optionsOf } from './report.ts';

const options = optionsOf({ rows: '1000000' });
const ROWS = Number(options.rows);
const BAR_MS = 50;
const CREATES = 300;
const PHOTOS = 40;
const ROUNDS = 100;
const WARM_UP = 3;
/** A row ends after this time, though not before {@link FEWEST} requests. */
const ROW_MS = 15_000;
const FEWEST = 10;
/** The rows that the dashboard's list reads at a time. */
const PAGE = 100;
const FILLED = ['verifications', 'verification_search', 'verification_metadata'];

/**
 * Fills the account with verifications of the last year: a claim number, one of 100,000 names and one of 40 towns each. One in
 * twenty is a Meier and one in a thousand has failed. `Øxby` and `ß9` stand only in the oldest ones. The tables of the
 * triggers are filled by the rules of the triggers, and every index is made anew: that takes a tenth of the time.
 */
async function fill(db: Pool, tenantId: string): Promise<void> {
  const { config } = normalizeRequest({}, null);
  const { rows: indexes } = await db.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = any($1::text[]::regclass[]) and not exists (select from pg_constraint where conindid = i.indexrelid)`,
    [FILLED],
  );
  for (const { name } of indexes) await db.query(`drop index ${name}`);
  await db.query('set session_replication_role = replica');
  await db.query(`set maintenance_work_mem = '512MB'`);
  await db.query(
    `insert into verifications (id, tenant_id, livemode, created_at, expires_at, status, verdict, completed_at, external_ref, config, private)
     select 'vfy_0' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, true, at, at + interval '1 day',
       case when n % 1000 = 0 then 'failed' when n % 10 = 0 then 'expired' else 'completed' end,
       case when n % 10 <> 0 then jsonb_build_object('label', case when n % 200 = 1 then 'suspicious' else 'verified' end,
         'score', 0.9, 'signals', '{}'::jsonb) end,
       case when n % 10 <> 0 then at + (n % 500) * interval '1 second' end,
       'CLM-' || lpad(n::text, 7, '0'),
       $2::jsonb || jsonb_build_object('metadata', jsonb_build_object('town', case when n <= 300 then 'Øxby'
         when n % 50000 = 7 then 'ß9' else 'Town ' || n % 40 end)),
       jsonb_build_object('brand_slug', 'brand-' || n % 7, 'person', jsonb_build_object('name',
         'Given' || n * 7 % 100 || ' ' || case when n % 20 = 0 then 'Meier' else 'Family' || n % 1000 end))
     from (select n, now() - ($3 - n) * (interval '1 year' / $3::int) as at from generate_series(1, $3::int) n) made`,
    [tenantId, JSON.stringify(config), ROWS],
  );
  await db.query(
    `insert into verification_search select id, verification_scope(tenant_id, livemode), created_at,
       lower(concat_ws(chr(31), external_ref, private -> 'person' ->> 'name', config -> 'metadata' ->> 'town')) from verifications where livemode`,
  );
  await db.query(
    `insert into verification_metadata select verification_scope(tenant_id, livemode), metadata_pair('town', config -> 'metadata' ->> 'town'),
       created_at, id from verifications where livemode`,
  );
  for (const [grain, key] of [
    ['hour', `''`],
    ['day', `''`],
    ['day', `verdict ->> 'label'`],
    ['day', `private ->> 'brand_slug'`],
  ]) {
    const grouping = key === `''` ? '' : key!.startsWith('verdict') ? 'verdict' : 'brand';
    await db.query(
      `insert into statistics select tenant_id, livemode, $1, $2, start, key, jsonb_object_agg(measure, n) from (
         select tenant_id, livemode, date_trunc($1, created_at, 'UTC') as start, ${key} as key, measure, count(*) as n
         from verifications v, unnest(statistics_of(v)) measure where livemode and ${key} is not null and ($2 = '' or measure not like 'to\\_%') group by 1, 2, 3, 4, 5) counted
       group by 1, 2, 5, 6`,
      [grain, grouping],
    );
  }
  for (const { definition } of indexes) await db.query(definition);
  for (const table of [...FILLED, 'statistics']) await db.query(`vacuum analyze ${table}`);
}

/** The sizes of the filled tables, and how long it takes to vacuum them after one row in 256 has changed. */
async function printSizes(db: Pool): Promise<void> {
  await db.query(`update verifications set expires_at = expires_at + interval '1 second' where right(id, 2) = '00'`);
  report.print('| bytes for each verification | table | indexes | vacuum |\n|---|---|---|---|');
  for (const table of FILLED) {
    const began = performance.now();
    await db.query(`vacuum ${table}`);
    const seconds = (performance.now() - began) / 1_000;
    const { rows } = await db.query<{ table: string; indexes: string }>(
      'select pg_table_size($1::regclass) as "table", pg_indexes_size($1::regclass) as indexes',
      [table],
    );
    const each = (bytes: string) => (Number(bytes) / ROWS).toFixed(0);
    report.print(`| ${table} | ${each(rows[0]!.table)} | ${each(rows[0]!.indexes)} | ${seconds.toFixed(1)} s |`);
  }
  report.print();
}

/** Milliseconds of creates, and of photos from their acceptance to their webhook, one after another. */
async function writes(): Promise<{ create: number[]; photo: number[] }> {
  const receiver = await startReceiver();
  const dispatcher = phone('127.0.0.2');
  const picture = await photograph(1280, 960);
  const times = { create: [] as number[], photo: [] as number[] };
  for (let n = 0; n < CREATES; n += 1) {
    const start = performance.now();
    await createVerification(service.url, service.tenant, dispatcher, {});
    times.create.push(performance.now() - start);
  }
  for (let n = 0; n < WARM_UP + PHOTOS; n += 1) {
    const id = await submitPicture(service.url, service.tenant, dispatcher, receiver, picture);
    await untilTold(receiver, id);
    if (n >= WARM_UP) times.photo.push(receiver.completed.get(id)!.arrivedAt - receiver.sent.get(id)!);
  }
  await dispatcher.close();
  await receiver.close();
  return times;
}

const asked = (path: string, query: Record<string, string> = {}) => `${path}?${new URLSearchParams(query)}`;
const list = (query: Record<string, string>) => asked('/v1/verifications', { limit: String(PAGE), ...query });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** What the claim numbers below a power of ten begin with. */
const numbersBelow = (n: number) => `clm-${'0'.repeat(Math.max(1, 8 - String(n).length))}`;

const SEARCHES: [string, string][] = [
  ['a word of one in twenty', list({ q: 'meier' })],
  ['a word of every verification', list({ q: 'clm-' })],
  ['a word of only the oldest tenth', list({ q: numbersBelow(ROWS / 10) })],
  ['a claim number', list({ q: `clm-${String(Math.round(ROWS / 3)).padStart(7, '0')}` })],
  ['a town of the 300 oldest', list({ q: 'øxby' })],
  ['no such word', list({ q: 'qqxqq' })],
  ['no such number', list({ q: `clm-${String(ROWS + 2).padStart(7, '0')}` })],
  ['two characters in all', list({ q: 'to' })],
  ['two characters of the 300 oldest', list({ q: 'øx' })],
  ['two characters of one in 50,000', list({ q: 'ß9' })],
  ['two characters in none', list({ q: 'ZQ' })],
  ['one character in all', list({ q: 'm' })],
  ['one character of the 300 oldest', list({ q: 'ø' })],
  ['one character in none', list({ q: '~' })],
  ['signs without a letter in none', list({ q: '-.-' })],
  ['the beginning of an id', list({ q: 'vfy_01' })],
  ['a word of one in twenty, verdict suspicious', list({ q: 'meier', verdict: 'suspicious' })],
  ['a word of every verification, status failed', list({ q: 'clm', status: 'failed' })],
  ['two characters in all, a brand', list({ q: 'to', brand_slug: 'brand-3' })],
  ['a word of one in twenty, of the last week', list({ q: 'meier', created_after: daysAgo(7) })],
];
const LISTS: [string, string][] = [
  ['one row: how busy the machine is', asked('/v1/verifications', { limit: '1', external_ref: 'CLM-0000001' })],
  ['no filter', list({})],
  ['status failed', list({ status: 'failed' })],
  ['verdict suspicious or failed', list({ verdict: 'suspicious,failed' })],
  ['a brand', list({ brand_slug: 'brand-3' })],
  ['a member of the metadata', list({ 'metadata[town]': 'Town 7' })],
  ['a rare member of the metadata', list({ 'metadata[town]': 'Øxby' })],
  ['of one day', list({ created_after: daysAgo(101), created_before: daysAgo(100) })],
];
const STATISTICS: [string, string][] = [
  ['24 hours', asked('/v1/statistics', { interval: 'hour' })],
  ['30 days', asked('/v1/statistics')],
  ['30 days by verdict', asked('/v1/statistics', { by: 'verdict' })],
  ['a year by days', asked('/v1/statistics', { from: daysAgo(365) })],
  ['a year by weeks and brands', asked('/v1/statistics', { from: daysAgo(365), interval: 'week', by: 'brand' })],
];

const report = createReport(`Search and statistics of ${ROWS.toLocaleString('en-US')} verifications`);
let holds = true;
const service = await startOwnService();
const agent = new Agent({ connections: 1 });
try {
  const began = performance.now();
  const db = await service.openPool(1);
  const empty = await writes();
  // Without its indexes, the sweeps of the service would read the whole table again and again.
  process.kill(service.pid, 'SIGSTOP');
  await fill(db, service.tenant.tenant_id);
  process.kill(service.pid, 'SIGCONT');
  console.error(`filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`);

  const read = async (path: string) => {
    const key = path.startsWith('/v1/statistics') ? service.tenant.rk_secret : service.tenant.pk_live;
    const url = `${service.url}${path}`;
    const { ms, body } = await ask<{ data?: unknown[]; total_estimate?: number }>(url, { key }, agent);
    return { ms, found: body.data ? `${body.data.length} of ${body.total_estimate}` : '' };
  };
  report.print(
    `Milliseconds of a first page of ${PAGE} with its total, one request at a time, ${ROUNDS} each, fewer of those that take long. The bar is ${BAR_MS} ms at the median.\nMeasured on ${availableParallelism()} cores with ${loadavg()[0]!.toFixed(0)} processes at work.`,
  );
  report.print();
  for (const [title, requests] of [
    ['search', SEARCHES],
    ['list', LISTS],
    ['statistics', STATISTICS],
  ] as const) {
    report.print(`| ${title} | rows of total | p50 | p99 | bar |\n|---|---|---|---|---|`);
    for (const [what, path] of requests) {
      const samples: number[] = [];
      let found = '';
      for (let round = 0; round < WARM_UP; round += 1) await read(path);
      const until = performance.now() + ROW_MS;
      for (let round = 0; round < ROUNDS && (round < FEWEST || performance.now() < until); round += 1) {
        const answer = await read(path);
        samples.push(answer.ms);
        found = answer.found;
      }
      const held = median(samples) <= BAR_MS;
      holds &&= held;
      report.print(
        `| ${what} | ${found} | ${median(samples).toFixed(1)} | ${percentile(samples, 0.99).toFixed(1)} | ${held ? 'holds' : 'FAILS'} |`,
      );
    }
    report.print();
  }
  await printSizes(db);
  const filled = await writes();
  report.print(
    `| milliseconds, p50 and p99 | empty account | with ${ROWS.toLocaleString('en-US')} verifications |\n|---|---|---|`,
  );
  for (const [what, key] of [
    ['a create', 'create'],
    ['a photo, from its acceptance to its webhook', 'photo'],
  ] as const) {
    const both = [empty, filled].map(
      ({ [key]: ms }) => `${median(ms).toFixed(1)} and ${percentile(ms, 0.99).toFixed(1)}`,
    );
    report.print(`| ${what} | ${both.join(' | ')} |`);
  }
} finally {
  await agent.close();
  await service.close();
}
report.write(options.write);
process.exitCode = holds ? 0 : 1;
