// Keeps the log until it is killed, as each worker does, without the rest of a worker: node sequencer-process.ts

import { openDeps } from '../../../src/open.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { loadEnvironment } from '../../../src/platform/config/environment.ts';
import { createLog } from '../../../src/platform/lib/log.ts';
import { startLog } from '../../../src/record/evidence/run.ts';

const { deps } = await openDeps(readConfig(loadEnvironment()), createLog('error'), { database: 'own' });
startLog(deps);
process.send!('ready');
