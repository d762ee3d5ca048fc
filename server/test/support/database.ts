import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { TEMPLATE } from './global-setup.ts';

export interface TestDatabase {
  url: string;
  /** Fails when anything is still connected: whoever opened a connection closes it. */
  drop(): Promise<void>;
}

/** A migrated, otherwise empty database of the caller's own. */
export const freshDatabase = (): Promise<TestDatabase> => create(`template ${TEMPLATE} strategy file_copy`);

/** A database without any of our tables. */
export const emptyDatabase = (): Promise<TestDatabase> => create('template template1');

/** The same, as `create database` makes it with these options. */
export const databaseOf = (options: string): Promise<TestDatabase> => create(`template template0 ${options}`);

async function create(from: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(`create database ${name} ${from}`);
  const address = new URL(inject('databaseUrl'));
  address.pathname = name;
  return { url: address.href, drop: () => asAdmin(`drop database ${name}`) };
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } catch (error) {
    // A connection that was just closed may take the server a moment to notice: it waits five seconds by itself.
    throw new Error(`${sql}: ${(error as Error).message}`, { cause: error });
  } finally {
    await client.end();
  }
}
