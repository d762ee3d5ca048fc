import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STATUSES } from '@firsthand/contract/base/enums.ts';
import { ERROR_STATUS } from '@firsthand/contract/base/errors.ts';
import { REASON_CODES } from '@firsthand/contract/verification/signals.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { ask, until } from '../support/harness.ts';
import { freePort } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('npm run dev', () => {
  let dataDir: string;
  let url: string;
  let dev: ReturnType<typeof spawn>;
  let output = '';
  let seeded: (NewTenant & { name: string })[];
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-dev-'));
    const port = await freePort();
    url = `http://localhost:${port}`;
    dev = spawn('npm', ['run', 'dev'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        PORT: `${port}`,
        ANALYSIS_THREADS: '1',
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [dev.stdout!, dev.stderr!]) stream.on('data', chunk => (output += chunk));
    await until(
      async () => dev.exitCode !== null || output.includes('save a file to see it change'),
      'the seed',
      170_000,
    );
    if (dev.exitCode !== null) throw new Error(output);
    seeded = JSON.parse(await readFile(join(dataDir, 'seed.json'), 'utf8')).tenants;
  });
  afterAll(async () => {
    if (dev.exitCode === null) process.kill(-dev.pid!, 'SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('fills the service with forty verifications of three tenants, in every status and with every reason', async () => {
    const all: Verification[] = [];
    for (const { rk_secret } of seeded) {
      const page = await ask<{ data: Verification[] }>({ url }, '/v1/verifications?limit=100', { key: rk_secret });
      all.push(...page.body.data);
    }
    expect(seeded).toHaveLength(3);
    expect(all).toHaveLength(40);
    expect(new Set(all.map(one => one.status))).toEqual(new Set(STATUSES));
    expect(new Set(all.flatMap(one => one.verdict?.label ?? []))).toEqual(
      new Set(['verified', 'suspicious', 'failed']),
    );
    expect(new Set(all.flatMap(one => one.verdict?.reason_code ?? []))).toEqual(new Set(REASON_CODES));
    // Live verifications take no forced outcome: the pictures themselves decided.
    const live = all.filter(one => one.livemode).map(one => one.verdict?.label);
    expect(new Set(live)).toEqual(new Set(['verified', 'failed']));
    expect((await stat(join(dataDir, 'seed.json'))).mode & 0o777).toBe(0o600);
    expect((await ask({ url }, '/v1/settings', { key: 'rk_secret_none' })).status).toBe(ERROR_STATUS.unauthorized);
  });

  it('restarts the server when one of its files is saved', async () => {
    const file = join(ROOT, 'server', 'src', 'platform', 'lib', 'text.ts');
    const starts = () => output.split('is ready at').length - 1;
    const before = starts();
    const { atime, mtime } = await stat(file);
    await utimes(file, atime, mtime);
    await until(async () => starts() > before, 'another start');
    expect((await ask({ url }, '/v1/settings', { key: seeded[0]!.rk_secret })).status).toBe(200);
  });

  it('stops the server and its database when it is stopped', async () => {
    const ended = once(dev, 'exit');
    process.kill(-dev.pid!, 'SIGTERM');
    await ended;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await expect(stat(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT');
  });
});
