import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { one, transaction } from '../../../src/platform/db/sql.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { startLog } from '../../../src/record/evidence/run.ts';
import { appendStatement } from '../../../src/record/evidence/statements.ts';
import { createVerification, submit, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite({ worker: false });
const asked = { sequence: 0, publish: 0 };
let log: ReturnType<typeof startLog>;
beforeAll(() => {
  const counted = new Proxy(service.deps.db, {
    get(pool, name) {
      // Sequencing is a transaction on a connection of its own; the question whether there is work is one statement.
      if (name === 'connect') asked.sequence += 1;
      if (name === 'query') asked.publish += 1;
      const member = Reflect.get(pool, name) as unknown;
      return typeof member === 'function' ? member.bind(pool) : member;
    },
  });
  log = startLog({ ...service.deps, db: counted } as Deps);
});
afterAll(() => log.stop());

const signedSize = async (): Promise<number> => {
  const row = await one<{ size: string }>(
    service.deps.db,
    'select checkpoint_size as size from evidence_logs order by id desc limit 1',
  );
  return Number(row?.size ?? 0);
};

test('an idle log asks the database once a second, and still publishes the next entry', async () => {
  await until(async () => asked.publish > 4, 'the log to be idle');
  const before = { ...asked };
  const began = performance.now();
  await sleep(4_000);
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  expect(asked.publish).toBeGreaterThan(before.publish);
  expect(asked.publish - before.publish).toBeLessThanOrEqual(seconds + 1);
  expect(asked.sequence).toBe(before.sequence);

  const { id } = await createVerification(service, {});
  expect((await submit(service, id, await plain())).status).toBe(201);
  await until(async () => (await signedSize()) > 0, 'a checkpoint');
});

test('a log that grows all the time places its entries once a second', async () => {
  const { db } = service.deps;
  const { id } = await createVerification(service, {});
  const subject = { id, tenant_id: service.tenant.tenant_id, livemode: false };
  const before = asked.sequence;
  const size = await signedSize();
  expect(size).toBeGreaterThan(0);
  const began = performance.now();
  let stated = 0;
  while (performance.now() - began < 4_000) {
    stated += 1;
    const content = { stated };
    await transaction(db, tx =>
      appendStatement(tx, service.deps, subject, { type: 'review', at: new Date(), content }),
    );
  }
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  expect(asked.sequence - before).toBeLessThanOrEqual(seconds + 1);
  await until(async () => (await signedSize()) === size + stated, 'every entry to be signed');
});
