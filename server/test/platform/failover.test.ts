import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { ask, createVerification, submit, type TestService, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

interface Attempt {
  status: number;
  retryAfter: string | null;
}

describe('a node on a primary with a synchronous standby', () => {
  let folder: string;
  let database: ReplicatedPostgres;
  let node: ServiceProcess;
  let tenant: NewTenant;
  /** The node, as the helpers of the harness take it. */
  let service: TestService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-failover-'));
    database = await startReplicatedPostgres();
    node = startServiceProcess({
      dataDir: folder,
      port: await freePort(),
      env: {
        DATABASE_URL: database.url,
        ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
        DRAIN_SECONDS: '0',
      },
    });
    await node.ready();
    tenant = await firstRunOf(folder);
    service = { url: node.url, tenant } as TestService;
  }, 120_000);
  afterAll(async () => {
    await node?.stop();
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const view = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: tenant.pk_test })).body;
  const alive = () => node.process.exitCode === null && node.process.signalCode === null;

  /** A client that creates verifications one after another, whatever happens, until told to stop. */
  function load() {
    const acknowledged: string[] = [];
    const refused: Attempt[] = [];
    let going = true;
    const client = async () => {
      while (going) {
        const answer = await fetch(`${node.url}/v1/verifications`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tenant.pk_test}`, 'content-type': 'application/json' },
          body: '{}',
        });
        const body = (await answer.json()) as { id: string };
        if (answer.status === 201) acknowledged.push(body.id);
        else refused.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') });
        await sleep(5);
      }
    };
    const clients = Promise.all(Array.from({ length: 4 }, client));
    return {
      acknowledged,
      refused,
      async stop() {
        going = false;
        await clients;
      },
    };
  }

  const oneMore = async (acknowledged: readonly string[]) => {
    const before = acknowledged.length;
    await until(async () => acknowledged.length > before + 10, 'requests are answered again', 60_000);
  };

  /** Every acknowledged verification is there, and a picture still gets its verdict. */
  async function expectWhole(acknowledged: readonly string[]): Promise<void> {
    for (const id of acknowledged) expect((await view(id)).id).toBe(id);
    const { id } = await createVerification(service, {});
    expect((await submit(service, id, await plain())).status).toBe(201);
    await until(async () => (await view(id)).status === 'completed', 'the verdict', 60_000);
    expect(alive()).toBe(true);
  }

  it('outlives an ordinary restart of the database, and answers 503 with Retry-After meanwhile', async () => {
    const client = load();
    await oneMore(client.acknowledged);
    for (let round = 0; round < 3; round += 1) {
      await database.restartPrimary();
      await oneMore(client.acknowledged);
    }
    await client.stop();
    expect(client.refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
    await expectWhole(client.acknowledged);
  });

  it('goes on with the standby once that is the primary, and has lost nothing that it acknowledged', async () => {
    const client = load();
    await oneMore(client.acknowledged);
    await database.killPrimary();
    await until(async () => client.refused.length > 0, 'the loss shows', 60_000);
    await database.promote();
    await oneMore(client.acknowledged);
    await client.stop();
    expect(client.refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
    await expectWhole(client.acknowledged);
  });
});
