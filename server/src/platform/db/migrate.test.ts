import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/database.ts';
import { VERSION } from '../lib/version.ts';
import { EditedMigration, migrate, NewerDatabase } from './migrate.ts';
import { createPool } from './pool.ts';

const log = pino({ level: 'silent' });
let folder: string;
let database: { url: string; drop(): Promise<void> };
const pools: pg.Pool[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-migrations-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  database = await emptyDatabase();
  await rm(folder, { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), 'fh-migrations-'));
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
  await database.drop();
});

const file = (name: string, sql: string) => writeFile(join(folder, name), sql);
function pool(): pg.Pool {
  const made = createPool(database.url, 3, () => {});
  pools.push(made);
  return made;
}
const tables = async (db: pg.Pool) =>
  (
    await db.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
    )
  ).rows.map(row => row.name);

describe('migrate', () => {
  test('runs each file once when several nodes start together, then the job queue’s migrations', async () => {
    // Run twice, any of these would fail or leave more than one row.
    await file('0001_first.sql', 'create table first (n int); insert into first values (1);');
    await file('0002_second.sql', 'create table second (n int); insert into second select * from first;');
    const nodes = Array.from({ length: 6 }, pool);
    await Promise.all(nodes.map(node => migrate(node, log, folder)));
    expect((await nodes[0]!.query('select * from second')).rows).toEqual([{ n: 1 }]);
    expect((await nodes[0]!.query('select name from migrations order by version')).rows.map(row => row.name)).toEqual([
      '0001_first',
      '0002_second',
    ]);
    await nodes[0]!.query("select graphile_worker.add_job('anything')");
  });

  test('leaves nothing of a failing file, and continues there after it is fixed', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_second.sql', 'create table second (n int); select 1 / 0;');
    const db = pool();
    await expect(migrate(db, log, folder)).rejects.toThrow('division by zero');
    expect(await tables(db)).toEqual(['first', 'migrations']);
    await file('0002_second.sql', 'create table second (n int);');
    await migrate(db, log, folder);
    expect(await tables(db)).toEqual(['first', 'migrations', 'second']);
  });

  test('refuses a migration that was edited after it ran, before it changes anything', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    const db = pool();
    await migrate(db, log, folder);
    await file('0001_first.sql', 'create table first (n bigint);');
    await file('0002_second.sql', 'create table second (n int);');
    await expect(migrate(db, log, folder)).rejects.toThrow(EditedMigration);
    expect(await tables(db)).toEqual(['first', 'migrations']);
  });

  test('says before it migrates that the version before cannot start afterwards, or which can', async () => {
    const said: string[] = [];
    const telling = pino({ level: 'warn' }, { write: line => said.push((JSON.parse(line) as { msg: string }).msg) });
    await file('0001_first.sql', 'create table first (n int);');
    const db = pool();
    await migrate(db, telling, folder);
    expect(said).toEqual([]);
    await file('0002_second.sql', 'create table second (n int); select 1 / 0;');
    await expect(migrate(db, telling, folder)).rejects.toThrow('division by zero');
    expect(said).toEqual([expect.stringContaining('to go back, restore a backup')]);
    await file('0002_second.sql', `-- Runs with version 0.0.1 and later.\ncreate table second (n int);`);
    await file('0003_third.sql', `-- Runs with version 0.0.12 and later.\ncreate table third (n int);`);
    await migrate(db, telling, folder);
    expect(said[1]).toContain('version 0.0.12 and later can still start');
  });

  test('starts on a database that a newer version has migrated where each of its migrations allows it', async () => {
    const said: string[] = [];
    const telling = pino({ level: 'warn' }, { write: line => said.push((JSON.parse(line) as { msg: string }).msg) });
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_second.sql', `-- Runs with version ${VERSION} and later.\ncreate table second (n int);`);
    const db = pool();
    await migrate(db, log, folder);
    await rm(join(folder, '0002_second.sql'));
    await migrate(db, telling, folder);
    expect(said).toEqual(['a newer version has migrated this database; this version still runs on it']);
    await file('0003_third.sql', `-- Runs with version 99.0.0 and later.\ncreate table third (n int);`);
    await migrate(db, log, folder);
    await rm(join(folder, '0003_third.sql'));
    await expect(migrate(db, log, folder)).rejects.toThrow(/0003_third.*Start version 99\.0\.0 or later/);
  });

  test('accepts a checkout with other line endings', async () => {
    await file('0001_first.sql', 'create table\nfirst (n int);\n');
    const db = pool();
    await migrate(db, log, folder);
    await file('0001_first.sql', 'create table\r\nfirst (n int);\r\n');
    await migrate(db, log, folder);
  });

  test('refuses a database migrated by a newer version', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_second.sql', 'create table second (n int);');
    const db = pool();
    await migrate(db, log, folder);
    await rm(join(folder, '0002_second.sql'));
    await expect(migrate(db, log, folder)).rejects.toThrow(NewerDatabase);
  });

  test('runs a lower number that arrives later once', async () => {
    await file('0001_first.sql', 'create table first (n int);');
    await file('0010_tenth.sql', 'create table tenth (n int);');
    const db = pool();
    await migrate(db, log, folder);
    await file('0005_fifth.sql', 'create table fifth (n int);');
    await migrate(db, log, folder);
    await migrate(db, log, folder);
    expect(await tables(db)).toEqual(['fifth', 'first', 'migrations', 'tenth']);
  });

  test('refuses two files with one number, and a file without one', async () => {
    await file('0001_first.sql', 'select 1;');
    await file('0001_other.sql', 'select 1;');
    await expect(migrate(pool(), log, folder)).rejects.toThrow('0001_other.sql');
    await rm(join(folder, '0001_other.sql'));
    await file('second.sql', 'select 1;');
    await expect(migrate(pool(), log, folder)).rejects.toThrow('second.sql');
  });
});
