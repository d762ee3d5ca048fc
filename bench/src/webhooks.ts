// Measures webhook delivery against the same POSTs sent by bare undici to the same receiver, and how soon an event goes
// out:
//   node bench/src/webhooks.ts [--events 20000] [--rounds 5] [--write FILE]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import { announceEvents } from 'firsthand/delivery/webhooks/announce.ts';
import { startDispatcher } from 'firsthand/delivery/webhooks/dispatcher.ts';
import { createTenant } from 'firsthand/identity/tenants/create.ts';
import { openDeps } from 'firsthand/open.ts';
import { readConfig } from 'firsthand/platform/config/config.ts';
import { migrate } from 'firsthand/platform/db/migrate.ts';
import { transaction } from 'firsthand/platform/db/sql.ts';
import type { Deps } from 'firsthand/platform/deps.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { issue } from 'firsthand/verification/verifications/issue.ts';
import { Agent, request } from 'undici';
import { median, percentile } from './measure.ts';
import { createReport, optionsOf } from './report.ts';

/** The number of connections that the service opens to one endpoint. */
const CONNECTIONS = 32;
const LATENCY_EVENTS = 300;
const LIMIT_MS = 100;
const LIMIT_FACTOR = 2;

const now = () => performance.timeOrigin + performance.now();

interface Arrivals {
  /** Milliseconds since 1970 of the first request under each webhook-id. */
  at: Record<string, number>;
  requests: number;
}

/** Runs the receiver in a separate process. */
async function receive(): Promise<void> {
  let arrivals: Arrivals = { at: {}, requests: 0 };
  const { url, received } = await receiveWebhooks((response, { id, at }) => {
    arrivals.at[id] ??= at;
    arrivals.requests += 1;
    received.length = 0;
    response.writeHead(204).end();
  });
  process.on('message', message => {
    if (message === 'count') process.send?.({ requests: arrivals.requests });
    else {
      process.send?.(arrivals);
      arrivals = { at: {}, requests: 0 };
    }
  });
  process.send?.({ url });
}

const ask = async <T>(receiver: ChildProcess, message: string): Promise<T> => {
  const answer = once(receiver, 'message');
  receiver.send(message);
  return (await answer)[0] as T;
};

const untilReceived = async (receiver: ChildProcess, count: number): Promise<Arrivals> => {
  while ((await ask<{ requests: number }>(receiver, 'count')).requests < count) await sleep(5);
  return ask<Arrivals>(receiver, 'take');
};

