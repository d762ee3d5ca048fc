import type { Batch } from '@firsthand/contract/batches/batches.ts';
import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { expect, it } from 'vitest';
import { ask, until } from '../support/harness.ts';
import { withKillableService } from '../support/killable-service.ts';

const ROWS = Number(process.env.BATCH_ROWS ?? 2_000);
const BATCH_KILLS = 5;
/** Rows whose verifications a bulk action reissues. */
const REISSUED = 400;

it(`a batch of ${ROWS} rows, killed ${BATCH_KILLS} times, and a bulk action of ${REISSUED}, killed once, do each exactly once`, async () => {
  await withKillableService(async service => {
    const { key, database } = service;
    const one = async <T extends object>(sql: string, values: unknown[] = []) =>
      (await database.query<T>(sql, values)).rows[0]!;
    const ended = <T extends Batch | BulkAction>(path: string): Promise<T> =>
      until(
        async () => {
          const { body } = await ask<T>(service, path, { key });
          return body.state === 'completed' && body;
        },
        `${path} to end`,
        600_000,
      );
    /** Kills the process on the way, so many times; `reached` reads the progress. */
    const killOnTheWay = async (kills: number, total: number, reached: () => Promise<{ n: number }>) => {
      for (let kill = 1; kill <= kills; kill += 1) {
        const { n: from } = await reached();
        await until(async () => (await reached()).n > from, `progress before kill ${kill}`, 120_000);
        expect((await reached()).n).toBeLessThan(total);
        await service.killAndRestart();
      }
    };

    const lines = Array.from({ length: ROWS }, (_, n) => `R-${n + 1},${n < REISSUED ? 'storm' : 'calm'}`);
    const beganAt = performance.now();
    const answer = await fetch(`${service.url}/v1/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
      body: `external_ref,metadata.wave\n${lines.join('\n')}\n`,
    });
    expect(answer.status).toBe(202);
    const acceptedMs = performance.now() - beganAt;
    const { id } = (await answer.json()) as Batch;
    await killOnTheWay(BATCH_KILLS, ROWS, () => one('select created as n from batches where id = $1', [id]));
    const batch = await ended<Batch>(`/v1/batches/${id}`);
    if (process.env.BATCH_ROWS) console.log({ rows: ROWS, acceptedMs, endedMs: performance.now() - beganAt });
    expect([batch.total, batch.created, batch.failed]).toEqual([ROWS, ROWS, 0]);
    const made = `select count(*)::int as all, count(distinct external_ref)::int as refs,
        (select count(*)::int from events e join verifications v on v.id = e.verification_id
         where e.type = 'verification.created' and v.external_ref is not null) as events,
        (select count(*)::int from batch_rows r join verifications v on v.id = r.verification_id
         where v.external_ref = 'R-' || (r.row - 1)) as linked
      from verifications where external_ref is not null`;
    expect(await one(made)).toEqual({ all: ROWS, refs: ROWS, events: ROWS, linked: ROWS });

    const ordered = await ask<BulkAction>(service, '/v1/bulk-acts', {
      key,
      body: { act: 'reissue', filter: { metadata: { wave: 'storm' } } },
    });
    expect(ordered.status).toBe(202);
    await killOnTheWay(1, REISSUED, () => one('select done as n from bulk_acts'));
    const action = await ended<BulkAction>(`/v1/bulk-acts/${ordered.body.id}`);
    expect([action.total, action.done, action.failed]).toEqual([REISSUED, REISSUED, 0]);
    const again = `select count(*)::int as pairs, (select count(distinct created_id)::int from bulk_act_items) as made
      from (select external_ref from verifications where external_ref is not null group by 1 having count(*) = 2) r`;
    expect(await one(again)).toEqual({ pairs: REISSUED, made: REISSUED });
  });
}, 900_000);
