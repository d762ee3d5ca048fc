import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Firsthand, type StreamedEvent } from '@firsthand/sdk';
import pg from 'pg';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../../src/platform/db/migrate.ts';
import { many, type Queryable } from '../../src/platform/db/sql.ts';

/** A folder for each release, with what `scripts/release/data.ts` recorded of it. */
export const RECORDINGS = join(import.meta.dirname, '..', 'upgrade');
export const KEYS_FILE = 'evidence-keys.json';
/** What a monitor of the log had seen. */
export const MONITOR_FILE = 'monitor.json';
export const INSTALLATION_FILE = 'installation.json.gz';

/** An installation as a release left it. Its keys open nothing else. */
export interface Recorded {
  version: string;
  recordedAt: string;
  encryptionKeys: string;
  /** The addresses of the service and of the receiver of its webhooks. */
  url: string;
  receiver: string;
  verifications: Record<'verified' | 'suspicious' | 'cancelled' | 'open', string>;
  migrations: { name: string; hash: string }[];
  database: Dump;
  /** Of the data folder: base64 by path. */
  files: Record<string, string>;
  events: StreamedEvent[];
  /** What the receiver accepted. */
  webhooks: { headers: Record<string, string>; raw: string }[];
  /** Id of the event that the receiver refused. */
  undelivered: string;
  answers: RecordedAnswer[];
}

export interface RecordedAnswer {
  path: string;
  key?: 'pk_live' | 'pk_test' | 'rk_secret';
  body: unknown;
}

export interface Dump {
  /** By table: a JSON object per line. */
  tables: Record<string, string>;
  sequences: Record<string, string>;
}

export const readRecorded = async (folder: string): Promise<Recorded> =>
  JSON.parse(gunzipSync(await readFile(join(folder, INSTALLATION_FILE))).toString('utf8')) as Recorded;

/** Lays out the migrations that the release had. Throws if one of them is not as it was: it would be refused in every installation. */
export async function copyMigrations({ version, migrations }: Recorded, to: string): Promise<void> {
  const known = await readMigrations(MIGRATIONS_FOLDER);
  for (const { name, hash } of migrations) {
    const migration = known.find(one => one.name === name);
    if (migration?.hash !== hash) {
      throw new Error(
        `server/migrations/${name}.sql is not as version ${version} ran it. Undo the change and add a new migration. ` +
          `Only while ${version} is unreleased, record it again: node scripts/release/data.ts`,
      );
    }
    await writeFile(join(to, `${name}.sql`), migration.sql);
  }
}

/** Rows of all tables that survive a crash, but for the lists of migrations. */
export async function dump(tx: Queryable): Promise<Dump> {
  const names = await many<{ name: string }>(
    tx,
    `select format('%I.%I', nspname, relname) as name from pg_class r join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and relpersistence = 'p' and nspname in ('public', 'graphile_worker') and relname <> 'migrations' order by 1`,
  );
  const tables: Dump['tables'] = {};
  for (const { name } of names) {
    // As text: numbers of the database are larger than those of JavaScript.
    const rows = await many<{ row: string }>(tx, `select row_to_json(t)::text as row from ${name} t`);
    tables[name] = rows.map(({ row }) => row).join('\n');
  }
  const sequences = await many<{ name: string; last: string }>(
    tx,
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences where last_value is not null`,
  );
  return { tables, sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) };
}

/** Fills a migrated database with the rows, and nothing else. */
export async function load(url: string, { tables, sequences }: Dump): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin; set local session_replication_role = replica');
    // Migrations inserted some of the rows too.
    await client.query(`truncate ${Object.keys(tables).join(', ')} cascade`);
    for (const [name, lines] of Object.entries(tables)) {
      const [columns] = await many<{ list: string }>(
        client,
        `select string_agg(quote_ident(attname), ', ') as list from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [name],
      );
      await client.query(
        `insert into ${name} (${columns!.list}) overriding system value
         select ${columns!.list} from json_populate_recordset(null::${name}, $1)`,
        // No line break is part of a row: JSON escapes them.
        [`[${lines.replaceAll('\n', ',')}]`],
      );
    }
    for (const [name, last] of Object.entries(sequences)) await client.query('select setval($1, $2)', [name, last]);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** The files of the data folder that are no part of the database. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = names.filter(name => name.isFile()).map(name => relative(folder, join(name.parentPath, name.name)));
  const kept = paths.filter(
    path => path.startsWith('blobs/objects/') || ['first-run.json', MONITOR_FILE].includes(path),
  );
  const read = async (path: string) => [path, await readFile(join(folder, path), 'base64')] as const;
  return Object.fromEntries(await Promise.all(kept.map(read)));
}

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, base64] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), Buffer.from(base64, 'base64'));
  }
}

/** The account's first events, as the stream gives them. */
export async function firstEvents(url: string, tenant: NewTenant, count: number): Promise<StreamedEvent[]> {
  const { events } = new Firsthand(tenant.rk_secret, { baseUrl: url });
  const first: StreamedEvent[] = [];
  // The cursor stands before every event.
  const from = { cursor: Buffer.from('0:').toString('base64url') };
  for await (const event of events.follow(from, { signal: AbortSignal.timeout(30_000) })) {
    if (first.push(event) === count) break;
  }
  return first;
}
