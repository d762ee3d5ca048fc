import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { openEmbeddedPostgres } from 'firsthand/platform/db/embedded.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { firstRunOf, freePort, startServiceProcess } from '../../server/test/support/service-process.ts';

export interface OwnService {
  /** Names 127.0.0.1, so that clients can connect from other loopback addresses. */
  url: string;
  pid: number;
  /** Deleted by `close`. `dataDir` lies in it. */
  folder: string;
  dataDir: string;
  tenant: NewTenant;
  /** Time from the start of the process until `/readyz` answered 200. */
  readyAfterMs: number;
  /** Opens connections to the service's database; `close` ends them. */
  openPool(size: number): Promise<Pool>;
  output(): string;
  /** Stops the service and its database, and deletes their data. */
  close(): Promise<void>;
}

/** Starts the service on a free port with a new data folder and database, and waits until it is ready. */
export async function startOwnService(env: Record<string, string> = {}): Promise<OwnService> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const started = performance.now();
  const service = startServiceProcess({ dataDir, port, env: { HOST: '127.0.0.1', LOG_LEVEL: 'error', ...env } });
  const pools: Pool[] = [];
  const close = async (): Promise<void> => {
    for (const pool of pools) await pool.end();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await service.ready();
    return {
      url: `http://127.0.0.1:${port}`,
      pid: service.process.pid!,
      folder,
      dataDir,
      tenant: await firstRunOf(dataDir),
      readyAfterMs: performance.now() - started,
      async openPool(size) {
        // Joins the database that the service started.
        const { url } = await openEmbeddedPostgres({ dataDir, log: createLog('error') });
        const pool = createPool(url, size, () => {});
        pools.push(pool);
        return pool;
      },
      output: service.output,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
