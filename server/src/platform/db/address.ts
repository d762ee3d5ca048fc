import { lstat, mkdtemp, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { give } from './account.ts';
import { type Account, EmbeddedPostgresError } from './binaries.ts';

const STATE_FILE = 'postgres.json';
/**
 * The longest folder that fits in a socket's address (sockaddr_un: 108 bytes on Linux, 104 on macOS), less
 * `/.s.PGSQL.5432`.
 */
const SOCKET_FOLDER_MAX = 104 - 1 - '/.s.PGSQL.5432'.length;

export async function makeSocketFolder(account: Account): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    const length = join(parent, 'firsthand-XXXXXX').length;
    if (length > SOCKET_FOLDER_MAX || (account && !(await anyoneMayEnter(parent)))) continue;
    const folder = await mkdtemp(join(await realpath(parent), 'firsthand-')).catch(() => null);
    if (!folder) continue;
    await give(folder, account);
    return folder;
  }
  throw new EmbeddedPostgresError(
    'no temporary folder is short enough and writable for the database socket; set TMPDIR',
  );
}

async function anyoneMayEnter(folder: string): Promise<boolean> {
  for (let at = await realpath(folder).catch(() => ''); at !== ''; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === '/') return true;
  }
  return false;
}

interface State {
  url: string;
  pid: number;
  started_at: string;
}

export async function writeState(home: string, state: State): Promise<void> {
  const draft = join(home, `${STATE_FILE}.new`);
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, join(home, STATE_FILE));
}

export async function readState(home: string): Promise<State | null> {
  try {
    return JSON.parse(await readFile(join(home, STATE_FILE), 'utf8')) as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the address of the instance that serves `dataDir`, or null when none answers there. */
export async function runningUrl(dataDir: string): Promise<string | null> {
  const state = await readState(dataDir);
  if (!state) return null;
  const client = new pg.Client({ connectionString: state.url, ssl: false });
  try {
    await client.connect();
    await client.end();
    return state.url;
  } catch {
    return null;
  }
}

/** Removes the socket folder of a start that was killed. Removes only folders that are plainly ours. */
export async function clearSocketFolder(home: string): Promise<void> {
  const state = await readState(home);
  const folder = state ? new URL(state.url).searchParams.get('host') : null;
  if (folder && /\/firsthand-[A-Za-z0-9]{6}$/.test(folder) && (await lstat(folder).catch(() => null))?.isDirectory()) {
    for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) await rm(join(folder, name), { force: true });
    await rmdir(folder).catch(() => {});
  }
  await removeState(home);
}

export async function removeState(home: string): Promise<void> {
  await rm(join(home, STATE_FILE), { force: true });
}
