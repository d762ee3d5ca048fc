// A node of the service for tests that kill it: the settings of its environment, and retries that do not take days.
// Prints its address once it is ready.

import { openDeps } from '../../../src/open.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { createLog } from '../../../src/platform/lib/log.ts';
import { startService } from '../../../src/service.ts';

const config = { ...readConfig(process.env), webhookRetrySeconds: Array(100).fill(0.3) };
const opened = await openDeps(config, createLog('warn'), { database: 'own' });
await startService(opened, { http: true, worker: true });
console.log(opened.deps.origins.public);
