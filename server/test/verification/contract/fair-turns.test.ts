import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { CAPTURES, type ClaimedCapture } from '../../../src/verification/captures/analysis-queue.ts';
import { trialTenant } from '../../../src/verification/trials/tenant.ts';
import { issue } from '../../../src/verification/verifications/issue.ts';
import { createVerification, startTestService, submit, type TestService, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

interface Lane {
  tenantId: string;
  livemode: boolean;
}

describe('captures, turns', () => {
  let service: TestService;
  let tenants: NewTenant[];
  let trial: Lane;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    tenants = [
      service.tenant,
      await service.newTenant('B'),
      await service.newTenant('C'),
      await service.newTenant('D'),
    ];
    trial = { tenantId: await trialTenant(service.deps), livemode: false };
  });
  afterAll(() => service.stop());

  const live = (n: number): Lane => ({ tenantId: tenants[n]!.tenant_id, livemode: true });
  const inTest = (n: number): Lane => ({ tenantId: tenants[n]!.tenant_id, livemode: false });
  let serial = 0;

  /** Puts captures of a lane into the queue, as submitting them does. */
  const queue = (lane: Lane, count: number) =>
    transaction(service.deps.db, async tx => {
      const row = await issue(tx, service.deps, { ...lane, request: { max_captures: 20 } });
      for (let n = 0; n < count; n += 1) {
        serial += 1;
        const id = `cap_${String(serial).padStart(26, '0')}`;
        await tx.query(
          `insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height, sha256,
             image_blob, created_at) values ($1, $2, $3, 'front', 'live', 'image/jpeg', 1, 1, 1, '', '', now())`,
          [id, row.id, row.tenant_id],
        );
        await CAPTURES.join(tx, row, id);
      }
    });

  /** Takes the next capture, as a thread that became free does; gives back whose it was. */
  const take = async () => {
    const capture = await CAPTURES.claim(service.deps.db);
    if (!capture) return null;
    await service.deps.db.query("update captures set analysis_state = 'done' where id = $1", [capture.id]);
    const { rows } = await service.deps.db.query<{ tenant_id: string; livemode: boolean }>(
      'select tenant_id, livemode from verifications where id = $1',
      [capture.verification_id],
    );
    return `${rows[0]!.tenant_id} ${rows[0]!.livemode}`;
  };
  const nameOf = ({ tenantId, livemode }: Lane) => `${tenantId} ${livemode}`;
  const drain = async () => {
    const order: string[] = [];
    for (let next = await take(); next; next = await take()) order.push(next);
    return order;
  };

  test.each([
    ["another tenant's thousand", () => live(0)],
    ["the trial's thousand", () => trial],
    ["its own tenant's thousand of the test mode", () => inTest(1)],
  ])('a capture whose tenant was idle is taken next, before %s', async (_whose, crowd) => {
    await queue(crowd(), 1_000);
    for (let n = 0; n < 10; n += 1) expect(await take()).toBe(nameOf(crowd()));
    await queue(live(1), 1);
    expect(await take()).toBe(nameOf(live(1)));
    await drain();
  });

  test('lanes of one class take turns, however many captures each has waiting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 4 }), async counts => {
        for (const [n, count] of counts.entries()) await queue(live(n), count);
        const order = await drain();
        expect(order).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
        for (const [n, count] of counts.entries()) {
          const at = order.flatMap((name, place) => (name === nameOf(live(n)) ? [place] : []));
          expect(at).toHaveLength(count);
          for (const [k, place] of at.entries()) {
            expect(place - (at[k - 1] ?? -1)).toBeLessThanOrEqual(2 * counts.length - 1);
            // A lane that was served last before starts one turn behind.
            expect(place).toBeLessThan((k + 2) * counts.length);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('live goes before test, test before trial, and each has a share', async () => {
    // A tenant nobody has served yet: the lane that was served last would start one turn behind.
    const fresh: Lane = { tenantId: (await service.newTenant('E')).tenant_id, livemode: true };
    await queue(trial, 40);
    await queue(inTest(0), 40);
    await queue(fresh, 200);
    const order = await drain();
    const first = order.slice(0, 3);
    expect(first).toEqual([nameOf(fresh), nameOf(inTest(0)), nameOf(trial)]);
    const among = order.slice(0, 210);
    const share = (lane: Lane) => among.filter(name => name === nameOf(lane)).length;
    expect(share(trial)).toBe(10);
    expect(share(inTest(0))).toBe(40);
    expect(share(fresh)).toBe(160);
  });

  describe('places of a node', () => {
    const claimed = async (held: readonly ClaimedCapture[], places: number) =>
      CAPTURES.claim(service.deps.db, held, places);
    const whose = (capture: ClaimedCapture | undefined) => capture?.tenant_id;
    const [a, b] = [() => tenants[0]!.tenant_id, () => tenants[1]!.tenant_id];
    afterEach(() => service.deps.db.query("update captures set analysis_state = 'done'"));

    test('all of them may go to one account; one more is for an account that holds none', async () => {
      await queue(live(0), 10);
      const held: ClaimedCapture[] = [];
      for (let next = await claimed(held, 2); next; next = await claimed(held, 2)) held.push(next);
      expect(held.map(whose)).toEqual([a(), a()]);
      await queue(live(1), 2);
      held.push((await claimed(held, 2))!);
      expect(held.map(whose)).toEqual([a(), a(), b()]);
      expect(await claimed(held, 2)).toBeUndefined();
    });

    test('go to others while an account holds half of them, however many turns the others have had', async () => {
      await queue(live(0), 10);
      const long = (await claimed([], 2))!;
      await queue(live(1), 3);
      for (let n = 0; n < 3; n += 1) {
        const next = await claimed([long], 2);
        expect(whose(next)).toBe(b());
        await service.deps.db.query("update captures set analysis_state = 'done' where id = $1", [next!.id]);
      }
      expect(whose(await claimed([long], 2))).toBe(a());
    });

    test('beyond their number go to nothing less important than what runs', async () => {
      await queue(live(0), 2);
      const held = [(await claimed([], 2))!];
      held.push((await claimed(held, 2))!);
      await queue(inTest(1), 1);
      expect(await claimed(held, 2)).toBeUndefined();
      await queue(live(1), 1);
      expect(whose(await claimed(held, 2))).toBe(b());
    });
  });

  test('several threads and nodes claim each capture once', async () => {
    await queue(live(0), 60);
    await queue(live(1), 60);
    const taken = (
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          const ids: string[] = [];
          for (let next = await CAPTURES.claim(service.deps.db); next; next = await CAPTURES.claim(service.deps.db)) {
            ids.push(next.id);
          }
          return ids;
        }),
      )
    ).flat();
    expect(taken).toHaveLength(120);
    expect(new Set(taken).size).toBe(120);
    await service.deps.db.query("update captures set analysis_state = 'done'");
  });
});

