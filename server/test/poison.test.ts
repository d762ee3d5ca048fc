import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification.ts';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../src/db/embedded.ts';
import { createPool, one } from '../src/db/sql.ts';
import { createLog } from '../src/lib/log.ts';
import { ask, submit, until } from './harness.ts';
import { plain } from './pictures.ts';
import { firstRunOf, freePort, startServiceProcess } from './service-process.ts';

test('a picture whose analysis ends the process three times fails, and the next one gets its verdict', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-poison-'));
  const port = await freePort();
  let service = startServiceProcess({ dataDir, port });
  try {
    await service.ready();
    const { pk_test: key } = await firstRunOf(dataDir);
    const create = async () =>
      (await ask<Verification>(service, '/v1/verifications', { key, body: { max_captures: 1 } })).body.id;
    const poison = await create();
    const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const;
    const slow = await sharp({ create: { width: 5000, height: 4000, channels: 3, noise, background: '#888' } })
      .jpeg({ quality: 30 })
      .toBuffer();
    expect((await submit(service, poison, slow)).status).toBe(201);

    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const database = await openEmbeddedPostgres({ dataDir, log: createLog('silent') });
      const pool = createPool(database.url, 1, () => {});
      const now = () =>
        one<{ analysis_attempts: number }>(pool, 'select analysis_attempts from captures where verification_id = $1', [
          poison,
        ]);
      // Its pause after the attempt before is cut short.
      await pool.query(
        'update captures set analysis_due_at = now() where verification_id = $1 and analysis_attempts = $2',
        [poison, attempt - 1],
      );
      await until(async () => (await now())?.analysis_attempts === attempt, `attempt ${attempt}`, 20_000).catch(async e => { console.log((await pool.query('select analysis_state, analysis_attempts, analysis_due_at, now(), analyzed_at from captures')).rows, service.output()); throw e; });
      await service.kill();
      await pool.end();
      await database.stop();
      service = startServiceProcess({ dataDir, port });
      await service.ready();
    }
    const sound = await create();
    expect((await submit(service, sound, await plain())).status).toBe(201);
    const statusOf = async (id: string) =>
      (await ask<Verification>(service, `/v1/verifications/${id}`, { key })).body.status;
    await until(async () => (await statusOf(sound)) === 'completed', 'the sound picture to be judged');
    // After the third attempt the longest pause goes by before the failure is written.
    await until(async () => (await statusOf(poison)) === 'failed', 'the poisonous picture to fail', 150_000);
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 300_000);
