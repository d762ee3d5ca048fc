import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkAct } from '@firsthand/contract/bulk-acts.ts';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freshDatabase } from '../database.ts';
import { ask, until } from '../harness.ts';
import { firstRunOf, freePort, startServiceProcess } from '../service-process.ts';

const COUNT = 400;
const KILLS = 1;

describe('a bulk act whose process is killed on the way', () => {
  it(`reissues each of ${COUNT} verifications exactly once, after ${KILLS} kill`, async () => {
    const database = await freshDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-bulk-'));
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const port = await freePort();
    const start = async () => {
      const started = startServiceProcess({ dataDir, port, env });
      await started.ready();
      return started;
    };
    const client = new pg.Client({ connectionString: database.url });
    let service = await start();
    try {
      await client.connect();
      const { rk_secret: key } = await firstRunOf(dataDir);
      const rows = Array.from({ length: COUNT }, (_, index) => `R-${index + 1}`);
      await fetch(`${service.url}/v1/batches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body: `external_ref,metadata.wave\n${rows.map(ref => `${ref},storm`).join('\n')}\n`,
      });
      const count = async (sql: string): Promise<number> => (await client.query<{ n: number }>(sql)).rows[0]!.n;
      const all = 'select count(*)::int as n from verifications where external_ref is not null';
      await until(async () => (await count(all)) === COUNT, 'the batch to end');
      const ordered = await ask<BulkAct>(service, '/v1/bulk-acts', {
        key,
        body: { act: 'reissue', filter: { metadata: { wave: 'storm' } } },
      });
      expect(ordered.status).toBe(202);
      const { id } = ordered.body;
      const reached = () => count('select done as n from bulk_acts');
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const from = await reached();
        await until(async () => (await reached()) > from, `progress before kill ${kill}`);
        expect(await reached()).toBeLessThan(COUNT);
        await service.kill();
        // Other nodes wait for a dead one's heartbeat: let it be as old as that.
        await client.query("update worker_nodes set seen_at = seen_at - interval '1 minute'");
        await client.query(
          "update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute' where locked_at is not null",
        );
        service = await start();
      }
      const done = await until(
        async () => {
          const { body } = await ask<BulkAct>(service, `/v1/bulk-acts/${id}`, { key });
          return body.state === 'completed' && body;
        },
        'the act to end',
        300_000,
      );
      expect([done.total, done.done, done.failed]).toEqual([COUNT, COUNT, 0]);
      const twice = await client.query(
        'select external_ref, count(*)::int as n from verifications where external_ref is not null group by 1 having count(*) <> 2',
      );
      expect(twice.rows).toEqual([]);
      expect(await count('select count(distinct created_id)::int as n from bulk_act_items')).toBe(COUNT);
    } finally {
      await client.end();
      await service.kill();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 400_000);
});
