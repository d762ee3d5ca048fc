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
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { Agent, request } from 'undici';
import { median, percentile } from './measure.ts';
import { type OwnService, startOwnService } from './own-service.ts';
import {
  ask,
  createVerification,
  phone,
  photograph,
  type Receiver,
  startReceiver,
  submitPicture,
} from './receivers.ts';
import { optionsOf } from './report.ts';

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
  const read = async () => ask(`${url}/v1/verifications/${(await existing).id}`, { key: tenant.rk_secret }, dispatcher);
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
  const options = optionsOf({ seconds: '6', rounds: '4', hostile: `${HOSTILE_PER_SECOND}` });
  const service = await startOwnService({
    ANALYSIS_THREADS: `${cpus().length}`,
    RATE_LIMIT_PER_MINUTE: '100000',
    TRUSTED_PROXIES: '127.0.0.1,::1',
  });
  const { url, tenant } = service;
  const receiver = await startReceiver();
  const stops: (() => unknown)[] = [service.close, () => receiver.close()];
  try {
    const requests = startSelf('client', url, JSON.stringify(tenant));
    stops.push(() => requests.kill());
    const measure = async (): Promise<Times> => {
      requests.send(Number(options.seconds));
      return ((await once(requests, 'message')) as [Times])[0];
    };
    const feeder = await openFeeder(service, receiver);
    const target = await createVerification(url, tenant, new Agent(), {});
    const samples: Samples = { idle: [], hostile: [], counting: [], busy: [] };
    const analysed: number[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      samples.idle.push(await measure());
      samples.hostile.push(await beside(1, ['hostile', url, target.id, options.hostile], measure));
      samples.counting.push(await beside(cpus().length, ['count'], measure));
      const { times, perSecond } = await feeder.during(measure);
      samples.busy.push(times);
      analysed.push(perSecond);
    }
    print(samples, analysed);
  } catch (error) {
    console.error(error, service.output());
    process.exitCode = 1;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

type Samples = Record<'idle' | 'hostile' | 'counting' | 'busy', Times[]>;

/** Measures while `count` processes run this file with `args`. */
async function beside(count: number, args: string[], measure: () => Promise<Times>): Promise<Times> {
  const others = Array.from({ length: count }, () => startSelf(...args));
  try {
    await sleep(1_000);
    return await measure();
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
}

/** Keeps pictures waiting for their analysis while something is measured. */
async function openFeeder({ url, tenant }: OwnService, receiver: Receiver) {
  const bytes = await photograph(4000, 3000);
  const phones = Array.from({ length: 50 }, (_, n) => phone(`127.0.3.${n + 1}`));
  let turn = 0;
  const send = () => {
    turn += 1;
    return submitPicture(url, tenant, phones[turn % phones.length]!, receiver, bytes);
  };
  const waiting = () => receiver.sent.size - receiver.completed.size;
  const untilDone = async () => {
    while (waiting() > 0) await sleep(50);
  };
  await send();
  await untilDone();
  return {
    async during(measure: () => Promise<Times>): Promise<{ times: Times; perSecond: number }> {
      let feeding = true;
      const feeder = (async () => {
        while (feeding) {
          if (waiting() < BACKLOG) await send();
          else await sleep(10);
        }
      })();
      while (waiting() < BACKLOG) await sleep(10);
      const [before, started] = [receiver.completed.size, performance.now()];
      const times = await measure();
      const perSecond = (receiver.completed.size - before) / ((performance.now() - started) / 1_000);
      feeding = false;
      await feeder;
      await untilDone();
      return { times, perSecond };
    },
  };
}

function print(samples: Samples, analysed: number[]): void {
  const at = (all: Times[], kind: keyof Times, p: number): number =>
    percentile(
      all.flatMap(times => times[kind]),
      p,
    );
  console.log(
    '| request | percentile | nothing to analyse | while hostile requests come in | cores that count | cores that analyse |\n|---|---|---|---|---|---|',
  );
  for (const kind of ['read', 'create'] as const) {
    for (const p of [0.5, 0.99]) {
      const idle = at(samples.idle, kind, p);
      const others = [samples.hostile, samples.counting, samples.busy].map(all => {
        const ms = at(all, kind, p);
        return `${ms.toFixed(1)} ms (${(ms / idle).toFixed(1)})`;
      });
      console.log(`| ${kind} a verification | p${p * 100} | ${idle.toFixed(1)} ms | ${others.join(' | ')} |`);
    }
  }
  const slowed = at(samples.hostile, 'read', 0.99) / at(samples.idle, 'read', 0.99);
  console.log(
    `p99 of a read while hostile requests come in: ${slowed.toFixed(1)} times the quiet one (target ${MOST_SLOWED}: ${slowed <= MOST_SLOWED ? 'met' : 'missed'})`,
  );
  const count = samples.idle.flatMap(times => times.read).length;
  console.log(`${count} requests of a kind; ${median(analysed).toFixed(1)} pictures a second`);
}
