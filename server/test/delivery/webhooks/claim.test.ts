import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Claimed,
  claimDeliveries,
  type Held,
  handBack,
  takeBackClaims,
} from '../../../src/delivery/webhooks/claim.ts';
import { type Outcome, recordAttempts } from '../../../src/delivery/webhooks/record-attempts.ts';
import { many } from '../../../src/platform/db/sql.ts';
import { newUlid } from '../../../src/platform/lib/ids.ts';
import { createChance } from '../../support/chance.ts';
import { startTestService, type TestService } from '../../support/harness.ts';
import { queueEvents } from './queue-events.ts';

const chance = createChance();

const ROUNDS = 400;

describe('webhook claims', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false, expects: [/a claim on webhooks of node node/] });
  });
  afterAll(() => service?.stop());

  const addressAt = async (path: string) => ({
    tenantId: (await service.newTenant()).tenant_id,
    url: `https://example.com/${path}`,
  });
  const claim = async (): Promise<(Claimed & Held)[]> => {
    const id = newUlid();
    const limits = { free: 512, perEndpoint: 512, held: new Map(), fullTenants: [] };
    const claims = await claimDeliveries(service.deps.db, {
      ...limits,
      id,
      node: 'node',
      now: new Date(),
      lapseMs: 60_000,
      pool: 'prompt',
    });
    return claims.deliveries.map(delivery => ({ ...delivery, claim: id }));
  };
  const outcomeOf = ({ id, claim, endpoint_id: endpointId }: Claimed & Held, failed: boolean): Outcome => ({
    id,
    claim,
    endpointId,
    slow: false,
    wellBefore: true,
    attempt: { at: new Date().toISOString(), latency_ms: 1, ...(failed ? { error: 'timeout' } : {}) },
    next: failed ? { status: 'pending', inSeconds: 5 } : { status: 'succeeded', inSeconds: null },
  });

  // A claim that began before a delivery was committed, and locked its endpoint after that, does not see the delivery: it
  // must leave the endpoint due all the same, or the delivery waits until the claim lapses.
  it('miss nothing that is queued at the same moment', async () => {
    const to = await addressAt('hooks');
    const claimed = new Set<string>();
    const claimSome = async () => {
      const deliveries = await claim();
      for (const { id } of deliveries) claimed.add(id);
      return deliveries.length;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      // The first makes the endpoint due, so that a claim takes it while the second is committed.
      const { ids } = await queueEvents(service.deps, to, 1);
      const second = queueEvents(service.deps, to, 1);
      await sleep(chance() * 5);
      await claimSome();
      ids.push(...(await second).ids);
      while ((await claimSome()) > 0);
      expect(
        ids.filter(id => !claimed.has(id)),
        `round ${round}`,
      ).toEqual([]);
    }
  });

  // The endpoint is well by its last outcome; the retry of the one before it must be found all the same.
  it('find the retry of a delivery that failed while another to the endpoint succeeded', async () => {
    const { deps } = service;
    const { endpointId } = await queueEvents(deps, await addressAt('retried'), 2);
    const deliveries = await claim();
    expect(deliveries).toHaveLength(2);
    await recordAttempts(
      deps,
      deliveries.map((delivery, n) => outcomeOf(delivery, n === 0)),
    );
    const { rows } = await deps.db.query<{ found: boolean }>(
      `select e.due_at is not null and e.due_at <= q.run_at as found
       from webhook_endpoints e join webhook_queue q on q.endpoint_id = e.id where e.id = $1`,
      [endpointId],
    );
    expect(rows).toEqual([{ found: true }]);
  });

  it('end when each of their deliveries was recorded or handed back, at the same time too, and queue no more', async () => {
    const { deps } = service;
    const { endpointId } = await queueEvents(deps, await addressAt('ended'), 30);
    const claimOwn = async () => (await claim()).filter(({ endpoint_id: id }) => id === endpointId);
    const deliveries = await claimOwn();
    const third = (n: number) => deliveries.slice(n * 10, n * 10 + 10);
    const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id).toSorted();
    const record = (n: number) =>
      recordAttempts(
        deps,
        third(n).map(delivery => outcomeOf(delivery, false)),
      );
    await Promise.all([record(0), handBack(deps, third(1))]);
    const left = () =>
      many<{ ids: string[] }>(deps.db, 'select delivery_ids as ids from webhook_claims where id = $1', [
        deliveries[0]!.claim,
      ]);
    expect((await left()).map(({ ids }) => ids.toSorted())).toEqual([idsOf(third(2))]);
    await record(2);
    await takeBackClaims(deps, {});
    expect(await left()).toEqual([]);
    expect(idsOf(await claimOwn())).toEqual(idsOf(third(1)));
  });
});
