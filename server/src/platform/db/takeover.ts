import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** A row of `migrations`. */
export interface Applied {
  version: number;
  name: string;
  hash: string;
  /** The lowest version that runs on the database after it. Null: none that does not have the migration. */
  runsFrom: string | null;
}

/** The database was made before the baseline and has not run all migrations that the baseline replaces. */
export class OlderDatabase extends Error {
  override name = 'OlderDatabase';
}

/** SHA-256 over the rows of the 48 migrations that `0001_baseline` replaces. */
const REPLACED = 'c396795eaa00b602410b5bea2d6f2b2df983dbb18334f6f94ff5a6b058c94546';
/** The newest commit that has them. */
export const LAST_BEFORE_BASELINE = '502864dffa3d22e5bb418dc9434e786370d2dab1';

/** Whether the migrations start with the baseline, and the database was made before it. */
export const isBeforeBaseline = (done: readonly Applied[], known: readonly Applied[]): boolean =>
  known[0]?.name === '0001_baseline' && done[0]?.name === '0001_tenants';

/**
 * Makes a database that has run the 48 migrations equal to one that has run the baseline, whose SQL is given.
 * Throws {@link OlderDatabase} before it changes anything.
 */
export async function takeOver(tx: pg.PoolClient, done: readonly Applied[], baseline: string): Promise<void> {
  const rows = done.map(({ version, name, hash }) => `${version} ${name} ${hash}`).join('\n');
  if (createHash('sha256').update(rows).digest('hex') !== REPLACED) {
    throw new OlderDatabase(
      `The database is older than the first release: it ends at migration ${done.at(-1)!.name}. Start commit ` +
        `${LAST_BEFORE_BASELINE} on it first, then this version.`,
    );
  }
  await tx.query(await readFile(join(import.meta.dirname, 'takeover.sql'), 'utf8'));
  for (const name of ['index_verification', 'note_change', 'note_furthest']) {
    await tx.query(`create or replace ${functionOf(baseline, name)}`);
  }
  await tx.query('delete from migrations');
}

/** What follows `create` where the baseline creates a function. */
const functionOf = (sql: string, name: string): string =>
  new RegExp(`^create (function ${name}\\(.*?^\\$\\$;)`, 'ms').exec(sql)![1]!;
