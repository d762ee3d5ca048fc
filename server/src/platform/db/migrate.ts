import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import { VERSION } from '../lib/version.ts';
import { type Applied, isBeforeBaseline, takeOver } from './takeover.ts';

export const MIGRATIONS_FOLDER = join(import.meta.dirname, '..', '..', '..', 'migrations');

/** Somebody edited a migration after this database ran it. */
export class EditedMigration extends Error {
  override name = 'EditedMigration';
}

/** The database has run migrations that this version of the program does not know. */
export class NewerDatabase extends Error {
  override name = 'NewerDatabase';
}

/** The database cannot hold every text, whatever runs on it. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase';
}

interface Migration extends Applied {
  sql: string;
}

/** An arbitrary number that stands for "migrating Firsthand" among the advisory locks of a database. */
const LOCK = 7_141_986_240;

/** The first line of a migration after which older versions still run. */
const RUNS_FROM = /^-- Runs with version (\d+\.\d+\.\d+) and later\.\n/;

/** A deadlock, or a lock that was not to be had: nodes of an older version are at work on the same tables. */
const BUSY = new Set(['40P01', '55P03']);
const MAX_TRIES = 20;

/**
 * Brings the database up to date. Runs our SQL files in order, each in its own transaction, then the job queue's
 * migrations. Nodes that start together take turns, so each migration runs once. Locks belong to transactions only,
 * because a connection pooler in front of the database keeps a transaction on one connection.
 *
 * Throws {@link UnfitDatabase}, {@link EditedMigration}, {@link NewerDatabase} or `OlderDatabase` before it changes anything.
 */
export async function migrate(pool: pg.Pool, log: Log, folder = MIGRATIONS_FOLDER): Promise<void> {
  const known = await readMigrations(folder);
  await requireUtf8(pool);
  await locked(pool, client =>
    client.query(`create table if not exists migrations (
      version integer primary key,
      name text not null,
      hash text not null,
      applied_at timestamptz not null default now(),
      runs_from text
    )`),
  );
  await tellTheWayBack(pool, log, known);
  const step = () =>
    locked(pool, async client => {
      const done = await applied(client);
      const before = isBeforeBaseline(done, known);
      const next = before ? known[0]! : nextOf(known, done);
      if (!next) return true;
      log.info({ migration: next.name }, 'migrating the database');
      await (before ? takeOver(client, done, next.sql) : client.query(next.sql));
      await record(client, next);
      return false;
    });
  for (let done = false, tries = 1; !done; ) {
    try {
      done = await step();
      tries = 1;
    } catch (error) {
      if (!BUSY.has((error as { code?: string }).code ?? '') || tries === MAX_TRIES) throw error;
      tries += 1;
      log.warn({ err: error }, 'the database is busy; the migration was undone and runs again');
    }
  }
  // The queue's migrations use their own connection. Ours only holds the lock.
  await locked(pool, () => runMigrations({ pgPool: pool, logger: quietLogger(log) }));
}

/**
 * Says of a newer database that this version still runs on it, and before a migration whether the version before can start again afterwards.
 * Throws what {@link migrate} throws.
 */
async function tellTheWayBack(pool: pg.Pool, log: Log, known: readonly Migration[]): Promise<void> {
  const done = await applied(pool);
  const before = isBeforeBaseline(done, known);
  if (!before) nextOf(known, done);
  const newer = before ? [] : done.filter(row => !known.some(({ version }) => version === row.version));
  const telling = (rows: readonly Applied[]) => ({ migrations: rows.map(({ name }) => name) });
  if (newer.length > 0) {
    log.warn(telling(newer), 'a newer version has migrated this database; this version still runs on it');
  }
  const pending = before ? known : known.filter(({ version }) => !done.some(row => row.version === version));
  if (done.length === 0 || pending.length === 0) return;
  const lowest = before ? null : highest(pending.map(({ runsFrom }) => runsFrom));
  log.warn(
    telling(pending),
    lowest === null
      ? 'these migrations run now; the version before cannot start on the database afterwards: to go back, restore a backup'
      : `these migrations run now; version ${lowest} and later can still start on the database afterwards`,
  );
}

/** The highest of the versions, or null where one of them is. */
const highest = (versions: readonly (string | null)[]): string | null =>
  versions.reduce((most, version) =>
    most === null || version === null ? null : isAtLeast(version, most) ? version : most,
  );

const isAtLeast = (version: string, least: string): boolean => {
  const [a, b] = [version, least].map(text => text.split('.').map(Number)) as [number[], number[]];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 || a[at]! > b[at]!;
};

/** Databases from before the first release get the column `runs_from` by one of these migrations, none of which fills it. */
const record = (client: pg.PoolClient, { version, name, hash, runsFrom }: Migration) =>
  runsFrom === null
    ? client.query('insert into migrations (version, name, hash) values ($1, $2, $3)', [version, name, hash])
    : client.query('insert into migrations (version, name, hash, runs_from) values ($1, $2, $3, $4)', [
        version,
        name,
        hash,
        runsFrom,
      ]);

async function requireUtf8(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; encoding: string }>(
    `select current_database()::text as name, current_setting('server_encoding') as encoding`,
  );
  const { name, encoding } = rows[0]!;
  if (encoding === 'UTF8') return;
  throw new UnfitDatabase(
    `The database ${name} has the encoding ${encoding}, and Firsthand needs UTF8. Make another one, with ` +
      `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C', and name it in DATABASE_URL.`,
  );
}

async function applied(db: pg.Pool | pg.PoolClient): Promise<Applied[]> {
  const sql = `select version, name, hash, to_jsonb(m) ->> 'runs_from' as "runsFrom" from migrations m order by version`;
  return (await db.query<Applied>(sql)).rows;
}

/**
 * Returns the lowest file that this database has not run. Branches number their files apart, so a lower one may arrive
 * later.
 */
function nextOf(known: readonly Migration[], done: readonly Applied[]): Migration | undefined {
  const files = new Map(known.map(migration => [migration.version, migration]));
  for (const row of done) {
    const migration = files.get(row.version);
    if (!migration) {
      if (row.runsFrom !== null && isAtLeast(VERSION, row.runsFrom)) continue;
      const least = row.runsFrom === null ? 'the newer version' : `version ${row.runsFrom} or later`;
      throw new NewerDatabase(
        `The database has run migration ${row.name}, which this version of Firsthand (${VERSION}) does not have. Start ${least}.`,
      );
    }
    if (row.hash !== migration.hash) {
      throw new EditedMigration(
        `Migration ${migration.name} differs from ${row.name}, which this database has run. Never edit a migration that has ` +
          'run: add a new one.',
      );
    }
  }
  const ran = new Set(done.map(row => row.version));
  return known.find(migration => !ran.has(migration.version));
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    files.map(async file => {
      const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
      if (!version) throw new Error(`${join(folder, file)}: migrations are named NNNN_name.sql, numbered from 0001`);
      // A checkout may have converted the line endings. The SQL is the same.
      const sql = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n');
      const runsFrom = RUNS_FROM.exec(sql)?.[1] ?? null;
      return { version, name: file.slice(0, -4), sql, hash: createHash('sha256').update(sql).digest('hex'), runsFrom };
    }),
  );
  for (const [index, { version, name }] of migrations.entries()) {
    if (version === migrations[index - 1]?.version) {
      throw new Error(
        `${join(folder, name)}.sql: another migration has this number; give one of them the next free one`,
      );
    }
  }
  return migrations;
}

async function locked<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const quietLogger = (log: Log): Logger =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ component: 'graphile-worker' }, message);
    else log.debug({ component: 'graphile-worker' }, message);
  });
