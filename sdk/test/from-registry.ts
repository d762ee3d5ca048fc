import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../../.tmp/registry');

/**
 * Installs a package into a cache below `.tmp` and returns its folder. Null where the registry cannot be reached. Downloads, half a
 * gigabyte for all, only with `RUNTIMES=all`; without it a package counts when it was downloaded before.
 */
export function fromRegistry(name: string, version: string): string | null {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`);
  const installed = join(folder, 'node_modules', name);
  if (existsSync(join(installed, 'package.json'))) return installed;
  if (process.env.RUNTIMES !== 'all') return null;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', `${name}@${version}`];
  const { status } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  return status === 0 ? installed : null;
}
