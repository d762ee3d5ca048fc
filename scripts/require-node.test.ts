import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const GUARD = join(ROOT, 'scripts', 'require-node.cjs');

/** Runs the guard in a process that says it is this version. */
function guard(version: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(GUARD)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm ci', () => {
  it('warns of no engine: the packages run in the Node.js that comes along', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fh-npm-ci-'));
    try {
      const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
      for (const name of ['.', ...workspaces]) {
        mkdirSync(join(folder, name), { recursive: true });
        cpSync(join(ROOT, name, 'package.json'), join(folder, name, 'package.json'));
      }
      cpSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
      // Some package needs a Node.js later than any.
      const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
      lock.packages['node_modules/commander'].engines = { node: '>=999' };
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
      const ci = (...more: string[]) =>
        spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline', ...more], {
          cwd: folder,
          encoding: 'utf8',
        });
      expect(ci('--loglevel=warn').stderr).toContain('EBADENGINE');
      const { status, stderr } = ci();
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('require-node', () => {
  it.each(['12.22.12', '18.19.1', '20.18.1', '22.23.2', '23.11.0'])('ends Node.js %s with one sentence', version => {
    const { status, stdout, stderr } = guard(version);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`^Firsthand needs Node\\.js 24 or later, and this is ${version}: [^\\n.]+(\\.org|[^.\\n])*\\.\\n$`),
    );
  });

  it.each(['24.0.0', '26.10.0'])('lets Node.js %s run without output', version => {
    expect(guard(version)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('precedes every npm script that runs TypeScript', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const typescript = Object.values(scripts).filter(script => /\bnode\b.*\.ts\b/.test(script));
    expect(typescript.length).toBeGreaterThan(5);
    for (const script of typescript)
      expect(script).toMatch(
        /^(npm run --silent generate && )?([A-Z_]+=\S+ )?exec node -r \.\/scripts\/require-node\.cjs /,
      );
  });
});
