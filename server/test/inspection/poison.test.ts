import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { one } from '../../src/platform/db/sql.ts';
import { createLog } from '../../src/platform/lib/log.ts';
import { ask, submit, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { firstRunOf, freePort, startServiceProcess } from '../support/service-process.ts';

/** A connection to the database that the service started. */
async function join(dataDir: string) {
  const database = await openEmbeddedPostgres({ dataDir, log: createLog('silent') });
  const pool = createPool(database.url, 1, () => {});
  return {
    pool,
    async close() {
      await pool.end();
      await database.stop();
    },
  };
}

test('a picture whose analysis kills the process three times fails, and the next one gets its verdict', async () => {
  const dataDir = await mkdtemp(pathOf(tmpdir(), 'fh-poison-'));
  const port = await freePort();
  let service = startServiceProcess({ dataDir, port });
  let database: Awaited<ReturnType<typeof join>> | undefined;
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
    database = await join(dataDir);
    const attempts = async () => {
      const sql = 'select analysis_attempts as n from captures where verification_id = $1';
      return (await one<{ n: number }>(database!.pool, sql, [poison]))?.n;
    };
    expect((await submit(service, poison, slow)).status).toBe(201);

    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await until(async () => (await attempts()) === attempt, `attempt ${attempt}`);
      await service.kill();
      await database?.close();
      service = startServiceProcess({ dataDir, port });
      await service.ready();
      database = await join(dataDir);
      // Its pause is cut short.
      await database.pool.query('update captures set analysis_due_at = now() where verification_id = $1', [poison]);
    }
    const sound = await create();
    expect((await submit(service, sound, await plain())).status).toBe(201);
    const statusOf = async (id: string) =>
      (await ask<Verification>(service, `/v1/verifications/${id}`, { key })).body.status;
    await until(async () => (await statusOf(sound)) === 'completed', 'the sound picture to be judged');
    await until(async () => (await statusOf(poison)) === 'failed', 'the poisonous picture to fail');
  } finally {
    await database?.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 300_000);
