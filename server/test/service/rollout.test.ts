import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { createLoad } from '../support/crash-load.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/harness.ts';
import { checkOut, type OldTree, oldVersion } from '../support/old-version.ts';
import { PHONES } from '../support/phones.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const METRICS_TOKEN = 'rollout';
/** Each node has done this much in a phase before the next begins. */
const ENOUGH = 3;
/** Without pauses, the clients fill both cores, and every node starts slowly. */
const PAUSE_MS = 500;
const PATIENCE_MS = 240_000;

const old = oldVersion();
if (!old)
  console.log(
    'The rollout is not tested: this clone has neither a release nor the commit that the newest migration follows.',
  );

describe.skipIf(!old)('a rollout', () => {
  let dataDir: string;
  let tree: OldTree;
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let balancer: Balancer;
  const running = new Set<ServiceProcess>();
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-rollout-'));
    tree = await checkOut(old!);
    database = await emptyDatabase();
    receiver = await receiveWebhooks();
  });
  afterAll(async () => {
    for (const node of running) await node.kill();
    await balancer?.close();
    await receiver?.close();
    await database?.drop();
    await tree?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('from the last version to this one loses nothing, while both versions serve and work side by side', async () => {
    const ports = [await freePort(), await freePort()] as const;
    balancer = await startBalancer(ports);
    const env = {
      ...PHONES,
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      PUBLIC_URL: balancer.url,
      HOST: '127.0.0.1',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      DRAIN_SECONDS: '2',
      METRICS_TOKEN,
    };
    const start = async (o: { port: number; command: 'serve' | 'work'; root?: string }) => {
      const node = startServiceProcess({ dataDir, ...o, env: { ...env, WORKER_PORT: `${o.port}` } });
      running.add(node);
      // A worker's models load at low priority, beside the clients here.
      await node.ready(PATIENCE_MS);
      return node;
    };
    const end = async (node: ServiceProcess) => {
      expect(await node.stop(), node.output()).toBe(0);
      running.delete(node);
    };
    const oldApi = await start({ port: ports[0], command: 'serve', root: tree.folder });
    const oldWorker = await start({ port: await freePort(), command: 'work', root: tree.folder });
    const before = await migrationsOf(database.url);

    const output = () => [...running].map(node => node.output()).join('\n');
    const load = createLoad({ url: balancer.url, receiver, output, anyVersion: true, clients: 2, pauseMs: PAUSE_MS });
    await load.during(await firstRunOf(dataDir), async lost => {
      /** Waits until each API has created and received photos, and each worker has judged and sent. */
      const allHaveDone = async (apis: ServiceProcess[], workers: ServiceProcess[]) => {
        const goals = [
          ...apis.flatMap(node => CREATES_AND_CAPTURES.map(what => ({ node, what }))),
          ...workers.flatMap(node => VERDICTS_AND_WEBHOOKS.map(what => ({ node, what }))),
        ];
        const from = await Promise.all(goals.map(({ node, what }) => countOf(node, what)));
        let lacking: string[] = [];
        const allDone = async () => {
          const now = await Promise.all(goals.map(({ node, what }) => countOf(node, what)));
          lacking = goals.flatMap(({ node, what }, at) =>
            now[at]! < from[at]! + ENOUGH ? [`${node.url} ${what}: ${now[at]}`] : [],
          );
          return lost() || lacking.length === 0;
        };
        await until(allDone, 'every node to do its part', PATIENCE_MS).catch(error => {
          throw new Error(`${error.message}: ${lacking.join('; ')}\n${output()}`);
        });
      };
      await allHaveDone([oldApi], [oldWorker]);
      const newApi = await start({ port: ports[1], command: 'serve' });
      await allHaveDone([oldApi, newApi], [oldWorker]);
      const newWorker = await start({ port: await freePort(), command: 'work' });
      await allHaveDone([oldApi, newApi], [newWorker]);
      await end(oldWorker);
      await allHaveDone([oldApi, newApi], [newWorker]);
      await end(oldApi);
      await allHaveDone([newApi], [newWorker]);
    });
    await load.expectKept();
    console.log(
      `from ${old!.slice(0, 12)}: ${(await migrationsOf(database.url)) - before} migrations, ${load.summary()}`,
    );
    for (const node of running) await end(node);
  }, 900_000);
});

const CREATES_AND_CAPTURES = [
  'firsthand_http_request_seconds_count{.*route="/v1/verifications",.*status="201"',
  'firsthand_http_request_seconds_count{.*route="/v1/verifications/:\\w+/captures",.*status="201"',
];
const VERDICTS_AND_WEBHOOKS = [
  'firsthand_job_seconds_count{.*job="analyze_capture",.*outcome="done"',
  'firsthand_webhook_attempt_seconds_count{.*outcome="succeeded"',
];

/** Sums the counters of a node whose line begins with the pattern. */
async function countOf(node: ServiceProcess, pattern: string): Promise<number> {
  const answer = await fetch(`${node.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const lines = (await answer.text()).match(new RegExp(`^${pattern}.*$`, 'gm')) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function migrationsOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('select from migrations')).rowCount!;
  } finally {
    await client.end();
  }
}
