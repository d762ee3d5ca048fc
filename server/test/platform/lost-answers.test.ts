import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../../src/platform/db/pool.ts';
import { one } from '../../src/platform/db/sql.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../support/harness.ts';

describe('an answer of the database that is lost with its connection', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await receiveWebhooks();
    service = await startTestService();
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
  });

  it('does not keep a job from the worker that it was given to', async () => {
    const { db } = service.deps;
    await db.query(
      `select graphile_worker.add_job('settle', '{"verification_id":"vfy_none"}', queue_name => 'lost', job_key => 'lost',
         run_at => now() + interval '1 day')`,
    );
    const { rowCount } = await db.query(
      `update graphile_worker._private_jobs set run_at = now(), locked_at = now() - interval '1 minute',
         locked_by = (select worker_id from worker_nodes limit 1) where key = 'lost'`,
    );
    expect(rowCount).toBe(1);
    await db.query(
      `update graphile_worker._private_job_queues set locked_at = now() - interval '1 minute',
         locked_by = (select worker_id from worker_nodes limit 1) where queue_name = 'lost'`,
    );
    const left = () => one(db, `select from graphile_worker._private_jobs where key = 'lost'`);
    await until(async () => !(await left()), 'the job to be done', 30_000);
  });

  it('does not keep a queued webhook until its claim lapses', async () => {
    const { db } = service.deps;
    const query = db.query.bind(db) as (...of: unknown[]) => Promise<{ rows: unknown[] }>;
    let lost = 0;
    db.query = (async (...of: unknown[]) => {
      const answer = await query(...of);
      if (lost > 0 || !String(of[0]).includes('insert into webhook_claims') || answer.rows.length === 0) return answer;
      lost += 1;
      throw new DatabaseUnavailable('the connection ended');
    }) as typeof db.query;
    try {
      const key = service.tenant.rk_secret;
      expect((await ask(service, '/v1/webhooks/test', { key, body: { url: receiver.url } })).status).toBe(202);
      await until(async () => lost === 1, 'the answer to be lost');
      const lapses = await one<{ until: Date }>(db, 'select max(until) as until from webhook_claims');
      const arrived = () => receiver.received.find(({ event }) => event.type === 'webhook.test');
      await until(async () => arrived() !== undefined, 'the webhook');
      expect(arrived()!.at).toBeLessThan(lapses!.until?.getTime() ?? Number.POSITIVE_INFINITY);
    } finally {
      db.query = query as typeof db.query;
    }
  });

  it('does not keep a webhook that was claimed with its announcement', async () => {
    const { db } = service.deps;
    const connect = db.connect.bind(db) as () => Promise<PoolClient>;
    let lost = 0;
    db.connect = (async () => {
      const client = await connect();
      const query = client.query.bind(client) as (...of: unknown[]) => Promise<unknown>;
      let claimed = false;
      client.query = (async (...of: unknown[]) => {
        const answer = await query(...of);
        if (String(of[0]).includes('insert into webhook_claims')) claimed = true;
        if (of[0] !== 'commit' || !claimed || lost > 0) return answer;
        lost += 1;
        throw new DatabaseUnavailable('the connection ended');
      }) as typeof client.query;
      return client;
    }) as typeof db.connect;
    try {
      const { id } = await createVerification(service, { webhook_url: receiver.url });
      await until(async () => lost === 1, 'the answer to be lost');
      const lapses = await one<{ until: Date }>(db, 'select max(until) as until from webhook_claims');
      await until(async () => receiver.of(id).length > 0, 'the webhook');
      expect(receiver.of(id)[0]!.at).toBeLessThan(lapses!.until?.getTime() ?? Number.POSITIVE_INFINITY);
    } finally {
      db.connect = connect as typeof db.connect;
    }
  });
});
