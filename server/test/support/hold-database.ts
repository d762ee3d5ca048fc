// Starts the embedded database on the folder given and holds it, for tests that kill its owner.
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';

const database = await startEmbeddedPostgres({ dataDir: process.argv[2]!, log: pino({ level: 'silent' }) });
process.stdout.write(`${JSON.stringify({ url: database.url, pid: process.pid })}\n`);
process.stdin.once('end', () => database.stop()).resume();
