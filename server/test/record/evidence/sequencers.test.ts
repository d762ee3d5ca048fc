import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hex } from '@firsthand/evidence/bytes.ts';
import { leafHash } from '@firsthand/evidence/merkle.ts';
import { entryOf } from '@firsthand/evidence/statement.ts';
import { afterAll, expect, it } from 'vitest';
import { many, one } from '../../../src/platform/db/sql.ts';
import { createChance } from '../../support/chance.ts';
import { createVerification, until } from '../../support/harness.ts';
import { watchLog } from '../../support/outside-log.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const chance = createChance();

/** At least so many, and so many signed states between them: a sequencer signs once a second. */
const [KILLS, STATES] = [8, 3];
const EACH = 50;

const service = serviceOfSuite({ worker: false });
const sequencers: ChildProcess[] = [];
afterAll(() => {
  for (const each of sequencers) each.kill('SIGKILL');
});

async function start(): Promise<ChildProcess> {
  const { databaseUrl, dataDir, encryptionKeys } = service.deps.config;
  const child = fork(join(import.meta.dirname, 'sequencer-process.ts'), {
    execPath: process.execPath,
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl!,
      DATA_DIR: dataDir,
      ENCRYPTION_KEYS: encryptionKeys!.map(key => key.toString('base64')).join(','),
      PUBLIC_URL: service.url,
    },
  });
  sequencers.push(child);
  await once(child, 'message');
  return child;
}

/** Facts that wait for their place: statement and pending entry, as a fact's own transaction leaves them. */
const state = (verificationId: string, from: number) =>
  service.deps.db.query(
    `with stated as (
       insert into evidence_statements (verification_id, seq, type, sealed, commitment, created_at)
       select $1, seq, 'review', '', sha256(($1 || seq)::bytea), now() from generate_series($2::int, $3) seq
       returning verification_id, seq, commitment
     )
     insert into evidence_pending (verification_id, seq, commitment) select * from stated order by seq`,
    [verificationId, from, from + EACH - 1],
  );

it('three sequencers killed at random give every fact one entry, without a fork or a gap', async () => {
  const log = watchLog(service.url);
  const { id } = await createVerification(service);
  const running = await Promise.all([start(), start(), start()]);
  let chaos = true;
  let stated = 0;
  const feeding = (async () => {
    while (chaos) {
      await state(id, stated + 1);
      stated += EACH;
      await sleep(50);
    }
  })();
  const watching = (async () => {
    while (chaos) {
      // Before the first state is signed there is none.
      await log.look().catch(error => {
        if (error.name === 'AssertionError') throw error;
      });
      await sleep(100);
    }
  })();
  let kills = 0;
  for (; kills < KILLS || log.seen.length < STATES; kills += 1) {
    await sleep(chance() * 1_000);
    const at = Math.floor(chance() * running.length);
    running[at]!.kill('SIGKILL');
    await once(running[at]!, 'exit');
    running[at] = await start();
  }
  chaos = false;
  await Promise.all([feeding, watching]);
  await until(async () => {
    const head = await log.look().catch(() => null);
    return head?.size === BigInt(stated);
  }, 'every fact to be in a signed state');

  const leaves = await log.readAll();
  expect(leaves).toHaveLength(stated);
  const rows = await many<{ seq: number; commitment: Buffer; leaf_index: string }>(
    service.deps.db,
    'select seq, commitment, leaf_index from evidence_statements order by leaf_index',
  );
  expect(rows.map(row => row.seq)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.map(row => hex(leafHash(entryOf(row.commitment))))).toEqual(leaves);
  const { logs } = (await one<{ logs: string }>(service.deps.db, 'select count(*) as logs from evidence_logs'))!;
  expect(logs).toBe('1');
  console.log(`${kills} kills, ${stated} entries, ${log.seen.length} states seen`);
}, 600_000);
