import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { createChance } from '../../support/chance.ts';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/harness.ts';
import { firstRunOf } from '../../support/service-process.ts';

const chance = createChance();

const VERIFICATIONS = 200;
const PARALLEL = 8;
const KILLS = 5;
/** A claim of a node that vanished lapses after thirty seconds; a busy machine may need as long again. */
const PATIENCE_MS = 240_000;

interface Node {
  child: ChildProcess;
  url: string;
}

async function startNode(env: Record<string, string>): Promise<Node> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'node.ts')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await Promise.race([
    once(child.stdout!.setEncoding('utf8'), 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`a node ended with ${code} before it was ready`);
    }),
  ])) as [string];
  return { child, url: url.trim() };
}

async function kill({ child }: Node): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('webhooks from nodes killed at random, to a receiver that fails at random', () => {
  it(`deliver every event of ${VERIFICATIONS} verifications, always with the same id and body`, async () => {
    const database = await freshDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-kill-'));
    const env = {
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      ANALYSIS_THREADS: '1',
      DATABASE_POOL_SIZE: '8',
      RATE_LIMIT_PER_MINUTE: '1000000',
    };
    const receiver = await receiveWebhooks(response => {
      const luck = chance();
      if (luck < 0.15) response.writeHead(500).end();
      else if (luck < 0.2) response.destroy();
      else if (luck < 0.25) setTimeout(() => response.writeHead(204).end(), 300);
      else response.writeHead(204).end();
    });
    const nodes: Node[] = [];
    const client = new pg.Client({ connectionString: database.url });
    try {
      nodes.push(await startNode(env));
      nodes.push(await startNode(env));
      const tenant: NewTenant = await firstRunOf(dataDir);
      await client.connect();

      const registered = await fetch(`${nodes[0]!.url}/v1/webhook-endpoints`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.rk_secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: receiver.url, livemode: false }),
      });
      expect(registered.status).toBe(201);

      const acknowledged: string[] = [];
      let killed = 0;
      const create = async () => {
        while (acknowledged.length < VERIFICATIONS || killed < KILLS) {
          const node = nodes[Math.floor(chance() * nodes.length)]!;
          const answer = await fetch(`${node.url}/v1/verifications`, {
            method: 'POST',
            headers: { authorization: `Bearer ${tenant.pk_test}`, 'content-type': 'application/json' },
            // Half of them reach the receiver only as the endpoint of the account.
            body: JSON.stringify(chance() < 0.5 ? { webhook_url: receiver.url } : {}),
          }).catch(() => null);
          if (answer?.status === 201) acknowledged.push(((await answer.json()) as Verification).id);
          // A killed node comes back; what it was asked in the meantime was never acknowledged.
          else await sleep(50);
          if (acknowledged.length >= VERIFICATIONS) await sleep(50);
        }
      };
      const murder = async () => {
        for (; killed < KILLS; killed += 1) {
          await sleep(200 + chance() * 1_200);
          const victim = killed % nodes.length;
          await kill(nodes[victim]!);
          nodes[victim] = await startNode(env);
        }
      };
      await Promise.all([murder(), ...Array.from({ length: PARALLEL }, create)]);
      expect(acknowledged.length).toBeGreaterThanOrEqual(VERIFICATIONS);

      await until(
        async () => {
          const { rows } = await client.query<{ left: string }>(
            `select (select count(*) from event_outbox) + (select count(*) from webhook_queue)
               + (select count(*) from webhook_claims) as left`,
          );
          return rows[0]!.left === '0';
        },
        'nothing to be left in the queue',
        PATIENCE_MS,
      );
      const { rows: recorded } = await client.query<{ id: string; verification_id: string; body: string }>(
        'select id, verification_id, body from events',
      );
      const bodies = new Map(recorded.map(({ id, body }) => [id, body]));
      expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set(bodies.keys()));
      const announced = new Set(recorded.map(({ verification_id }) => verification_id));
      expect(acknowledged.filter(id => !announced.has(id))).toEqual([]);
      expect(receiver.received.filter(({ id, raw }) => raw !== bodies.get(id))).toEqual([]);
      expect(receiver.received.length).toBeGreaterThan(bodies.size);
      for (const { raw, headers } of receiver.received) {
        await verifyWebhook(raw, headers, tenant.webhook_secret, { toleranceSeconds: 600 });
      }
      const { rows: unfinished } = await client.query("select 1 from webhook_deliveries where status <> 'succeeded'");
      expect(unfinished).toEqual([]);
      console.log(
        `${recorded.length} events, ${receiver.received.length} attempts received, ${killed} kills, every event arrived`,
      );
    } finally {
      await Promise.all(nodes.map(kill));
      await receiver.close();
      await client.end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 600_000);
});
