import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { type Balancer, startBalancer } from '../../../server/test/support/balancer.ts';
import { startRedis } from '../../../server/test/support/redis.ts';
import { startS3Server } from '../../../server/test/support/s3.ts';
import {
  firstRunOf,
  freePort,
  MAIN,
  type ServiceProcess,
  startServiceProcess,
} from '../../../server/test/support/service-process.ts';
import { debianPostgres, type PostgresPair, startPostgresPair } from './postgres.ts';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

export interface Node {
  name: string;
  port: number;
  dataDir: string;
  /** Starts it and waits until it is ready. */
  start(env?: Record<string, string>): Promise<void>;
  /** Kills it: nothing gets to finish. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for its end. */
  stop(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** A complaint if the process ended although nobody ended it. */
  ended(): string | null;
  output(): string;
}

/** A part that the nodes need, which may go away and come back. */
interface Away {
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

export interface Fleet {
  apis: readonly [Node, Node];
  workers: readonly [Node, Node];
  nodes: readonly Node[];
  proxy: Balancer;
  database: PostgresPair;
  /** Asks the primary, whichever it is. */
  pool: Pool;
  store: Away;
  redis: Away;
  tenant: NewTenant;
  folder: string;
  /** Environment of a command that works on the same installation. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** What makes the clock of a node run ahead. */
export const ahead = (seconds: number): Record<string, string> => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME: `+${seconds}s`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** The packages of the programs that this needs and the machine lacks. */
export function missing(o: { short: boolean }): string[] {
  const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  return [
    ...(debianPostgres() ? [] : ['postgresql']),
    ...(has('radosgw') ? [] : ['ceph-mon ceph-osd radosgw']),
    ...(has('redis-server') ? [] : ['redis-server']),
    ...(o.short || existsSync(FAKETIME) ? [] : ['faketime']),
  ];
}

export async function startFleet(): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-chaos-'));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const clean of cleanups.splice(0).toReversed()) await clean();
  };
  try {
    const database = await startPostgresPair();
    cleanups.push(() => database.stop());
    const pool = createPool(database.url, 2, () => {});
    cleanups.push(() => pool.end());
    const store = await startS3Server();
    cleanups.push(store.stop);
    let redis = await startRedis();
    cleanups.push(() => redis.stop());
    const ports = await Promise.all(Array.from({ length: 4 }, freePort));
    const proxy = await startBalancer(ports.slice(0, 2));
    cleanups.push(proxy.close);

    const env = {
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '8',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      REDIS_URL: redis.url,
      PUBLIC_URL: proxy.url,
      TRUSTED_PROXIES: '127.0.0.1',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      DRAIN_SECONDS: '2',
      ...settingsOf(store.options),
    };
    const nodes = await Promise.all(ports.map((port, at) => createNode({ at, port, folder, env })));
    cleanups.push(() => Promise.all(nodes.map(node => node.kill())));
    await nodes[0]!.start();
    await Promise.all(nodes.slice(1).map(node => node.start()));
    while (proxy.ready().length < 2) await sleep(50);
    return {
      apis: [nodes[0]!, nodes[1]!],
      workers: [nodes[2]!, nodes[3]!],
      nodes,
      proxy,
      database,
      pool,
      store,
      redis: {
        leave: () => redis.stop(),
        async comeBack() {
          redis = await startRedis(Number(new URL(redis.url).port));
        },
      },
      tenant: await firstRunOf(nodes[0]!.dataDir),
      folder,
      env,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type S3Options = Awaited<ReturnType<typeof startS3Server>>['options'];

const settingsOf = ({ bucket, endpoint, region, accessKeyId, secretAccessKey }: S3Options) => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: endpoint!,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId!,
  S3_SECRET_ACCESS_KEY: secretAccessKey!,
  S3_FORCE_PATH_STYLE: 'true',
});

/** The first two nodes are APIs, the others workers. */
async function createNode(o: { at: number; port: number; folder: string; env: Record<string, string> }): Promise<Node> {
  const { at, port } = o;
  const command = at < 2 ? 'serve' : 'work';
  const name = `${at < 2 ? 'API' : 'worker'} ${(at % 2) + 1}`;
  const dataDir = join(o.folder, name.replace(' ', '-'));
  await mkdir(dataDir);
  let running: ServiceProcess | null = null;
  let past = '';
  const part = async (end: (service: ServiceProcess) => Promise<unknown>) => {
    const service = running;
    running = null;
    if (!service) return;
    await end(service);
    past = service.output();
  };
  return {
    name,
    port,
    dataDir,
    async start(env = {}) {
      running = startServiceProcess({ dataDir, port, command, env: { ...o.env, WORKER_PORT: `${port}`, ...env } });
      await running.ready(120_000);
    },
    kill: () => part(service => service.kill()),
    stop: () =>
      part(async service => {
        const code = await service.stop();
        if (code !== 0) throw new Error(`${name} ended with ${code} when it was asked to stop:\n${service.output()}`);
      }),
    signal(signal) {
      running!.process.kill(signal);
    },
    ended() {
      const { exitCode, signalCode } = running?.process ?? { exitCode: null, signalCode: null };
      return exitCode === null && signalCode === null
        ? null
        : `${name} ended by itself (${exitCode ?? signalCode}):\n${running!.output().slice(-3_000)}`;
    },
    output: () => running?.output() ?? past,
  };
}

/** Runs a command of the program on the fleet's installation. Resolves to its exit code and what it wrote. */
export function firsthand(fleet: Pick<Fleet, 'env' | 'folder'>, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: join(fleet.folder, 'command'), ...fleet.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>(resolve => {
    child.once('close', code => resolve({ code, stdout, stderr }));
  });
}
