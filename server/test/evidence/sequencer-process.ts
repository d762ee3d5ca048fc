// Keeps the log until it is killed, as each worker does, without the rest of a worker: node sequencer-process.ts
import { readConfig } from '../../src/config/config.ts';
import { loadEnvironment } from '../../src/config/environment.ts';
import { startLog } from '../../src/evidence/run.ts';
import { createLog } from '../../src/lib/log.ts';
import { openDeps } from '../../src/open.ts';

const { deps } = await openDeps(readConfig(loadEnvironment()), createLog('error'), { database: 'own' });
startLog(deps);
process.send!('ready');
