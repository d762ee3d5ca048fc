import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { describe, expect, it } from 'vitest';
import { ask, until } from '../../support/harness.ts';
import { withKillableService } from '../../support/killable-service.ts';

const ROWS = Number(process.env.BATCH_ROWS ?? 3_000);
const KILLS = 5;

describe('a batch whose process is killed on the way', () => {
  it(`makes exactly one verification of each of ${ROWS} rows, after ${KILLS} kills`, async () => {
    await withKillableService(async service => {
      const { key, database } = service;
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
        (await database.query<{ created: number }>('select created from batches where id = $1', [id])).rows[0]!.created;
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const from = await made();
        await until(async () => (await made()) > from, `progress before kill ${kill}`, 120_000);
        expect(await made()).toBeLessThan(ROWS);
        await service.killAndRestart();
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
      const found = await database.query<{ external_ref: string; n: string }>(
        'select external_ref, count(*) as n from verifications where external_ref is not null group by 1 having count(*) > 1',
      );
      expect(found.rows).toEqual([]);
      const all = await database.query(
        'select count(distinct external_ref)::int as refs, count(*)::int as all from verifications where external_ref is not null',
      );
      expect(all.rows[0]).toEqual({ refs: ROWS, all: ROWS });
      const events = await database.query(
        "select count(*)::int as n from events e join verifications v on v.id = e.verification_id where e.type = 'verification.created' and v.external_ref is not null",
      );
      expect(events.rows[0]).toEqual({ n: ROWS });
      const linked = await database.query(
        `select count(*)::int as n from batch_rows r join verifications v on v.id = r.verification_id
         where r.batch_id = $1 and v.external_ref = 'R-' || (r.row - 1)`,
        [id],
      );
      expect(linked.rows[0]).toEqual({ n: ROWS });
      if (process.env.BATCH_ROWS) {
        console.log({ rows: ROWS, acceptedMs, endedMs: performance.now() - beganAt });
      }
    });
  }, 900_000);
});