describe('analysis under load', () => {
  test('delays another tenant’s capture by at most one analysis per thread', async () => {
    const service = await startTestService();
    const other = await service.newTenant('Other');
    /** Slow on purpose, so that the queue is long and the order plain to see. */
    const started: string[] = [];
    const { analyze } = service.deps.pictures;
    service.deps.pictures.analyze = async request => {
      started.push(Buffer.from(request.bytes).toString('base64'));
      await sleep(100);
      return analyze(request);
    };
    const crowd = await plain({ colour: '#111111' });
    const single = await plain({ colour: '#eeeeee' });
    for (let n = 0; n < 3; n += 1) {
      const { id } = await createVerification(service, { max_captures: 20, signals_required: ['ai'] });
      for (let k = 0; k < 20; k += 1) await submit(service, id, crowd);
    }
    await until(async () => started.length >= 2, 'the crowd to be analysed');
    const { id } = await createVerification(service, { max_captures: 1, signals_required: ['ai'] }, other.pk_live);
    const before = started.length;
    expect((await submit(service, id, single)).status).toBe(201);
    const mine = single.toString('base64');
    await until(async () => started.includes(mine), 'the single capture');
    // One may have been taken while this one was on its way, and one more ran.
    expect(started.indexOf(mine) - before).toBeLessThanOrEqual(2);
    await service.stop();
  });
});
