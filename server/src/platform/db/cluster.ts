import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { give, giveAll, namedAccount } from './account.ts';
import { type Account, type Binaries, EmbeddedPostgresError } from './binaries.ts';
import { stopOrphans } from './orphans.ts';
import { hereFor, run } from './process.ts';

/** The name of the only role and the only database of an embedded PostgreSQL. */
export const ROLE = 'firsthand';

export async function initialise(
  home: string,
  folder: string,
  binaries: Binaries,
  account: Account,
  log: Log,
): Promise<void> {
  const draft = join(home, 'postgres.new');
  await stopOrphans(draft, log);
  await rm(draft, { recursive: true, force: true });
  const found = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found !== null) {
    await checkVersion(found.trim(), folder, binaries, account);
    if (account && (await stat(folder)).uid !== account.uid) await giveAll(folder, account);
    return;
  }
  log.info({ folder }, 'creating the database');
  const creator = account && (await namedAccount());
  await mkdir(draft, { mode: 0o700 });
  await give(draft, creator);
  const { code, text } = await run(
    binaries.initdb,
    [
      `--pgdata=${hereFor(draft, account)}`,
      `--username=${ROLE}`,
      // The socket's folder controls access: a user who can enter it may connect.
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      // Makes one call for the file system instead of one for each of a thousand files.
      ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
    ],
    creator,
    draft,
  );
  if (code !== 0) {
    throw new EmbeddedPostgresError(
      `the database cannot be created: ${text.trim()}${
        text.includes('user does not exist') ? '. Give this user an entry in /etc/passwd, or set DATABASE_URL.' : ''
      }`,
    );
  }
  await giveAll(draft, account);
  // The folder gets its name only when complete, so an interrupted start begins again. The rename replaces an empty
  // folder.
  await rename(draft, folder);
}

async function checkVersion(found: string, folder: string, binaries: Binaries, account: Account): Promise<void> {
  const { text } = await run(binaries.postgres, ['--version'], account, '/');
  const major = /\d+/.exec(text)?.[0];
  if (found !== major) {
    throw new EmbeddedPostgresError(
      `${folder} was made by PostgreSQL ${found} and this version of Firsthand brings ${major}. ` +
        'Start the earlier version once more and move the data with pg_dump, or use another DATA_DIR.',
    );
  }
}

export async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, ssl: false });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`create database ${ROLE}`);
  } finally {
    await client.end();
  }
}
