import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { ask, createVerification, startTestService, submit, type TestService, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { freePort } from '../support/service-process.ts';

/** Whether this machine has a pgbouncer to test against (Debian: `pgbouncer`). */
const hasPgbouncer = spawnSync('pgbouncer', ['--version']).status === 0;

describe.skipIf(!hasPgbouncer)('the service behind pgbouncer in transaction mode', () => {
  let folder: string;
  let database: EmbeddedPostgres;
  let pooler: ChildProcess;
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-pgbouncer-'));
    await chmod(folder, 0o755);
    const dataDir = join(folder, 'data');
    const settings = { fsync: 'off', unix_socket_permissions: '0777' };
    database = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings });
    const direct = new URL(database.url);
    const port = await freePort();
    const name = direct.pathname.slice(1);
    const socket = direct.searchParams.get('host')!;
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      `[databases]
${name} = host=${socket} dbname=${name} user=${direct.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
    );
    const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    // The socket's folder is open only to its owner and root.
    if (asRoot.length > 0) await chmod(socket, 0o755);
    pooler = spawn('pgbouncer', [...asRoot, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
    const url = `postgresql://firsthand@127.0.0.1:${port}/${name}`;
    await until(async () => {
      const client = new pg.Client({ connectionString: url });
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        return false;
      }
    }, 'pgbouncer');
    receiver = await receiveWebhooks();
    service = await startTestService({
      database: { url, drop: async () => {} },
      env: { DATABASE_DIRECT_URL: database.url },
    });
  }, 120_000);
  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
    if (pooler) {
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
    }
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('gives every capture its verdict and every event its webhook', async () => {
    const picture = await plain();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { id } = await createVerification(service, { webhook_url: receiver.url });
        expect((await submit(service, id, picture)).status).toBe(201);
        return id;
      }),
    );
    for (const id of ids) {
      await until(
        async () =>
          (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body.status ===
          'completed',
        `the verdict of ${id}`,
      );
    }
    const told = () => ids.filter(id => receiver.of(id).some(({ event }) => event.data.status === 'completed'));
    await until(async () => told().length >= ids.length, 'a webhook for each verdict');
  });

  it('holds the time limits of transactions, which no session keeps', async () => {
    const { db } = service.deps;
    const client = await db.connect();
    try {
      await client.query((db as unknown as { begin: string }).begin);
      const { rows } = await client.query<{ statement_timeout: string }>('show statement_timeout');
      expect(rows[0]!.statement_timeout).toBe('30s');
      await client.query('rollback');
    } finally {
      client.release();
    }
  });
});
