import { chown, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, canBecome, EmbeddedPostgresError } from './binaries.ts';
import { run } from './process.ts';

/**
 * For root, chooses the unprivileged user that already owns the database, else a user id that no account of this
 * machine uses.
 */
export async function chooseAccount(folder: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(join(folder, 'PG_VERSION')).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const taken = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const ids = new Set(taken.split('\n').map(line => Number(line.split(':')[2])));
  // Tries the upper end of the range for people's accounts, which grow from 1000. Then tries `nobody`, for containers
  // with few ids.
  const candidates = [59_431, 59_432, 59_433].filter(id => !ids.has(id));
  for (const id of [...candidates, 65_534]) {
    const account = { uid: id, gid: id };
    if (canBecome(account)) return account;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this process may not change its user. Start it as an ordinary user, ' +
      'or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

/** initdb needs a user that has a name; the server does not. */
export async function namedAccount(): Promise<Account> {
  const entries = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  entries.sort((a, b) => Number(b.name === 'nobody') - Number(a.name === 'nobody'));
  for (const { uid, gid } of entries) if (canBecome({ uid, gid })) return { uid, gid };
  throw new EmbeddedPostgresError(
    '/etc/passwd names no user but root, and PostgreSQL refuses to create a database as root. Add one, start as an ' +
      'ordinary user, or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

export async function give(path: string, account: Account): Promise<void> {
  if (!account) return;
  try {
    await chown(path, account.uid, account.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `${path} cannot be given to user ${account.uid}, which the database runs as (${(error as Error).message}). ` +
        'Put DATA_DIR on a local file system, start as an ordinary user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

export async function giveAll(folder: string, account: Account): Promise<void> {
  if (!account) return;
  const done = await run('chown', ['-R', '-h', `${account.uid}:${account.gid}`, folder], null, '/');
  if (done.code !== 0)
    throw new EmbeddedPostgresError(`${folder} cannot be given to user ${account.uid}: ${done.text}`);
}
