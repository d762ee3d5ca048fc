/**
 * Measures how long the API takes to answer while hostile requests come in, and while every core analyses pictures. The
 * rounds alternate on one running service with two baselines of the same requests: one with nothing to analyse, and one
 * while as many processes only count, at the priority of the analysis. The second shows the cost of any background work
 * on this machine. The client is a separate process from the phones.
 *
 *     npm run bench:latency -- [--seconds 6] [--rounds 4] [--hostile 10]
 *
 * `--hostile`: hostile requests a second; 1000000 is a flood that only the senders' processor bounds.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { Agent, request } from 'undici';
import { median, percentile } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { createVerification, phone, photograph, startReceiver, submitPicture } from './receivers.ts';

/** Pause between two requests of the measured client. */
const PAUSE_MS = 20;
/** Pictures waiting for analysis at any time during the loaded measurement. */
const BACKLOG = 6;
/** The largest slowdown of a read (p99) while hostile requests arrive. */
const MOST_SLOWED = 3;
/** Maximum number of concurrent hostile requests. */
const HOSTILE_CONNECTIONS = 4;
/** The number the service accepts from one address: 600 a minute. */
const HOSTILE_PER_SECOND = 10;

/** Must equal the value in `forensics/src/running/worker-thread.ts`. */
const NICENESS = 10;

/** Duration of each request in milliseconds. */
type Times = Record<'read' | 'create', number[]>;

if (process.argv[2] === 'client') client(process.argv[3]!, JSON.parse(process.argv[4]!) as NewTenant);
else if (process.argv[2] === 'count') count();
else if (process.argv[2] === 'hostile') await hostile(process.argv[3]!, process.argv[4]!, Number(process.argv[5]));
else await main();

