import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { freePort } from './service-process.ts';

/** Whether this machine has a Redis to test against (Debian: `redis-server`). */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of the test's own, only in memory, on a free port of this machine unless one is given. */
export async function startRedis(at?: number): Promise<{ url: string; stop(): Promise<void> }> {
  const port = at ?? (await freePort());
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await ready(child);
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`redis-server ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('eady to accept connections')) resolve();
    });
  });
}
