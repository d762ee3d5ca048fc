import { openDeps } from '../../src/open.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/lib/log.ts';
import { startService } from '../../src/service.ts';
import type { TestService } from './harness.ts';
import { firstRunOf } from './service-process.ts';

/**
 * Starts the service on its own database in the data folder, as a laptop runs it, or on that of `DATABASE_URL`. The folder gets or has
 * `first-run.json`. Stopping it twice is safe.
 *
 * @param now the clock of the service, where it is not the database's
 */
export async function startOnOwnDatabase(
  dataDir: string,
  env: Record<string, string> = {},
  now?: () => Date,
): Promise<TestService> {
  const settings = { DATA_DIR: dataDir, PORT: '0', ANALYSIS_THREADS: '1', RATE_LIMIT_PER_MINUTE: '100000' };
  const config = readConfig({ ...settings, ...env });
  const logged: string[] = [];
  const log = createLog('info', { write: line => void logged.push(line) });
  const opened = await openDeps(config, log, { database: 'own' });
  if (now) opened.deps.clock.now = now;
  const service = await startService(opened, { http: true, worker: true });
  const { dashboard_url: dashboardUrl, ...tenant } = await firstRunOf(dataDir);
  let stopped: Promise<void> | undefined;
  return {
    url: opened.deps.origins.public,
    deps: opened.deps,
    tenant,
    dashboardUrl,
    logged,
    newTenant: () => Promise.reject(new Error('one is enough')),
    stop() {
      stopped ??= service.stop();
      return stopped;
    },
  };
}