/** Sends paced requests for the given number of seconds and reports how long each took. */
function client(url: string, tenant: NewTenant): void {
  const dispatcher = new Agent();
  const create = () => createVerification(url, tenant, dispatcher, {});
  const existing = create();
  const read = async () => {
    const answer = await request(`${url}/v1/verifications/${(await existing).id}`, {
      dispatcher,
      headers: { authorization: `Bearer ${tenant.rk_secret}` },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  };
  process.on('message', async (seconds: number) => {
    const times: Times = { read: [], create: [] };
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      for (const [kind, work] of [
        ['read', read],
        ['create', create],
      ] as const) {
        const started = performance.now();
        await work();
        times[kind].push(performance.now() - started);
        await sleep(PAUSE_MS);
      }
    }
    process.send?.(times);
  });
}

function count(): void {
  setPriority(NICENESS);
  // If Linux shares the processor among sessions first (autogroup, sched(7)), niceness counts only inside a session.
  if (existsSync('/proc/self/autogroup')) writeFileSync('/proc/self/autogroup', `${NICENESS}`);
  for (;;) Math.random();
}

/** Sends `perSecond` requests with hostile bodies, credentials and ids, from separate addresses. */
async function hostile(url: string, id: string, perSecond: number): Promise<void> {
  // A real attacker uses another machine, so the sender must not take processor time from the service.
  setPriority(19);
  const began = performance.now();
  const dispatcher = new Agent({ connections: HOSTILE_CONNECTIONS });
  const members = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',');
  const picture = 'A'.repeat(8_000_000);
  const shots: [path: string, body: string][] = [
    ['/v1/trial/verifications', `{"steps":[${Array.from({ length: 1_600 }, () => '{}').join(',')}]}`],
    ['/v1/trial/verifications', `{${members(9_000)}}`],
    ['/v1/trial/verifications', '['.repeat(1_000_000)],
    [`/v1/verifications/${id}/answers`, `{"answers":{${members(999)}}}`],
    [`/v1/verifications/${id}/captures`, `{"image_base64":"${picture}","motion_frame_base64":"${picture}"}`],
    [`/v1/verifications/${id}/captures`, '{"a":'.repeat(3_000_000)],
    ['/v1/verifications', '{}'],
    ['/v1/verifications/%00/captures', '{}'],
  ];
  const bodies = shots.map(([path, body]) => [path, Buffer.from(body)] as const);
  let sent = 0;
  const one = async () => {
    for (;;) {
      sent += 1;
      await sleep(Math.max(0, began + (sent * 1_000) / perSecond - performance.now()));
      const [path, body] = bodies[sent % bodies.length]!;
      const answer = await request(`${url}${path}`, {
        dispatcher,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
          ...(path === '/v1/verifications' ? { authorization: `Bearer pk_test_${sent}` } : {}),
        },
        body,
      });
      await answer.body.dump();
      if (answer.statusCode >= 500) throw new Error(`answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: HOSTILE_CONNECTIONS }, one));
}

function startSelf(...args: string[]): ChildProcess {
  return fork(import.meta.filename, args, { detached: true });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '4' },
      hostile: { type: 'string', default: `${HOSTILE_PER_SECOND}` },
    },
  });
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  const service = await startOwnService({
    ANALYSIS_THREADS: `${cpus().length}`,
    RATE_LIMIT_PER_MINUTE: '100000',
    TRUSTED_PROXIES: '127.0.0.1,::1',
  });
  const { url, tenant } = service;
  const receiver = await startReceiver();
  const stops = [() => receiver.close(), service.close];
  const analysed: number[] = [];
  try {
    const requests = startSelf('client', url, JSON.stringify(tenant));
    stops.push(async () => void requests.kill());
    const measure = async (): Promise<Times> => {
      requests.send(seconds);
      return ((await once(requests, 'message')) as [Times])[0];
    };

    const bytes = await photograph(4000, 3000);
    const phones = Array.from({ length: 50 }, (_, n) => phone(`127.0.3.${n + 1}`));
    let turn = 0;
    const send = () => {
      turn += 1;
      return submitPicture(url, tenant, phones[turn % phones.length]!, receiver, bytes);
    };
    const waiting = () => receiver.sent.size - receiver.completed.size;
    await send();
    while (waiting() > 0) await sleep(50);

    const samples: Record<'idle' | 'hostile' | 'counting' | 'busy', Times[]> = {
      idle: [],
      hostile: [],
      counting: [],
      busy: [],
    };
    const target = await createVerification(url, tenant, new Agent(), {});
    for (let round = 0; round < rounds; round += 1) {
      samples.idle.push(await measure());

      const stranger = startSelf('hostile', url, target.id, values.hostile);
      stops.push(async () => void stranger.kill('SIGKILL'));
      await sleep(1000);
      samples.hostile.push(await measure());
      stranger.kill('SIGKILL');

      const counters = cpus().map(() => startSelf('count'));
      stops.push(async () => counters.forEach(counter => void counter.kill('SIGKILL')));
      await sleep(1000);
      samples.counting.push(await measure());
      for (const counter of counters) counter.kill('SIGKILL');

      let feeding = true;
      const feeder = (async () => {
        while (feeding) {
          if (waiting() < BACKLOG) await send();
          else await sleep(10);
        }
      })();
      while (waiting() < BACKLOG) await sleep(10);
      const [before, started] = [receiver.completed.size, performance.now()];
      samples.busy.push(await measure());
      analysed.push((receiver.completed.size - before) / ((performance.now() - started) / 1000));
      feeding = false;
      await feeder;
      while (waiting() > 0) await sleep(50);
    }
    console.log(
      '| request | percentile | nothing to analyse | while hostile requests come in | cores that count | cores that analyse |\n|---|---|---|---|---|---|',
    );
    for (const kind of ['read', 'create'] as const) {
      for (const p of [0.5, 0.99]) {
        const at = (all: Times[]) =>
          percentile(
            all.flatMap(times => times[kind]),
            p,
          );
        const [idle, counting, busy] = [at(samples.idle), at(samples.counting), at(samples.busy)];
        const against = (ms: number) => `${ms.toFixed(1)} ms (${(ms / idle).toFixed(1)})`;
        const attacked = against(at(samples.hostile));
        console.log(
          `| ${kind} a verification | p${p * 100} | ${idle.toFixed(1)} ms | ${attacked} | ${against(counting)} | ${against(busy)} |`,
        );
      }
    }
    const p99 = (all: Times[]) =>
      percentile(
        all.flatMap(times => times.read),
        0.99,
      );
    const slowed = p99(samples.hostile) / p99(samples.idle);
    console.log(
      `p99 of a read while hostile requests come in: ${slowed.toFixed(1)} times the quiet one (target ${MOST_SLOWED}: ${slowed <= MOST_SLOWED ? 'met' : 'missed'})`,
    );
    console.log(
      `${samples.idle.flatMap(times => times.read).length} requests of a kind; ${median(analysed).toFixed(1)} pictures a second`,
    );
  } catch (error) {
    console.error(error, service.output());
    process.exitCode = 1;
  } finally {
    for (const stop of stops) await stop();
  }
}
