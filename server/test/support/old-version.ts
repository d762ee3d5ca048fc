import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGES = ['capture', 'dashboard', 'site', 'verify'];
/** The old version serves the pages of this one: building them takes longer than what is tested. */
const BUILDERS = new Set(['vite']);

const git = (...args: string[]): string | null => {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};

/** The migrations of a commit, as lines of `git ls-tree`: a line holds a file's name and the hash of its text. */
const migrationsOf = (commit: string) => git('ls-tree', `${commit}:server/migrations`)?.split('\n') ?? [];

/**
 * The version that a rollout of this one replaces: the last release. Before the first one, the newest commit that lacks a
 * migration, so that the rollout migrates, and has no other than those of this version: one that was rewritten before its
 * release counts as none. No version lacks the baseline: if it is alone, the newest commit that has it. Null if the
 * checkout has no such commit, as a shallow clone.
 */
export function oldVersion(): string | null {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  if (tag) return tag;
  const now = new Set(migrationsOf('HEAD'));
  const commits = git('log', '--format=%H %P', '--', 'server/migrations')?.split(/\s+/) ?? [];
  const earlier = commits.filter(commit => {
    const then = migrationsOf(commit);
    return then.length > 0 && then.every(file => now.has(file));
  });
  return earlier.find(commit => migrationsOf(commit).length < now.size) ?? earlier[0] ?? null;
}

export interface OldTree {
  folder: string;
  remove(): Promise<void>;
}

/** Lays out the files of a commit in a folder of their own, with the packages that are installed here. */
export async function checkOut(commit: string): Promise<OldTree> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-old-'));
  const archive = spawnSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (archive.status !== 0) throw new Error(archive.stderr);
  await linkPackages(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const workspaces = await readdir(join(ROOT, 'node_modules', '@firsthand'));
  await mkdir(join(folder, 'node_modules', '@firsthand'));
  for (const name of workspaces) {
    await symlink(join('..', '..', name), join(folder, 'node_modules', '@firsthand', name));
    const own = join(ROOT, name, 'node_modules');
    if (existsSync(own) && existsSync(join(folder, name))) await linkPackages(own, join(folder, name, 'node_modules'));
  }
  await symlink(join('..', 'server'), join(folder, 'node_modules', 'firsthand'));
  // What `npm ci` writes.
  const generate = join(folder, 'scripts', 'generate.ts');
  if (existsSync(generate)) spawnSync(process.execPath, [generate], { cwd: folder, stdio: 'inherit' });
  for (const page of PAGES) await cp(join(ROOT, page, 'dist'), join(folder, page, 'dist'), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (name === '@firsthand' || name === 'firsthand' || BUILDERS.has(name)) continue;
    await symlink(join(from, name), join(to, name));
  }
}
