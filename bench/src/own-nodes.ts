import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from 'firsthand/platform/db/embedded.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import {
  firstRunOf,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from '../../server/test/support/service-process.ts';
import { cpuSeconds, postmasterOf } from './cpu.ts';
import { phone, startReceiver, submitPicture } from './receivers.ts';

/** PostgreSQL and nodes as processes of their own, so that each can be measured by itself. */
export interface OwnNodes {
  dataDir: string;
  /** Asks the database. */
  pool: Pool;
  /** The single number that a query gives, in a column `n`. */
  number(sql: string): Promise<number>;
  /** Starts a node on a free port and waits until it is ready. */
  start(command: 'serve' | 'work'): Promise<Node>;
  /** `clean` runs before everything is stopped, the latest first. */
  atEnd(clean: () => unknown): void;
}

export interface Node extends ServiceProcess {
  /** Names 127.0.0.1, so that clients can connect from other loopback addresses. */
  url: string;
  pid: number;
}

/** Opens a database in a new folder for `work`. Then stops it with all nodes, and deletes the folder. */
export async function withOwnNodes(
  o: { env?: Record<string, string>; settings?: Record<string, string> },
  work: (nodes: OwnNodes) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const dataDir = join(folder, 'data');
    const database = await startEmbeddedPostgres({ dataDir, log: createLog('error'), settings: o.settings ?? {} });
    cleanups.push(database.stop);
    const pool = createPool(database.url, 2, () => {});
    cleanups.push(() => pool.end());
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      DRAIN_SECONDS: '0',
      ...o.env,
    };
    await work({
      dataDir,
      pool,
      number: async sql => Number((await pool.query<{ n: string }>(sql)).rows[0]!.n),
      async start(command) {
        const port = await freePort();
        const node = startServiceProcess({ dataDir, port, command, env: { ...env, WORKER_PORT: `${port}` } });
        cleanups.push(node.stop);
        await node.ready(180_000);
        return { ...node, url: node.url.replace('localhost', '127.0.0.1'), pid: node.process.pid! };
      },
      atEnd: clean => void cleanups.push(clean),
    });
  } finally {
    for (const clean of cleanups.toReversed()) await clean();
  }
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** Starts an API node and a worker. Phones send them photos, each from an address of its own. */
export async function openInstallation({ dataDir, start, atEnd }: OwnNodes) {
  const [api, worker] = [await start('serve'), await start('work')];
  const receiver = await startReceiver();
  atEnd(receiver.close);
  const tenant = await firstRunOf(dataDir);
  const postmaster = await postmasterOf(dataDir);
  let serial = 0;
  const sendOne = async (photo: Buffer): Promise<string> => {
    serial += 1;
    const dispatcher = phone(`127.0.${7 + ((serial >> 7) & 127)}.${1 + (serial & 127)}`);
    const id = await submitPicture(api.url, tenant, dispatcher, receiver, photo);
    await dispatcher.close();
    return id;
  };
  return {
    api,
    worker,
    tenant,
    receiver,
    sendOne,
    /** Sends photos, `atOnce` at a time, and waits until their webhooks have come. */
    async sendAll(photos: readonly Buffer[], atOnce: number): Promise<void> {
      receiver.reset();
      const left = [...photos];
      const sender = async () => {
        for (let photo = left.shift(); photo; photo = left.shift()) await sendOne(photo);
      };
      await Promise.all(Array.from({ length: atOnce }, sender));
      while (receiver.completed.size < photos.length) await sleep(20);
    },
    /** Processor seconds that the processes have used so far. */
    cpu: async () => ({
      api: await cpuSeconds(api.pid),
      worker: await cpuSeconds(worker.pid),
      database: await cpuSeconds(postmaster),
    }),
  };
}
