// Runs the migrations on an empty database and writes its schema to server/schema.sql. `--check` compares and writes
// nothing.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../server/src/platform/db/embedded.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { createPool } from '../server/src/platform/db/pool.ts';
import { describeSchema } from '../server/src/platform/db/schema.ts';
import { createLog } from '../server/src/platform/lib/log.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '..');
const file = join(root, 'server', 'schema.sql');

const described = `-- The public schema after every migration. Written by scripts/dump-schema.ts; do not edit.\n\n${await migrated()}`;
if (!values.check) {
  await writeFile(file, described);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== described) {
  console.error(
    `${relative(root, file)} is not what the migrations make: run node scripts/dump-schema.ts and commit it`,
  );
  process.exitCode = 1;
}

async function migrated(): Promise<string> {
  const log = createLog('warn');
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-schema-'));
  const server = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } });
  const pool = createPool(server.url, 3, () => {});
  try {
    await migrate(pool, log);
    return await describeSchema(pool);
  } finally {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
