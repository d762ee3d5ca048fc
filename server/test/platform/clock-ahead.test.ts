import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedWebhook, receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256, sha256Hex } from '../../src/platform/lib/keyring.ts';
import type { Failure } from '../support/failure.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../support/harness.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const AHEAD_MS = 90_000;
/** Loaded before anything else: the whole process believes that it is later than it is. */
const SHIFT = `const D=Date;globalThis.Date=class extends D{constructor(...a){if(a.length)super(...a);else super(D.now()+${AHEAD_MS})}static now(){return D.now()+${AHEAD_MS}}};console.error('ahead by ${AHEAD_MS}')`;
/** Two heartbeats of a worker and many looks of a dispatcher. */
const LONG_ENOUGH_MS = 12_000;

describe('a node whose clock is 90 s ahead', () => {
  let service: TestService;
  let node: ServiceProcess;
  beforeAll(async () => {
    service = await startTestService();
    const { config } = service.deps;
    node = startServiceProcess({
      dataDir: config.dataDir,
      port: await freePort(),
      env: {
        DATABASE_URL: config.databaseUrl!,
        DATABASE_POOL_SIZE: '6',
        ENCRYPTION_KEYS: config.encryptionKeys!.map(key => key.toString('base64')).join(','),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(SHIFT)}`,
      },
    });
    await node.ready();
  });
  afterAll(async () => {
    await node?.stop();
    await service?.stop();
  });

  it('is ahead in this test', () => {
    expect(node.output()).toContain(`ahead by ${AHEAD_MS}`);
  });

  it('takes no webhook that another node is sending, and no job that another worker holds', async () => {
    const held: (() => void)[] = [];
    const receiver = await receiveWebhooks((response, _webhook: ReceivedWebhook) => {
      held.push(() => void response.writeHead(204).end());
    });
    const beating = new AbortController();
    try {
      const { db } = service.deps;
      await db.query(
        `select graphile_worker.add_job('settle', '{"verification_id":"vfy_none"}', job_key => 'held', run_at => now() + interval '1 day')`,
      );
      await db.query(`insert into worker_nodes (worker_id, seen_at) values ('alive', now())`);
      await db.query(
        `update graphile_worker._private_jobs set locked_by = 'alive', locked_at = now() where key = 'held'`,
      );
      const beat = (async () => {
        while (!beating.signal.aborted) {
          await db.query(`update worker_nodes set seen_at = now() where worker_id = 'alive'`);
          await sleep(1_000);
        }
      })();
      const { id } = await createVerification(service, { webhook_url: receiver.url });
      await until(async () => receiver.received.length === 1, 'the webhook');
      await sleep(LONG_ENOUGH_MS);
      expect(receiver.received).toHaveLength(1);
      const { rows } = await db.query<{ locked_by: string }>(
        `select locked_by from graphile_worker._private_jobs where key = 'held'`,
      );
      expect(rows).toEqual([{ locked_by: 'alive' }]);
      held.shift()!();
      const delivery = await until(async () => {
        const reply = await ask<{ data: WebhookDelivery[] }>(service, `/v1/webhook-deliveries?verification_id=${id}`, {
          key: service.tenant.rk_secret,
        });
        return reply.body.data.find(({ status }) => status === 'succeeded');
      }, 'the delivery to be written down');
      expect(delivery.attempts).toHaveLength(1);
      beating.abort();
      await beat;
    } finally {
      beating.abort();
      await service.deps.db.query(`delete from graphile_worker._private_jobs where key = 'held'`);
      await receiver.close();
    }
  });

  it('takes over no request that runs on another node, and expires nothing early', async () => {
    const { tenant, deps } = service;
    const body = { expires_in_seconds: 60 };
    const made = await createVerification(service, body);
    const hash = sha256(`POST /v1/verifications\n${sha256Hex(JSON.stringify(body))}`);
    await deps.db.query(
      `insert into idempotency_keys (scope, key, request_hash, created_at, locked_until)
       values ($1, $3, $2, now(), now() + interval '60 seconds')`,
      [`${tenant.tenant_id}:false`, hash, sha256Hex('running')],
    );
    const reply = await ask<Failure>(node, '/v1/verifications', {
      key: tenant.pk_test,
      body,
      headers: { 'idempotency-key': 'running' },
    });
    expect([reply.status, reply.body.error?.code]).toEqual([409, 'idempotency_in_progress']);
    await sleep(3_000);
    const read = await ask<Verification>(node, `/v1/verifications/${made.id}`, { key: tenant.pk_test });
    expect(read.body.status).toBe('pending');
  });

  it('writes the same times as other nodes: its events are announced at once, and its deadlines hold', async () => {
    const receiver = await receiveWebhooks();
    try {
      const reply = await ask<Verification>(node, '/v1/verifications', {
        key: service.tenant.pk_test,
        body: { webhook_url: receiver.url, expires_in_seconds: 3_600 },
      });
      const [createdAt, expiresAt] = [Date.parse(reply.body.created_at), Date.parse(reply.body.expires_at)];
      expect(Math.abs(createdAt - Date.now())).toBeLessThan(AHEAD_MS / 2);
      expect(expiresAt - createdAt).toBe(3_600_000);
      await until(async () => receiver.received.length === 1, 'the webhook');
    } finally {
      await receiver.close();
    }
  });
});
