import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDeps } from '../../src/open.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/lib/log.ts';
import { startService } from '../../src/service.ts';
import { freshDatabase } from '../support/database.ts';

test('a worker that starts before the API makes no account; the API then makes it and keeps the keys', async () => {
  const database = await freshDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-test-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    ANALYSIS_THREADS: '1',
    DRAIN_SECONDS: '0',
  });
  const open = () => openDeps(config, createLog('silent'), { database: 'own' });
  const worker = await open();
  const working = await startService(worker, { http: false, worker: true });
  expect(working.firstRun).toBeNull();
  expect((await worker.deps.db.query('select id from tenants')).rows).toEqual([]);
  expect(await readdir(dataDir)).not.toContain('first-run.json');
  const serving = await startService(await open(), { http: true, worker: false });
  expect(serving.firstRun).toMatchObject({ pk_live: expect.stringMatching(/^pk_live_/) });
  expect(await readdir(dataDir)).toContain('first-run.json');
  await serving.stop();
  await working.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});
