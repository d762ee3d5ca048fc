import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FirstRun } from '../../src/identity/tenants/first-run.ts';
import { freePort } from '../support/service-process.ts';

// What a start writes: both streams, as a collector of logs or a terminal gets them.

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PUBLIC_URL = 'https://photos.example';
const END = 'Guides and API';

/** Runs the command until it greets, then stops it. Returns everything it wrote. */
async function written(command: string[], dataDir: string, env: Record<string, string>): Promise<string> {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: `${await freePort()}`,
      ANALYSIS_THREADS: '1',
      LOG_LEVEL: 'trace',
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const exited = once(child, 'close');
  const deadline = Date.now() + 150_000;
  try {
    while (!output.includes(END)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`it did not get ready:\n${output}`);
      await sleep(20);
    }
  } finally {
    process.kill(-child.pid!, 'SIGTERM');
    await exited;
  }
  return stripVTControlCharacters(output);
}

const firstRunOf = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun;

/** What opens something in a text: keys, secrets, links that sign in, links to take photos. */
const secretsIn = (text: string) =>
  text.match(/pk_(?:live|test)_\w{20,}|rk_secret_[\w-]{20,}|whsec_\S+|#\w+=[\w-]{10,}|\/v\/\S+|vfy_\w{26}/g) ?? [];

describe.skipIf(process.platform !== 'linux')('the output of a start', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-first-log-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it.each([
    ['npm start', ['npm', 'start']],
    ['firsthand serve, as the image runs it', ['node', 'server/bin/firsthand.mjs', 'serve']],
  ])('with PUBLIC_URL and no terminal, has no credential at the first start and the next: %s', async (_, command) => {
    const folder = join(dataDir, command[0]!);
    const env = { PUBLIC_URL, NODE_ENV: 'production', MODE: 'live' };
    const first = await written(command, folder, env);
    const file = join(folder, 'first-run.json');
    expect(secretsIn(first)).toEqual([]);
    expect(first).toContain(`Firsthand is ready at ${PUBLIC_URL}`);
    expect(first).toContain(`are in ${file} (mode 0600), not in this output`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);

    const { tenant_id, ...run } = await firstRunOf(folder);
    const next = await written(command, folder, env);
    expect(secretsIn(next)).toEqual([]);
    expect(next).toContain(`are in ${file} (mode 0600)`);
    expect(next).toContain(`Nobody has signed in yet. For a new link`);
    expect(next).toContain(`npx firsthand sign-in-link --tenant ${tenant_id}`);
    for (const secret of Object.values(run)) {
      const [, token = secret] = secret.split('#first=');
      for (const output of [first, next]) expect(output).not.toContain(token);
    }
  });

  it('names a sign-in link by its command where the file of the first start is gone', async () => {
    const folder = join(dataDir, 'gone');
    await written(['npm', 'start'], folder, { PUBLIC_URL });
    const { tenant_id } = await firstRunOf(folder);
    await rm(join(folder, 'first-run.json'));
    const next = await written(['npm', 'start'], folder, { PUBLIC_URL });
    expect(next).not.toContain('first-run.json');
    expect(next).toContain(`firsthand sign-in-link --tenant ${tenant_id}`);
    expect(secretsIn(next)).toEqual([]);
  });

  it('without PUBLIC_URL, on a laptop, has keys and links', async () => {
    const folder = join(dataDir, 'laptop');
    const output = await written(['npm', 'start'], folder, {});
    const { tenant_id: _, ...run } = await firstRunOf(folder);
    for (const secret of Object.values(run)) expect(output).toContain(secret);
    expect(output).toMatch(/Capture link\s+http:\/\/localhost:\d+\/v\/vfy_\w{26}/);
  });

  it('in the journal of systemd has no credential, also without PUBLIC_URL', async () => {
    const folder = join(dataDir, 'journal');
    const asService = 'export JOURNAL_STREAM="$(stat -Lc %d:%i /proc/$$/fd/1)"; exec npm start';
    const output = await written(['sh', '-c', asService], folder, {});
    expect(output).toContain(`are in ${join(folder, 'first-run.json')} (mode 0600), not in this output`);
    expect(secretsIn(output)).toEqual([]);
  });

  it.skipIf(spawnSync('which', ['script']).status !== 0)(
    'with PUBLIC_URL in a terminal has keys and links',
    async () => {
      const folder = join(dataDir, 'terminal');
      const output = await written(['script', '-qec', 'npm start', '/dev/null'], folder, { PUBLIC_URL });
      const { tenant_id: _, ...run } = await firstRunOf(folder);
      for (const secret of Object.values(run)) expect(output).toContain(secret);
      expect(output).toContain(`${PUBLIC_URL}/v/vfy_`);
    },
  );
});