async function main(): Promise<void> {
  const options = optionsOf({ events: '20000', rounds: '5' });
  const receiver = fork(fileURLToPath(import.meta.url));
  const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0' });
  const { deps, close } = await openDeps(config, createLog('warn'), { database: 'own' });
  try {
    await migrate(deps.db, deps.log);
    const { tenant_id } = await transaction(deps.db, tx => createTenant(tx, deps, 'Bench'));
    const rounds: Round[] = [];
    // The first round only warms both up and does not count.
    for (let round = 0; round <= Number(options.rounds); round += 1)
      rounds.push(await measureRound(deps, receiver, { tenantId: tenant_id, url, events: Number(options.events) }));
    const waits = await latency(deps, receiver, tenant_id, url);
    print(rounds.slice(1), waits, options.write);
  } finally {
    receiver.kill();
    await close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Deliveries a second: of queued ones, of recorded events, and of the same POSTs by bare undici. */
interface Round {
  ours: number;
  whole: number;
  bare: number;
}

/** Vacuums before it measures, so that no clean-up after recording slows the measurement. */
async function measureRound(
  deps: Deps,
  receiver: ChildProcess,
  { tenantId, url, events }: { tenantId: string; url: string; events: number },
): Promise<Round> {
  const ids = await record(deps, tenantId, url, events);
  await deps.db.query('vacuum analyze');
  const { rows } = await deps.db.query<{ body: string }>('select body from events where id = any($1)', [ids]);
  const bodies = rows.map(row => row.body);
  const bare = await sendBare(receiver, url, bodies);
  const whole = await deliver(deps, receiver, events);
  await record(deps, tenantId, url, events);
  while ((await announceEvents(deps)).taken > 0);
  await deps.db.query('vacuum analyze');
  return { bare, whole, ours: await deliver(deps, receiver, events) };
}

function print(rounds: Round[], waits: number[], file: string | undefined): void {
  // Compares round by round, because other load on the machine slows both.
  const factors = rounds.map(({ bare, ours }) => bare / ours);
  const factor = median(factors);
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
  const report = createReport('Webhooks sent a second');
  report.print('| | measured | limit |\n|---|---|---|');
  for (const [what, kind] of [
    ['queued deliveries a second: claimed, signed, sent, written down', 'ours'],
    ['the same from the recorded event on, announced as well', 'whole'],
    [`the same POSTs by bare undici over ${CONNECTIONS} connections`, 'bare'],
  ] as const) {
    const rates = rounds.map(round => round[kind]);
    report.row(what, `${median(rates).toFixed(0)} (rounds: ${rates.map(rate => rate.toFixed(0)).join(', ')})`, '');
  }
  const each = factors.map(f => f.toFixed(2)).join(', ');
  report.row('factor, of each round and the middle one', `${factor.toFixed(2)} (${each})`, LIMIT_FACTOR);
  report.row('commit to first attempt, idle queue, p50', `${p50.toFixed(1)} ms`, '');
  report.row('commit to first attempt, idle queue, p99', `${p99.toFixed(1)} ms`, `${LIMIT_MS} ms`);
  report.write(file);
  if (factor > LIMIT_FACTOR || p99 > LIMIT_MS) process.exitCode = 1;
}

/** Creates verifications with their events while no worker runs. Returns the event ids. */
async function record(deps: Deps, tenantId: string, url: string, count: number): Promise<string[]> {
  const before = new Date();
  for (let left = count; left > 0; left -= 500) {
    await transaction(deps.db, async tx => {
      for (let n = 0; n < Math.min(500, left); n += 1) {
        await issue(tx, deps, { tenantId, livemode: true, request: { webhook_url: url, metadata: { n: `${n}` } } });
      }
    });
  }
  const { rows } = await deps.db.query<{ id: string }>('select id from events where created_at >= $1', [before]);
  return rows.map(row => row.id);
}

/** Returns the deliveries per second from the start of the dispatcher on a full queue to the last arrival. */
async function deliver(deps: Deps, receiver: ChildProcess, count: number): Promise<number> {
  const started = now();
  const dispatcher = await startDispatcher(deps, { alone: true });
  const arrivals = await untilReceived(receiver, count);
  const seconds = (Math.max(...Object.values(arrivals.at)) - started) / 1_000;
  while ((await deps.db.query('select 1 from webhook_queue union all select 1 from webhook_claims limit 1')).rowCount)
    await sleep(20);
  await dispatcher.stop();
  if (Object.keys(arrivals.at).length !== count) throw new Error('not every event arrived');
  return count / seconds;
}

async function sendBare(receiver: ChildProcess, url: string, bodies: string[]): Promise<number> {
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const started = now();
  let next = 0;
  const work = async () => {
    while (next < bodies.length) {
      const body = bodies[next]!;
      next += 1;
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'firsthand-webhooks',
        'webhook-id': `bare-${next}`,
        'webhook-timestamp': '1700000000',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const arrivals = await untilReceived(receiver, bodies.length);
  await dispatcher.close();
  return bodies.length / ((Math.max(...Object.values(arrivals.at)) - started) / 1_000);
}

/** Returns the milliseconds from each commit to the arrival of the first attempt. */
async function latency(deps: Deps, receiver: ChildProcess, tenantId: string, url: string): Promise<number[]> {
  const dispatcher = await startDispatcher(deps, { alone: true });
  const committed = new Map<string, number>();
  await sleep(1_500);
  for (let n = 0; n < LATENCY_EVENTS; n += 1) {
    const row = await transaction(deps.db, tx =>
      issue(tx, deps, { tenantId, livemode: true, request: { webhook_url: url } }),
    );
    committed.set(row.id, now());
    await sleep(20 + Math.random() * 20);
  }
  const { at } = await untilReceived(receiver, LATENCY_EVENTS);
  await dispatcher.stop();
  const { rows } = await deps.db.query<{ id: string; verification_id: string }>(
    'select id, verification_id from events where id = any($1)',
    [Object.keys(at)],
  );
  return rows.map(row => at[row.id]! - committed.get(row.verification_id)!);
}

if (process.send) await receive();
else await main();
