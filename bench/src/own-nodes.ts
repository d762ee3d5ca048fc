import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from 'firsthand/platform/db/embedded.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../../server/test/support/service-process.ts';

/** PostgreSQL and nodes as processes of their own, so that each can be measured by itself. */
export interface OwnNodes {
  dataDir: string;
  /** Asks the database. */
  pool: Pool;
  /** The single number that a query gives, in a column `n`. */
  number(sql: string): Promise<number>;
  /** Starts a node on a free port and waits until it is ready. */
  start(command: 'serve' | 'work'): Promise<Node>;
  /** `clean` runs before everything is stopped, the latest first. */
  atEnd(clean: () => unknown): void;
}

export interface Node extends ServiceProcess {
  /** Names 127.0.0.1, so that clients can connect from other loopback addresses. */
  url: string;
  pid: number;
}

/** Opens a database in a new folder for `work`. Then stops it with all nodes, and deletes the folder. */
export async function withOwnNodes(
  o: { env?: Record<string, string>; settings?: Record<string, string> },
  work: (nodes: OwnNodes) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const dataDir = join(folder, 'data');
    const database = await startEmbeddedPostgres({ dataDir, log: createLog('error'), settings: o.settings ?? {} });
    cleanups.push(database.stop);
    const pool = createPool(database.url, 2, () => {});
    cleanups.push(() => pool.end());
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      DRAIN_SECONDS: '0',
      ...o.env,
    };
    await work({
      dataDir,
      pool,
      number: async sql => Number((await pool.query<{ n: string }>(sql)).rows[0]!.n),
      async start(command) {
        const port = await freePort();
        const node = startServiceProcess({ dataDir, port, command, env: { ...env, WORKER_PORT: `${port}` } });
        cleanups.push(node.stop);
        await node.ready(180_000);
        return { ...node, url: node.url.replace('localhost', '127.0.0.1'), pid: node.process.pid! };
      },
      atEnd: clean => void cleanups.push(clean),
    });
  } finally {
    for (const clean of cleanups.toReversed()) await clean();
  }
}
