import { spawnSync } from 'node:child_process';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ahead, type Fleet, firsthand, type Node } from './fleet.ts';

export interface Fault {
  name: string;
  /** Part of the short run. */
  short: boolean;
  /** Breaks something under load and mends it. Resolves to promises that were broken meanwhile. */
  run(fleet: Fleet): Promise<string[]>;
}

/** A killed process is back after this long. */
const RESTART_MS = 3_000;
/** Longer than a worker may be silent before others take its work (8 and 10 s). */
const PAST_THE_LEASE_MS = 25_000;
const BUSY_WITHIN_MS = 20_000;
const AHEAD_SECONDS = 90;
const AWAY_MS = 30_000;
/** Requests a minute of the account that tries its limit, and how many it sends. */
const LIMIT = 60;
const TRIES = 180;

/** Waits until photos are being analysed, as many as there are workers: one that goes now leaves work behind. */
async function untilWorking({ pool, workers }: Fleet): Promise<void> {
  const deadline = performance.now() + BUSY_WITHIN_MS;
  const claimed = `select from captures where analysis_state = 'pending' and analysis_attempts > 0 and analysis_due_at > now()`;
  while (performance.now() < deadline && (await pool.query(claimed)).rowCount! < workers.length) await sleep(5);
}

const killed =
  (which: (fleet: Fleet) => Node, backAfterMs = RESTART_MS) =>
  async (fleet: Fleet) => {
    if (fleet.workers.includes(which(fleet))) await untilWorking(fleet);
    await which(fleet).kill();
    await sleep(backAfterMs);
    await which(fleet).start();
    return [];
  };

const stopped = (which: (fleet: Fleet) => Node, ms: number) => async (fleet: Fleet) => {
  if (fleet.workers.includes(which(fleet))) await untilWorking(fleet);
  which(fleet).signal('SIGSTOP');
  await sleep(ms);
  which(fleet).signal('SIGCONT');
  return [];
};

async function restartWith(nodes: readonly Node[], env: Record<string, string>): Promise<void> {
  for (const node of nodes) {
    await node.stop();
    await node.start(env);
  }
}

async function clockAhead({ apis, workers }: Fleet): Promise<string[]> {
  const nodes = [apis[1], workers[1]];
  await restartWith(nodes, ahead(AHEAD_SECONDS));
  const date = (await fetch(`http://127.0.0.1:${apis[1].port}/healthz`)).headers.get('date')!;
  const shift = Math.round((Date.parse(date) - Date.now()) / 1_000);
  await sleep(15_000);
  await restartWith(nodes, {});
  return Math.abs(shift - AHEAD_SECONDS) > 5 ? [`the node's clock was ${shift} s ahead, not ${AHEAD_SECONDS}`] : [];
}

async function failover({ database }: Fleet): Promise<string[]> {
  await database.killPrimary();
  await sleep(5_000);
  await database.promote();
  await sleep(5_000);
  await database.rejoin();
  return [];
}

async function storeAway({ store }: Fleet): Promise<string[]> {
  await store.leave();
  await sleep(AWAY_MS);
  await store.comeBack();
  return [];
}

/** While Redis is away, an account with a limit sends three times as much over both nodes. */
async function redisAway(fleet: Fleet): Promise<string[]> {
  const made = await firsthand(fleet, 'create-tenant', 'Limited');
  const { tenant_id: id, pk_test: key } = JSON.parse(made.stdout) as { tenant_id: string; pk_test: string };
  await firsthand(fleet, 'set-limit', id, `${LIMIT}`);
  await fleet.redis.leave();
  const began = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: TRIES }, async (_, n) => {
      await sleep(n * 30);
      const { port } = fleet.apis[n % 2]!;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/verifications?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await answer.body?.cancel();
      return answer.status;
    }),
  );
  await sleep(Math.max(0, 10_000 - (performance.now() - began)));
  await fleet.redis.comeBack();
  const allowed = statuses.filter(status => status === 200).length;
  const other = statuses.filter(status => status !== 200 && status !== 429);
  return [
    ...(allowed > LIMIT ? [`a limit of ${LIMIT} let ${allowed} through without Redis`] : []),
    ...(allowed < LIMIT ? [`a limit of ${LIMIT} let only ${allowed} through without Redis`] : []),
    ...(other.length > 0 ? [`without Redis, requests were answered ${[...new Set(other)].join(', ')}`] : []),
  ];
}

async function rollingRestart({ nodes }: Fleet): Promise<string[]> {
  for (const node of nodes) {
    await node.stop();
    await node.start();
  }
  return [];
}

/** Restarts an API node and a worker on a file system of 8 MB, and fills it. */
async function diskFull({ apis, workers }: Fleet): Promise<string[]> {
  const nodes = [apis[1], workers[1]];
  const mounted: Node[] = [];
  const faults: string[] = [];
  try {
    for (const node of nodes) {
      await node.stop();
      const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', node.dataDir], { encoding: 'utf8' });
      if (mount.status !== 0) return [`not tried, because this needs the right to mount: ${mount.stderr.trim()}`];
      mounted.push(node);
      await node.start();
      await writeFile(join(node.dataDir, 'filler'), Buffer.alloc(16 << 20)).catch(() => {});
      const { bavail } = await statfs(node.dataDir);
      if (bavail > 0) faults.push(`the disk of ${node.name} was not full`);
    }
    await sleep(15_000);
  } finally {
    for (const node of nodes) await node.stop();
    for (const node of mounted) spawnSync('umount', [node.dataDir]);
    for (const node of nodes) await node.start();
  }
  return faults;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'nothing',
    short: true,
    async run() {
      await sleep(10_000);
      return [];
    },
  },
  { name: 'an API node killed', short: true, run: killed(fleet => fleet.apis[1]) },
  { name: 'a worker killed', short: true, run: killed(fleet => fleet.workers[0], 15_000) },
  {
    name: `a worker stopped for ${PAST_THE_LEASE_MS / 1_000} s, then woken`,
    short: false,
    run: stopped(fleet => fleet.workers[1], PAST_THE_LEASE_MS),
  },
  { name: 'an API node stopped for 15 s, then woken', short: false, run: stopped(fleet => fleet.apis[0], 15_000) },
  { name: `an API node and a worker ${AHEAD_SECONDS} s ahead`, short: false, run: clockAhead },
  {
    name: 'PostgreSQL restarted',
    short: true,
    async run({ database }) {
      await database.restartPrimary();
      return [];
    },
  },
  { name: 'the primary killed, the standby promoted 5 s later', short: true, run: failover },
  { name: `S3 away for ${AWAY_MS / 1_000} s`, short: false, run: storeAway },
  { name: 'Redis away for 10 s', short: false, run: redisAway },
  { name: 'every node restarted, one after another', short: false, run: rollingRestart },
  { name: 'the disks of an API node and a worker full', short: false, run: diskFull },
];
