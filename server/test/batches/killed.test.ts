import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Batch } from '@firsthand/contract/batches.ts';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freshDatabase } from '../database.ts';
import { ask, until } from '../harness.ts';
import { firstRunOf, freePort, startServiceProcess } from '../service-process.ts';

const ROWS = Number(process.env.BATCH_ROWS ?? 3_000);
const KILLS = 5;

describe('a batch whose process is killed on the way', () => {
  it(`makes exactly one verification of each of ${ROWS} rows, after ${KILLS} kills`, async () => {
    const database = await freshDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-batch-'));
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
      const rows = Array.from({ length: ROWS }, (_, index) => ({ external_ref: `R-${index + 1}` }));
      const body = `external_ref\n${rows.map(row => row.external_ref).join('\n')}\n`;
      const beganAt = performance.now();
      const answer = await fetch(`${service.url}/v1/batches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body,
      });
      expect(answer.status).toBe(202);
      const acceptedMs = performance.now() - beganAt;
      const { id } = (await answer.json()) as Batch;
      const made = async () =>
        (await client.query<{ created: number }>('select created from batches where id = $1', [id])).rows[0]!.created;
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const from = await made();
        await until(async () => (await made()) > from, `progress before kill ${kill}`, 120_000);
        expect(await made()).toBeLessThan(ROWS);
        await service.kill();
        // Where the database is shared, other nodes wait for a dead one's heartbeat: let it be as old as that.
        await client.query("update worker_nodes set seen_at = seen_at - interval '1 minute'");
        await client.query(
          "update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute' where locked_at is not null",
        );
        service = await start();
      }
      const done = await until(
        async () => {
          const { body: batch } = await ask<Batch>(service, `/v1/batches/${id}`, { key });
          return batch.state === 'completed' && batch;
        },
        'the batch to end',
        600_000,
      );
      expect([done.total, done.created, done.failed]).toEqual([ROWS, ROWS, 0]);
      const found = await client.query<{ external_ref: string; n: string }>(
        'select external_ref, count(*) as n from verifications where external_ref is not null group by 1 having count(*) > 1',
      );
      expect(found.rows).toEqual([]);
      const all = await client.query(
        'select count(distinct external_ref)::int as refs, count(*)::int as all from verifications where external_ref is not null',
      );
      expect(all.rows[0]).toEqual({ refs: ROWS, all: ROWS });
      const events = await client.query(
        "select count(*)::int as n from events e join verifications v on v.id = e.verification_id where e.type = 'verification.created' and v.external_ref is not null",
      );
      expect(events.rows[0]).toEqual({ n: ROWS });
      const linked = await client.query(
        `select count(*)::int as n from batch_rows r join verifications v on v.id = r.verification_id
         where r.batch_id = $1 and v.external_ref = 'R-' || (r.row - 1)`,
        [id],
      );
      expect(linked.rows[0]).toEqual({ n: ROWS });
      if (process.env.BATCH_ROWS) {
        console.log({ rows: ROWS, acceptedMs, endedMs: performance.now() - beganAt });
      }
    } finally {
      await client.end();
      await service.kill();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 900_000);
});
