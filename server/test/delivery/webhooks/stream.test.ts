import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resumeStatistics } from '../../../src/desk/statistics/fold.ts';
import { createVerification, startTestService, type TestService, until } from '../../support/harness.ts';
import { followEvents, type Message } from '../server-sent.ts';

type Event = Message<{ id: string; type: string; livemode: boolean; body: string }>;

const follow = (service: TestService, query = '', headers: Record<string, string> = {}) =>
  followEvents<Event['data']>(service, `/v1/events/stream${query}`, {
    authorization: `Bearer ${service.tenant.rk_secret}`,
    ...headers,
  });

const events = (messages: Event[]) => messages.filter(({ event }) => event === 'event');

describe('event stream', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

  it('starts now, has every event with its exact bytes, and continues after a cursor without gap or repeat', async () => {
    // A transaction that is open all the while, anywhere in the database: what was committed beside it is in the past all the same.
    const other = await service.deps.db.connect();
    await other.query('begin');
    await other.query('select pg_current_xact_id()');
    const before = await createVerification(service);
    const stream = await follow(service);
    await other.query('rollback');
    other.release();
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.messages[0]!.event).toBe('ready');
    const made = await Promise.all(Array.from({ length: 30 }, () => createVerification(service).then(({ id }) => id)));
    await until(async () => events(stream.messages).length >= 30, 'thirty events');
    const bodies = events(stream.messages).map(({ data }) => JSON.parse(data.body));
    expect(bodies.map(({ data }) => data.id).toSorted()).toEqual(made.toSorted());
    expect(bodies.map(({ data }) => data.id)).not.toContain(before.id);
    const { rows } = await service.deps.db.query<{ body: string }>('select body from events where id = $1', [
      stream.messages[5]!.data.id,
    ]);
    expect(stream.messages[5]!.data.body).toBe(rows[0]!.body);
    await stream.close();

    const seen = events(stream.messages);
    const later = await createVerification(service);
    for (const headers of [{ 'last-event-id': seen[9]!.id }, {}] as Record<string, string>[]) {
      const again = await follow(service, headers['last-event-id'] ? '' : `?cursor=${seen[9]!.id}`, headers);
      await until(async () => events(again.messages).length >= 21, 'the rest');
      expect(
        events(again.messages)
          .map(({ data }) => data.id)
          .slice(0, 20),
      ).toEqual(seen.slice(10).map(({ data }) => data.id));
      expect(JSON.parse(events(again.messages)[20]!.data.body).data.id).toBe(later.id);
      await again.close();
    }
  });

  it('misses no event whose transaction ends after a later event’s', async () => {
    const stream = await follow(service);
    const slow = await service.deps.db.connect();
    await slow.query('begin');
    const insert = `insert into events (id, tenant_id, livemode, type, public_type, body, created_at)
                    values ($1, $2, false, 'webhook.test', 'webhook.test', '{}', now())`;
    await slow.query(insert, ['evt_00000000000000000000000001', service.tenant.tenant_id]);
    const quick = await createVerification(service);
    await slow.query('commit');
    slow.release();
    await until(async () => events(stream.messages).length >= 2, 'both');
    expect(events(stream.messages).map(({ data }) => data.id)[0]).toBe('evt_00000000000000000000000001');
    expect(JSON.parse(events(stream.messages)[1]!.data.body).data.id).toBe(quick.id);
    await stream.close();
  });

  it('has events in the order of their transactions, also where the next number has one digit more', async () => {
    const { db } = service.deps;
    const made: string[] = [];
    for (const transaction of [9, 10]) {
      const { id } = await createVerification(service);
      made.push(id);
      await db.query(`update events set recorded_in = $2::text::xid8 where verification_id = $1`, [id, transaction]);
    }
    const stream = await follow(service, `?cursor=${Buffer.from('8:').toString('base64url')}`);
    await until(async () => events(stream.messages).length >= 2, 'both events');
    const first = events(stream.messages).slice(0, 2);
    expect(first.map(({ data }) => JSON.parse(data.body).data.id)).toEqual(made);
    await stream.close();
  });

  it('has the events of a dump that was restored into a cluster that has run fewer transactions before all later ones', async () => {
    const { db } = service.deps;
    const old = await createVerification(service);
    // As a dump carries them.
    const ahead = (column: string) => `((${column}::text::bigint + 1000000000)::text)::xid8`;
    await db.query(`update events set recorded_in = ${ahead('recorded_in')} where tenant_id = $1`, [
      service.tenant.tenant_id,
    ]);
    await db.query(`update statistics_position set upto = ${ahead('upto')}`);
    await resumeStatistics(db);
    const later = await createVerification(service);
    const stream = await follow(service, `?cursor=${Buffer.from('0:').toString('base64url')}`);
    const ids = () => events(stream.messages).map(({ data }) => JSON.parse(data.body).data?.id);
    await until(async () => ids().includes(later.id), 'the later event');
    expect(ids().filter(id => id === old.id || id === later.id)).toEqual([old.id, later.id]);
    await stream.close();
  });

  it('shows one mode if asked, and only the tenant’s own events', async () => {
    const other = await service.newTenant();
    const [live, test] = [await follow(service, '?mode=live'), await follow(service, '?mode=test')];
    await createVerification(service, {}, other.pk_live);
    const inLive = await createVerification(service, {}, service.tenant.pk_live);
    const inTest = await createVerification(service, {}, service.tenant.pk_test);
    await until(async () => events(live.messages).length && events(test.messages).length, 'one each');
    const ids = [live, test].map(({ messages }) => events(messages).map(({ data }) => JSON.parse(data.body).data.id));
    expect(ids).toEqual([[inLive.id], [inTest.id]]);
    await Promise.all([live.close(), test.close()]);
  });

  it.each(['abc', Buffer.from('1:vfy_1').toString('base64url'), Buffer.from(`${10n ** 18n}:`).toString('base64url')])(
    'refuses the cursor %s',
    async cursor => {
      const { answer, close } = await follow(service, `?cursor=${cursor}`);
      expect(answer.status).toBe(400);
      await close();
    },
  );

  it('ends when the service stops', async () => {
    const node = await startTestService({ beside: service, worker: false });
    const stream = await follow(node);
    const at = Date.now();
    await node.stop();
    await stream.ended;
    expect(Date.now() - at).toBeLessThan(30_000);
  });
});
