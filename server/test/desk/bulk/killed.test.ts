import type { BulkAct } from '@firsthand/contract/batches/bulk-acts.ts';
import { describe, expect, it } from 'vitest';
import { ask, until } from '../../support/harness.ts';
import { withKillableService } from '../../support/killable-service.ts';

const COUNT = 400;
const KILLS = 1;

describe('a bulk act whose process is killed on the way', () => {
  it(`reissues each of ${COUNT} verifications exactly once, after ${KILLS} kill`, async () => {
    await withKillableService(async service => {
      const { key, database } = service;
      const rows = Array.from({ length: COUNT }, (_, index) => `R-${index + 1}`);
      await fetch(`${service.url}/v1/batches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body: `external_ref,metadata.wave\n${rows.map(ref => `${ref},storm`).join('\n')}\n`,
      });
      const count = async (sql: string): Promise<number> => (await database.query<{ n: number }>(sql)).rows[0]!.n;
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
        await service.killAndRestart();
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
      const twice = await database.query(
        'select external_ref, count(*)::int as n from verifications where external_ref is not null group by 1 having count(*) <> 2',
      );
      expect(twice.rows).toEqual([]);
      expect(await count('select count(distinct created_id)::int as n from bulk_act_items')).toBe(COUNT);
    });
  }, 400_000);
});
