import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freshDatabase } from './database.ts';
import { firstRunOf, freePort, startServiceProcess } from './service-process.ts';

/** A service process on a database of its own, for a test that kills it. */
export interface KillableService {
  url: string;
  /** The secret key of its first account. */
  key: string;
  database: pg.Client;
  /** Kills the process and starts it again on the same data. */
  killAndRestart(): Promise<void>;
}

/** Runs `work` with the service and removes all of it afterwards. */
export async function withKillableService(work: (service: KillableService) => Promise<void>): Promise<void> {
  const { url: DATABASE_URL, drop } = await freshDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-killable-'));
  const env = {
    DATABASE_URL,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const port = await freePort();
  const start = () => startServiceProcess({ dataDir, port, env });
  const database = new pg.Client({ connectionString: DATABASE_URL });
  let running = start();
  try {
    await running.ready();
    await database.connect();
    const { rk_secret: key } = await firstRunOf(dataDir);
    await work({
      url: running.url,
      key,
      database,
      async killAndRestart() {
        await running.kill();
        // Where the database is shared, other nodes wait for a dead one's heartbeat: let it be as old as that.
        await database.query("update worker_nodes set seen_at = seen_at - interval '1 minute'");
        await database.query(
          "update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute' where locked_at is not null",
        );
        running = start();
        await running.ready();
      },
    });
  } finally {
    await database.end();
    await running.kill();
    await drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
