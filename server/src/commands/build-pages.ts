// Builds the pages that the server serves, for `npm run build` and for a start with outdated pages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, glob, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** The workspace of each page, and the files it is built from. */
const SHARED = ['look/**/*', 'sdk/src/**/*', 'contract/src/**/*', 'tsconfig.base.json'];
const PAGES = [
  { name: 'capture', sources: ['capture/**/*', ...SHARED] },
  { name: 'dashboard', sources: ['dashboard/**/*', ...SHARED] },
  // What the guides link to outside docs/ is part of the site.
  {
    name: 'site',
    sources: [
      'site/**/*',
      'docs/**/*',
      '{sdk,react,bench,deploy,forensics,server}/**/*.md',
      '{examples,ops}/**/*',
      '*.md',
      'package.json',
      ...SHARED,
    ],
  },
  { name: 'verify', sources: ['verify/**/*', '{stamps,evidence,report}/src/**/*', ...SHARED] },
];
const STAMP = '.sources';
const HOUR_MS = 3_600_000;

/** Told what a start waits for. */
type Say = (line: string) => void;

/**
 * Builds every page whose sources changed since its last build; says nothing when none did. Safe to run concurrently, because a finished
 * page replaces the old one in one step.
 */
export async function ensurePagesBuilt(say: Say = () => {}): Promise<void> {
  const builds = await Promise.allSettled(PAGES.map(page => ensureBuilt(page, say)));
  for (const build of builds) if (build.status === 'rejected') throw build.reason;
}

async function ensureBuilt({ name, sources }: (typeof PAGES)[number], say: Say): Promise<void> {
  const folder = join(root, name);
  const hash = await hashOf(sources);
  const built = await readFile(join(folder, 'dist', STAMP), 'utf8').catch(() => null);
  if (built === hash) return;
  const vite = findVite(folder);
  // An installation without development tools uses the pages it came with.
  if (!vite && built !== null) return;
  if (!vite) throw new Error(`${name}/dist is missing and cannot be built: run npm ci with development dependencies`);
  say(`building the pages of ${name}, which takes up to a minute`);
  const began = performance.now();
  await removeAbandonedDrafts(folder);
  const draft = await mkdtemp(join(folder, 'dist-'));
  try {
    await run(name, vite, ['build', '--logLevel', 'warn', '--outDir', draft, '--emptyOutDir']);
    await writeFile(join(draft, STAMP), hash);
    await chmod(draft, 0o755);
    await rm(join(folder, 'dist'), { recursive: true, force: true });
    await rename(draft, join(folder, 'dist')).catch((error: NodeJS.ErrnoException) => {
      // Another build of the same sources finished first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    say(`built the pages of ${name} in ${Math.ceil((performance.now() - began) / 1_000)} s`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A killed build leaves its draft. No build takes an hour. */
async function removeAbandonedDrafts(folder: string): Promise<void> {
  for await (const name of glob('dist-*', { cwd: folder })) {
    const draft = join(folder, name);
    // Null where another build has just removed it.
    const found = await stat(draft).catch(() => null);
    if (found && found.mtimeMs < Date.now() - HOUR_MS) await rm(draft, { recursive: true, force: true });
  }
}

async function hashOf(patterns: string[]): Promise<string> {
  const files: string[] = [];
  const exclude = (path: string) => /(^|\/)(node_modules|dist(-\w+)?)(\/|$)|\.test\.tsx?$/.test(path);
  for await (const entry of glob(patterns, { cwd: root, withFileTypes: true, exclude: entry => exclude(entry.name) })) {
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const bytes = await readFile(file);
    hash.update(`${file.slice(root.length)}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function findVite(folder: string): string | null {
  try {
    const at = createRequire(join(folder, 'package.json')).resolve('vite/package.json');
    return join(dirname(at), 'bin', 'vite.js');
  } catch {
    return null;
  }
}

function run(page: string, script: string, args: string[]): Promise<void> {
  // Standard output belongs to the caller.
  const child = spawn(process.execPath, [script, ...args], { cwd: join(root, page), stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`vite build of ${page} ended with ${code}`)),
    );
  });
}
