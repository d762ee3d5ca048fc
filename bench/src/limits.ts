/**
 * Measures whether two nodes keep a tenant's rate limit under many parallel clients, and what that costs another tenant. Runs two service
 * processes on their own PostgreSQL. `--clients` hammer one tenant; another tenant asks five times a second, first with nobody beside it.
 *
 * node bench/src/limits.ts [--seconds 60] [--clients 50] [--limit 600] [--pause-ms 0] [--redis URL]
 *
 * Exits with 1 when the number of admitted requests is more than 2% off the limit.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTenant } from 'firsthand/identity/tenants/create.ts';
import { transaction } from 'firsthand/platform/db/sql.ts';
import { createKeyring } from 'firsthand/platform/lib/keyring.ts';
import { Agent, request } from 'undici';
import { arrivals, percentile } from './measure.ts';
import { type OwnNodes, withOwnNodes } from './own-nodes.ts';
import { machine, optionsOf } from './report.ts';

const options = optionsOf({ seconds: '60', clients: '50', limit: '600', 'pause-ms': '0', redis: undefined });
const SECONDS = Number(options.seconds);
const CLIENTS = Number(options.clients);
const LIMIT = Number(options.limit);
const PAUSE_MS = Number(options['pause-ms']);
const WINDOW_MS = 60_000;
const TOLERANCE = 0.02;
const QUIET_SECONDS = 10;

const key = randomBytes(32);
await withOwnNodes(
  {
    env: {
      ENCRYPTION_KEYS: key.toString('base64'),
      RATE_LIMIT_PER_MINUTE: `${LIMIT}`,
      ...(options.redis && { REDIS_URL: options.redis }),
    },
  },
  run,
);

async function run({ pool, start, atEnd }: OwnNodes): Promise<void> {
  const nodes = [await start('serve'), await start('serve')];
  const deps = { keyring: createKeyring([key]), clock: { now: () => new Date() } };
  const [hammered, other] = await transaction(pool, async tx => [
    await createTenant(tx, deps, 'hammered'),
    await createTenant(tx, deps, 'other'),
  ]);
  const agentOf = (connections: number): Agent => {
    const agent = new Agent({ connections });
    atEnd(() => agent.close());
    return agent;
  };
  let turn = 0;
  const asker = (token: string, dispatcher: Agent) => async (): Promise<number> => {
    turn += 1;
    const answer = await request(`${nodes[turn % nodes.length]!.url}/v1/verifications?limit=1`, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  const quietly = asker(other!.pk_live, agentOf(4));
  await latencies(quietly, 2);
  const quiet = await latencies(quietly, QUIET_SECONDS);
  const hammer = hammerOf(asker(hammered!.pk_live, agentOf(CLIENTS)));
  const [beside] = await Promise.all([latencies(quietly, SECONDS), hammer.run()]);
  print({ quiet, beside, ...hammer });
}

/** Milliseconds of the requests of a tenant that asks five times a second, and what refused it. */
interface Latencies {
  ms: number[];
  refused: number[];
}

async function latencies(ask: () => Promise<number>, seconds: number): Promise<Latencies> {
  const found: Latencies = { ms: [], refused: [] };
  const once = async () => {
    const start = performance.now();
    const status = await ask();
    found.ms.push(performance.now() - start);
    if (status !== 200) found.refused.push(status);
  };
  await arrivals(once, { perSecond: 5, seconds });
  return found;
}

/** `admitted`: when each admitted request was answered. */
function hammerOf(ask: () => Promise<number>) {
  const admitted: number[] = [];
  const refused: number[] = [];
  const client = async (start: number) => {
    while (performance.now() - start < SECONDS * 1_000) {
      const status = await ask();
      if (status === 200) admitted.push(performance.now() - start);
      else refused.push(status);
      if (PAUSE_MS) await sleep(PAUSE_MS);
    }
  };
  const run = async (): Promise<void> => {
    const start = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, () => client(start)));
  };
  return { admitted, refused, run };
}

function print(o: { quiet: Latencies; beside: Latencies; admitted: number[]; refused: number[] }): void {
  const { admitted, quiet, beside } = o;
  // The most requests admitted in any minute of the run, and the number expected in the whole run.
  const most = Math.max(...admitted.map(at => admitted.filter(t => t > at - WINDOW_MS && t <= at).length));
  const due = LIMIT * Math.ceil((SECONDS * 1_000) / WINDOW_MS);
  const limited = o.refused.filter(status => status === 429).length;
  const faults = o.refused.filter(status => status !== 429);
  const shown = ({ ms }: Latencies) =>
    `p50 ${percentile(ms, 0.5).toFixed(1)} ms, p95 ${percentile(ms, 0.95).toFixed(1)} ms`;
  console.log(`\n${machine()}
${CLIENTS} clients on 2 nodes for ${SECONDS} s, windows in ${options.redis ? 'Redis' : 'PostgreSQL'}

let through        ${admitted.length} of ${due} (${(100 * (admitted.length / due - 1)).toFixed(2)}% off)
in any one minute  ${most} of ${LIMIT}
refused            ${limited} (${Math.round(limited / SECONDS)}/s)
other answers      ${faults.length === 0 ? 'none' : [...new Set(faults)].join(', ')}
other tenant       ${shown(quiet)} by itself (${quiet.ms.length} requests)
                   ${shown(beside)} beside them (${beside.ms.length} requests)
                   refused ${quiet.refused.length + beside.refused.length}`);
  const off = (Math.max(most, admitted.length) - due) / due;
  const under = (due - admitted.length) / due;
  if (off > TOLERANCE || under > TOLERANCE || most > LIMIT * (1 + TOLERANCE)) process.exitCode = 1;
}
