import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { one } from '../../src/db/sql.ts';
import type { Deps } from '../../src/deps.ts';
import { startLog } from '../../src/evidence/run.ts';
import { createVerification, startTestService, submit, until } from '../harness.ts';
import { plain } from '../pictures.ts';

test('a log that nothing is added to asks the database once a second, and still publishes the next entry', async () => {
  const service = await startTestService({ worker: false });
  const { db } = service.deps;
  const asked = { sequence: 0, publish: 0 };
  const counted = new Proxy(db, {
    get(pool, name) {
      // Sequencing is a transaction on a connection of its own; the question whether to publish is one statement.
      if (name === 'connect') asked.sequence += 1;
      if (name === 'query') asked.publish += 1;
      const member = Reflect.get(pool, name) as unknown;
      return typeof member === 'function' ? member.bind(pool) : member;
    },
  });
  const log = startLog({ ...service.deps, db: counted } as Deps);
  try {
    await until(async () => asked.sequence > 4, 'the log to be idle');
    const before = { ...asked };
    const began = performance.now();
    await sleep(4_000);
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    expect(asked.publish).toBeGreaterThan(before.publish);
    expect(asked.publish - before.publish).toBeLessThanOrEqual(seconds + 1);
    expect(asked.sequence - before.sequence).toBeLessThanOrEqual(seconds + 1);

    const { id } = await createVerification(service, {});
    expect((await submit(service, id, await plain())).status).toBe(201);
    const signed = () =>
      one<{ ok: boolean }>(db, 'select checkpoint_size > 0 as ok from evidence_logs order by id desc limit 1');
    await until(async () => (await signed())?.ok, 'a checkpoint');
  } finally {
    await log.stop();
    await service.stop();
  }
});
