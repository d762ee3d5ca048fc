import { openDeps } from '../../src/open.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/lib/log.ts';
import { startService } from '../../src/service.ts';
import type { TestService } from './harness.ts';
import { firstRunOf } from './service-process.ts';

/** Starts the service on its own database in the data folder, as a laptop runs it. Stopping it twice is safe. */
export async function startOnOwnDatabase(dataDir: string, env: Record<string, string> = {}): Promise<TestService> {
  const settings = { DATA_DIR: dataDir, PORT: '0', ANALYSIS_THREADS: '1', RATE_LIMIT_PER_MINUTE: '100000' };
  const config = readConfig({ ...settings, ...env });
  const logged: string[] = [];
  const log = createLog('info', { write: line => void logged.push(line) });
  const opened = await openDeps(config, log, { database: 'own' });
  const service = await startService(opened, { http: true, worker: true });
  let stopped: Promise<void> | undefined;
  return {
    url: opened.deps.origins.public,
    deps: opened.deps,
    tenant: await firstRunOf(dataDir),
    dashboardUrl: '',
    logged,
    newTenant: () => Promise.reject(new Error('one is enough')),
    stop() {
      stopped ??= service.stop();
      return stopped;
    },
  };
}
