/**
 * Measures whether two nodes keep a tenant's rate limit under many parallel clients, and what that costs another tenant. Runs two service
 * processes on their own PostgreSQL. `--clients` hammer one tenant; another tenant asks five times a second, first alone, then beside them.
 *
 * node bench/src/limits.ts [--seconds 60] [--clients 50] [--limit 600] [--pause-ms 0] [--redis URL]
 *
 * Exits with 1 when the number of admitted requests is more than 2% off the limit.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTenant } from 'firsthand/identity/tenants/create.ts';
import { startEmbeddedPostgres } from 'firsthand/platform/db/embedded.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import { transaction } from 'firsthand/platform/db/sql.ts';
import { createKeyring } from 'firsthand/platform/lib/keyring.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { Agent, request } from 'undici';
import { freePort, startServiceProcess } from '../../server/test/support/service-process.ts';
import { arrivals, percentile } from './measure.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '50' },
    limit: { type: 'string', default: '600' },
    'pause-ms': { type: 'string', default: '0' },
    redis: { type: 'string' },
  },
});
const [seconds, clients, limit, pauseMs] = [values.seconds, values.clients, values.limit, values['pause-ms']].map(
  Number,
);
const WINDOW_MS = 60_000;
const TOLERANCE = 0.02;
const QUIET_SECONDS = 10;

const log = createLog('error');
const folder = await mkdtemp(join(tmpdir(), 'fh-bench-limits-'));
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];

async function run(): Promise<void> {
  const database = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), log });
  cleanups.push(() => database.stop());
  const key = randomBytes(32);
  const nodes: string[] = [];
  for (const name of ['a', 'b']) {
    const node = startServiceProcess({
      dataDir: join(folder, name),
      port: await freePort(),
      env: {
        DATABASE_URL: database.url,
        ENCRYPTION_KEYS: key.toString('base64'),
        RATE_LIMIT_PER_MINUTE: `${limit}`,
        LOG_LEVEL: 'error',
        ...(values.redis ? { REDIS_URL: values.redis } : {}),
      },
    });
    cleanups.push(() => node.stop());
    await node.ready();
    nodes.push(node.url);
  }
  const pool = createPool(database.url, 2, () => {});
  cleanups.push(() => pool.end());
  const deps = { keyring: createKeyring([key]), clock: { now: () => new Date() } };
  const [hammered, other] = await transaction(pool, async tx => [
    await createTenant(tx, deps, 'hammered'),
    await createTenant(tx, deps, 'other'),
  ]);

  const agent = new Agent({ connections: clients! });
  cleanups.push(() => agent.close());
  const quietAgent = new Agent({ connections: 4 });
  cleanups.push(() => quietAgent.close());
  let turn = 0;
  const ask = async (token: string, dispatcher: Agent): Promise<number> => {
    turn += 1;
    const answer = await request(`${nodes[turn % nodes.length]}/v1/verifications?limit=1`, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  const refusedOther: number[] = [];
  const latencies = async (forSeconds: number): Promise<number[]> => {
    const samples: number[] = [];
    const once = async () => {
      const start = performance.now();
      const status = await ask(other!.pk_live, quietAgent);
      samples.push(performance.now() - start);
      if (status !== 200) refusedOther.push(status);
    };
    await arrivals(once, { perSecond: 5, seconds: forSeconds });
    return samples;
  };

  await latencies(2);
  const quiet = await latencies(QUIET_SECONDS);
  const admitted: number[] = [];
  const faults: number[] = [];
  let refused = 0;
  const start = performance.now();
  const client = async () => {
    while (performance.now() - start < seconds! * 1000) {
      const status = await ask(hammered!.pk_live, agent);
      if (status === 200) admitted.push(performance.now() - start);
      else if (status === 429) refused += 1;
      else faults.push(status);
      if (pauseMs) await sleep(pauseMs);
    }
  };
  const [beside] = await Promise.all([latencies(seconds!), ...Array.from({ length: clients! }, client)]);

  // The most requests admitted in any minute of the run, and the number expected in the whole run.
  const most = Math.max(...admitted.map(at => admitted.filter(t => t > at - WINDOW_MS && t <= at).length));
  const due = limit! * Math.ceil((seconds! * 1000) / WINDOW_MS);
  const off = (Math.max(most, admitted.length) - due) / due;
  const under = (due - admitted.length) / due;
  const ms = (samples: readonly number[], p: number) => `${percentile(samples, p).toFixed(1)} ms`;
  console.log(`\n${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}`);
  console.log(`${clients} clients on 2 nodes for ${seconds} s, windows in ${values.redis ? 'Redis' : 'PostgreSQL'}\n`);
  console.log(
    `let through        ${admitted.length} of ${due} (${(100 * (admitted.length / due - 1)).toFixed(2)}% off)`,
  );
  console.log(`in any one minute  ${most} of ${limit}`);
  console.log(`refused            ${refused} (${Math.round(refused / seconds!)}/s)`);
  console.log(`other answers      ${faults.length === 0 ? 'none' : [...new Set(faults)].join(', ')}`);
  console.log(`other tenant       p50 ${ms(quiet, 0.5)}, p95 ${ms(quiet, 0.95)} alone (${quiet.length} requests)`);
  console.log(
    `                   p50 ${ms(beside, 0.5)}, p95 ${ms(beside, 0.95)} beside them (${beside.length} requests)`,
  );
  console.log(`                   refused ${refusedOther.length}`);
  if (off > TOLERANCE || under > TOLERANCE || most > limit! * (1 + TOLERANCE)) process.exitCode = 1;
}

try {
  await run();
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
