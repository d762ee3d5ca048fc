import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { type Account, type Binaries, EmbeddedPostgresError, POSTGRES_ENV } from './binaries.ts';

/** Recovery of a large log takes time after a crash. A server that exits is noticed at once. */
const START_TIMEOUT_MS = 300_000;

/**
 * Returns a path to the working folder that needs no rights on the folders above it, because the kernel goes straight
 * to it. Root's data may be in a home folder that the database's user cannot enter. spawn() enters the folder before it
 * changes the user.
 */
export const hereFor = (folder: string, account: Account): string =>
  account && process.platform === 'linux' ? '/proc/self/cwd' : folder;

export interface Server {
  process: ChildProcess;
  exited: Promise<void>;
  /** Returns the last lines the process wrote. */
  lastWords(): string;
  stop(): Promise<void>;
}

export function launch(
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
    // Starts a process group of its own, so that Ctrl-C in the terminal reaches only the service, which drains first.
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
      // First waits for clients that are disconnecting, then disconnects the others, then stops without a checkpoint.
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

export async function untilReady(url: string, server: Server): Promise<void> {
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (ended) throw new EmbeddedPostgresError(`PostgreSQL did not start:\n${server.lastWords()}`);
    const client = new pg.Client({ connectionString: url, ssl: false });
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

export async function run(program: string, args: string[], account: Account, cwd: string) {
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
