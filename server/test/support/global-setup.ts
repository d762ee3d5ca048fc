import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of the run's own PostgreSQL. */
    databaseUrl: string;
  }
}

export const TEMPLATE = 'template_migrated';

/** One PostgreSQL for the whole run, in a folder of its own, with a migrated database that test files clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = pino({ level: 'silent' });
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-test-database-'));
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    // Thrown away at the end: what a power cut would do to it is of no interest, and clones are cheap as file copies.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '150', autovacuum: 'off' },
  });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create database ${TEMPLATE}`);
    await admin.end();
    const address = new URL(server.url);
    address.pathname = TEMPLATE;
    const pool = createPool(address.href, 3, () => {});
    await migrate(pool, log);
    await pool.end();
    project.provide('databaseUrl', server.url);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
