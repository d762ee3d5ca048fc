import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDeps } from '../../src/open.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { DatabaseUnavailable } from '../../src/platform/db/pool.ts';
import type { Failure } from '../support/failure.ts';
import { ask, createVerification, startTestService, submit, type TestService, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';

describe('database that stops answering', () => {
  let dataDir: string;
  let database: EmbeddedPostgres;
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-silent-'));
    database = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings: { fsync: 'off' } });
    receiver = await receiveWebhooks();
    service = await startTestService({ database: { url: database.url, drop: async () => {} } });
  });
  afterAll(async () => {
    await signal('SIGCONT').catch(() => {});
    await service?.stop();
    await receiver?.close();
    await database?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Sends a signal to the server and every process that it started. */
  async function signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
    const children = await Promise.all(
      (await readdir('/proc'))
        .filter(entry => /^\d+$/.test(entry))
        .map(async pid => {
          const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
          return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster ? [Number(pid)] : [];
        }),
    );
    for (const pid of [postmaster, ...children.flat()]) process.kill(pid, name);
  }

  const timed = async (path: string, o: Parameters<typeof ask>[2] = {}) => {
    const began = performance.now();
    const { status, body, headers } = await ask<Failure>(service, path, o);
    const code = body.error?.code;
    return { path, status, code, retryAfter: headers.get('retry-after'), ms: performance.now() - began };
  };

  it('causes a 503 within 5 s, and jobs, webhooks and requests resume when it answers', async () => {
    const key = service.tenant.pk_test;
    const picture = await plain();
    const before = await createVerification(service, { webhook_url: receiver.url });
    await until(async () => receiver.received.length === 1, 'the first webhook');
    // A job that is at work when the silence begins, and one more that nobody has taken.
    const busy = await createVerification(service, { webhook_url: receiver.url });
    expect((await submit(service, busy.id, picture)).status).toBe(201);

    await signal('SIGSTOP');
    const answers: Awaited<ReturnType<typeof timed>>[] = [];
    const alone: Awaited<ReturnType<typeof timed>>[] = [];
    const asking: Promise<unknown>[] = [];
    // More at once than the pool has connections, for longer than it takes to notice.
    for (let round = 0; round < 26; round += 1) {
      asking.push(timed('/healthz').then(answer => alone.push(answer)));
      for (const request of [
        () => timed('/v1/verifications', { key }),
        () => timed(`/v1/verifications/${before.id}`, { key }),
        () => timed('/v1/verifications', { key, body: {}, headers: { 'idempotency-key': `k${asking.length}` } }),
        () => timed(`/v1/verify/${before.id}`),
        () => timed('/v1/settings', { key: service.tenant.rk_secret }),
      ]) {
        asking.push(request().then(answer => answers.push(answer)));
      }
      await sleep(500);
    }
    await Promise.all(asking);
    const ready = await fetch(`${service.url}/readyz`);
    const alive = await fetch(`${service.url}/healthz`);
    await signal('SIGCONT');

    expect(answers).toHaveLength(130);
    expect(
      answers.filter(
        ({ status, code, retryAfter }) => !(status === 503 && code === 'storage_unavailable' && retryAfter === '5'),
      ),
    ).toEqual([]);
    const slowest = (of: typeof answers) => Math.max(...of.map(({ ms }) => ms));
    // A request that needs no database says how much of that a busy machine takes.
    expect(slowest(answers)).toBeLessThan(5_000 + 5 * slowest(alone));
    expect([ready.status, alive.status]).toEqual([503, 200]);

    await until(async () => (await timed(`/v1/verifications/${before.id}`, { key })).status === 200, 'an answer');
    const after = await createVerification(service, { webhook_url: receiver.url });
    const types = (id: string) => receiver.of(id).map(({ event }) => event.type);
    await until(async () => types(after.id).includes('verification.created'), 'webhooks again');
    await until(async () => types(busy.id).includes('verification.completed'), 'the verdict of the job', 120_000);
    expect((await submit(service, after.id, picture)).status).toBe(201);
    await until(async () => types(after.id).includes('verification.completed'), 'a verdict made afterwards');
    expect(service.logged.filter(line => line.includes('the database does not answer; requests')).length).toBe(1);
  }, 300_000);
});

describe('database time limits', () => {
  const open = async (service: TestService, limits: Partial<TestService['deps']['config']['databaseTimeouts']>) => {
    const config = { ...service.deps.config, databaseTimeouts: { ...service.deps.config.databaseTimeouts, ...limits } };
    return openDeps(config, service.deps.log, { database: 'own' });
  };

  it('end a statement, a lock wait and an idle transaction, but not commands', async () => {
    const service = await startTestService({ worker: false });
    try {
      const statement = await open(service, { statementMs: 200 });
      await expect(statement.deps.db.query('select pg_sleep(5)')).rejects.toThrow(DatabaseUnavailable);
      await statement.close();

      const lock = await open(service, { lockMs: 200 });
      const [holder, waiter] = [await lock.deps.db.connect(), await lock.deps.db.connect()];
      await holder.query('begin');
      await holder.query('lock table tenants');
      await expect(waiter.query('select 1 from tenants')).rejects.toThrow(DatabaseUnavailable);
      await holder.query('rollback');
      holder.release();
      waiter.release();
      await lock.close();

      const idle = await open(service, { idleTransactionMs: 200 });
      const client = await idle.deps.db.connect();
      await client.query('begin');
      await once(client, 'error');
      await expect(client.query('select 1')).rejects.toThrow(DatabaseUnavailable);
      client.release(true);
      await idle.close();

      const command = await openDeps(
        {
          ...service.deps.config,
          databaseTimeouts: { connectMs: 500, statementMs: 100, lockMs: 100, idleTransactionMs: 100 },
        },
        service.deps.log,
        { database: 'join' },
      );
      await command.deps.db.query('select pg_sleep(0.4)');
      await command.close();
    } finally {
      await service.stop();
    }
  });

  it('free the webhooks that a node holds up when it stops inside a transaction', async () => {
    const receiver = await receiveWebhooks();
    const service = await startTestService();
    const stopped = await open(service, { idleTransactionMs: 1_000 });
    const client = await stopped.deps.db.connect();
    client.on('error', () => {});
    try {
      await createVerification(service, { webhook_url: receiver.url });
      await until(async () => receiver.received.length === 1, 'the first webhook');
      await client.query('begin');
      await client.query('select from webhook_endpoints for update');
      // This node says nothing more, as one that was stopped.
      await createVerification(service, { webhook_url: receiver.url });
      await until(async () => receiver.received.length === 2, 'the second webhook', 30_000);
    } finally {
      client.release(true);
      await stopped.close();
      await service.stop();
      await receiver.close();
    }
  });

  it('allow a slow statement while the database answers', async () => {
    const service = await startTestService({ worker: false });
    try {
      // Longer than silence takes to be noticed.
      await service.deps.db.query('select pg_sleep(4)');
    } finally {
      await service.stop();
    }
  });
});
