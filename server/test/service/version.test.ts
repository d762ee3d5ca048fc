import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/harness.ts';
import { runHere } from '../support/run-here.ts';
import { freePort, startServiceProcess } from '../support/service-process.ts';
import { serviceOfSuite } from '../support/suite.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
/** A checkout without .git knows no commit. */
const commit = existsSync(join(ROOT, '.git')) ? git('rev-parse', 'HEAD') : null;
const full = commit ? `${version}+${commit}` : version;

describe('version and commit', () => {
  const service = serviceOfSuite({ worker: false });

  it('stand in /healthz, GET /v1/system and a header of every response', async () => {
    const alive = await ask(service, '/healthz');
    expect(alive.body).toEqual({ status: 'ok', version, commit });
    const system = await ask(service, '/v1/system', { key: service.tenant.rk_secret });
    expect(system).toMatchObject({ status: 200, body: { version, commit } });
    const others = await Promise.all(['/nowhere', '/v1/verifications', '/docs', '/%'].map(path => ask(service, path)));
    for (const { headers } of [alive, system, ...others]) expect(headers.get('firsthand-version')).toBe(full);
  });

  it('stand first in what doctor finds', async () => {
    const { databaseUrl, dataDir, encryptionKeys } = service.deps.config;
    const { out } = await runHere(['doctor', '--json'], {
      DATABASE_URL: databaseUrl!,
      DATA_DIR: dataDir,
      ENCRYPTION_KEYS: encryptionKeys![0]!.toString('base64'),
    });
    const { findings } = JSON.parse(out) as { findings: object[] };
    expect(findings[0]).toEqual({ part: 'version', state: 'ok', what: `Firsthand ${full}` });
  });

  it('stand in the first line that a start logs', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-version-'));
    const service = startServiceProcess({ dataDir, port: await freePort(), env: { LOG_LEVEL: 'info' } });
    try {
      await service.ready();
      const first = service.output().split('\n')[0]!;
      expect(JSON.parse(first)).toMatchObject({ level: 'info', msg: 'starting', version, commit });
      expect(await service.stop()).toBe(0);
    } finally {
      await service.kill();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it.skipIf(!commit)('stand in an archive of the commit, which has no .git', () => {
    expect(git('archive', 'HEAD', 'server/commit.txt')).toContain(`${commit}\n`);
  });

  it('the changelog is at /docs/changelog, and in the list of pages', async () => {
    const page = await ask<string>(service, '/docs/changelog');
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<h1') });
    expect(page.body).toContain(version);
    expect((await ask<string>(service, '/docs')).body).toMatch(/href="[^"]*changelog"/);
  });
});
