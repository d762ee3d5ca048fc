import { execFile, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnalysisPool, createAnalysisPool } from './pool.ts';

const picture = () =>
  sharp({ create: { width: 600, height: 400, channels: 3, background: '#58a' } })
    .jpeg()
    .toBuffer();

/** Returns names and niceness of this process's threads (Linux). */
async function threads(): Promise<{ name: string; niceness: number }[]> {
  const ids = await readdir('/proc/self/task');
  const found = ids.map(async id => {
    const name = await readFile(`/proc/self/task/${id}/comm`, 'utf8').catch(() => '');
    try {
      return { name: name.trim(), niceness: getPriority(Number(id)) };
    } catch {
      return { name: '', niceness: 0 };
    }
  });
  return Promise.all(found);
}

describe('createAnalysisPool', () => {
  let pool: AnalysisPool | undefined;
  afterEach(() => pool?.close());

  it('analyses in threads and answers each caller with its own picture', async () => {
    pool = createAnalysisPool({ threads: 2, timeoutMs: 120_000, memoryMb: 256 });
    const small = await sharp({ create: { width: 10, height: 20, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const [first, second] = await Promise.all([
      pool.analyze({ bytes: await picture(), signals: ['ai'] }),
      pool.analyze({ bytes: small, signals: ['ai'] }),
    ]);
    expect(first.info).toMatchObject({ contentType: 'image/jpeg', width: 600, height: 400 });
    expect(second.info).toMatchObject({ contentType: 'image/png', width: 10, height: 20 });
    expect((await pool.inspect(small)).preview.length).toBeGreaterThan(100);
  });

  it('names the fault of a bad picture and continues with the next', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
    await expect(pool.analyze({ bytes: Buffer.from('hello'), signals: ['ai'] })).rejects.toMatchObject({
      name: 'ImageFault',
      code: 'not_an_image',
    });
    expect((await pool.analyze({ bytes: await picture(), signals: ['ai'] })).info.width).toBe(600);
  });

  it('ends a thread at its time limit and replaces it', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 1, memoryMb: 256 });
    const bytes = await picture();
    await expect(pool.analyze({ bytes, signals: ['screen'] })).rejects.toMatchObject({ code: 'timeout' });
    await expect(pool.analyze({ bytes, signals: ['screen'] })).rejects.toMatchObject({ code: 'timeout' });
  });

  it('does not count the time that its process stood still', async () => {
    const TIMEOUT_MS = 10_000;
    const script = `
      import sharp from 'sharp';
      import { createAnalysisPool } from '${import.meta.dirname}/pool.ts';
      const noise = { type: 'gaussian', mean: 128, sigma: 50 };
      const bytes = await sharp({ create: { width: 2000, height: 1500, channels: 3, noise, background: '#888' } })
        .jpeg()
        .toBuffer();
      const pool = createAnalysisPool({ threads: 1, timeoutMs: ${TIMEOUT_MS}, memoryMb: 256 });
      await pool.warmUp();
      const analysed = pool.analyze({ bytes, signals: ['screen'] }).then(() => 'analysed', error => error.code);
      console.log('began');
      console.log(await analysed);
      await pool.close();`;
    // Threads take over the flags of their process, so the script comes by its standard input.
    const child = spawn(process.execPath, ['-'], { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(script);
    let said = '';
    child.stdout.on('data', chunk => {
      said += chunk;
    });
    const ended = once(child, 'close');
    try {
      await once(child.stdout, 'data');
      child.kill('SIGSTOP');
      expect(said.trim()).toBe('began');
      await sleep(TIMEOUT_MS + 1_000);
      child.kill('SIGCONT');
      await ended;
    } finally {
      child.kill('SIGKILL');
    }
    expect(said.trim().split('\n')).toEqual(['began', 'analysed']);
  });

  it('warms up its threads before the first picture', async () => {
    let started = 0;
    const count = () => void started++;
    subscribe('worker_threads', count);
    try {
      pool = createAnalysisPool({ threads: 2, timeoutMs: 120_000, memoryMb: 256 });
      let ready = 0;
      await pool.warmUp(() => void ready++);
      expect([started, ready]).toEqual([2, 2]);
      const bytes = await picture();
      await Promise.all([1, 2, 3].map(() => pool?.analyze({ bytes, signals: ['screen'] })));
      expect(started).toBe(2);
    } finally {
      unsubscribe('worker_threads', count);
    }
  });

  it.runIf(process.platform === 'linux')('lowers the priority of the decoder’s threads too', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const large = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
      .jpeg()
      .toBuffer();
    await pool.analyze({ bytes: large, signals: [] });
    // Threads that drew this test's pictures existed before and have the process's own priority.
    const seen = new Map<string, Set<number>>();
    let done = false;
    const analysing = pool.analyze({ bytes: large, signals: [] }).finally(() => {
      done = true;
    });
    while (!done) {
      for (const { name, niceness } of await threads())
        if (/^lib(uv|vips)/.test(name)) seen.set(name, (seen.get(name) ?? new Set()).add(niceness));
      await new Promise(resolve => setImmediate(resolve));
    }
    await analysing;
    expect(Object.fromEntries(seen)).toEqual({ 'libuv-worker': new Set([10]), 'libvips worker': new Set([10]) });
  });

  // Only root may raise a priority. `setpriv` takes that right away from root.
  it.runIf(process.platform === 'linux')(
    'analyses in a process that started at a lower priority and may not raise it',
    async () => {
      const script = `
      import { createAnalysisPool } from './pool.ts';
      const pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
      const { info } = await pool.inspect(Buffer.from('${(await picture()).toString('base64')}', 'base64'));
      console.log(info.width, info.height);
      await pool.close();
    `;
      const node = [process.execPath, '-e', script];
      const unprivileged = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_nice', ...node] : node;
      const { stdout } = await promisify(execFile)('nice', ['-n', '15', ...unprivileged], { cwd: import.meta.dirname });
      expect(stdout).toBe('600 400\n');
    },
  );

  it('ends its warm-up when closed', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
    const warming = pool.warmUp();
    await pool.close();
    await expect(warming).resolves.toBeUndefined();
  });

  it('finishes what its threads have begun after drain, and answers the rest at once', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
    const bytes = await picture();
    const order: string[] = [];
    const [first, second] = ['first', 'second'].map(name =>
      pool!.analyze({ bytes, signals: ['screen'] }).then(
        () => void order.push(`${name} done`),
        cause => void order.push(`${name} ${cause.code}`),
      ),
    );
    pool.drain();
    await expect(pool.analyze({ bytes, signals: [] })).rejects.toMatchObject({ code: 'closed' });
    await Promise.all([first, second]);
    expect(order).toEqual(['second closed', 'first done']);
  });

  it('gives back a large picture that waits for another large one when drained', async () => {
    pool = createAnalysisPool({ threads: 2, timeoutMs: 120_000, memoryMb: 256 });
    const large = await sharp({ create: { width: 8_000, height: 6_000, channels: 3, background: '#58a' } })
      .png()
      .toBuffer();
    await pool.warmUp();
    const order: string[] = [];
    const both = [1, 2].map(() =>
      pool!.analyze({ bytes: large, signals: ['screen'] }).then(
        () => void order.push('done'),
        cause => void order.push(cause.code),
      ),
    );
    // Both threads have read the size by then, and the first decodes.
    while (order.length === 0) {
      await sleep(100);
      pool.drain();
    }
    await Promise.all(both);
    expect(order).toEqual(['closed', 'done']);
  });

  it('answers waiting requests when closed', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 120_000, memoryMb: 256 });
    const bytes = await picture();
    const waiting = [1, 2].map(() => pool?.analyze({ bytes, signals: [] }).catch((cause: unknown) => cause));
    await pool.close();
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ code: 'closed' });
    await expect(pool.analyze({ bytes, signals: [] })).rejects.toMatchObject({ code: 'closed' });
  });
});
