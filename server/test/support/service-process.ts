import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstRun } from '../../src/identity/tenants/first-run.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const mainOf = (root: string) => join(root, 'server', 'src', 'main.ts');
export const MAIN = mainOf(ROOT);

/**
 * A port that nobody listens on. It lies below those that Linux gives to connections, so that no connection of another test takes it before
 * the service listens, or while the service is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const free = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise(resolve => server.close(resolve));
    return port;
  }
}

export interface ServiceProcess {
  process: ChildProcess;
  url: string;
  /** Everything it wrote, both streams. */
  output(): string;
  /** Resolves once `/readyz` says so; throws when it ends instead, or takes too long. */
  ready(timeoutMs?: number): Promise<void>;
  /** Kills the process group, as an unplugged machine would: nothing gets to finish. */
  kill(): Promise<void>;
  /** Asks it to stop and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** The service as `npm start` runs it: a process group of its own on the data folder given. */
export function startServiceProcess(o: {
  dataDir: string;
  port: number;
  /** Which part of it to run: all of it unless given. */
  command?: 'all' | 'serve' | 'work';
  env?: Record<string, string>;
  /** The tree of another version; this one unless given. */
  root?: string;
}): ServiceProcess {
  const child = spawn(process.execPath, ['--max-semi-space-size=8', mainOf(o.root ?? ROOT), o.command ?? 'all'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: o.dataDir,
      PORT: `${o.port}`,
      RATE_LIMIT_PER_MINUTE: '1000000',
      ANALYSIS_THREADS: '1',
      LOG_LEVEL: 'warn',
      MALLOC_ARENA_MAX: '2',
      ...o.env,
    },
    // `detached` makes it the leader of a new group, so that the whole group can be killed.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output = (output + chunk).slice(-20_000);
    });
  }
  const exited = once(child, 'exit');
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://localhost:${o.port}`;
  return {
    process: child,
    url,
    output: () => output,
    async ready(timeoutMs = 60_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.status === 200) return;
        if (ended()) throw new Error(`the service ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
        if (Date.now() > deadline) throw new Error(`the service was not ready after ${timeoutMs} ms:\n${output}`);
        await sleep(20);
      }
    },
    async kill() {
      if (!ended()) process.kill(-child.pid!, 'SIGKILL');
      await exited;
    },
    async stop() {
      if (!ended()) child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

/** The keys that the first start wrote. */
export const firstRunOf = async (dataDir: string): Promise<FirstRun> =>
  JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun;
