// How long the API takes to answer while every core analyses pictures, beside the same requests with nothing to analyse, in turns on one
// running service: node bench/src/latency.ts [--seconds 6] [--rounds 3]
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { firstRunOf, freePort, startServiceProcess } from '../../server/test/service-process.ts';
import { createVerification, phone, photograph, startReceiver, submitPicture } from './ends.ts';
import { median, percentile } from './measure.ts';

/** Between two requests of the client that is measured. */
const PAUSE_MS = 20;
/** Pictures that wait at any time while it is measured under load. */
const BACKLOG = 6;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '6' }, rounds: { type: 'string', default: '3' } },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const service = startServiceProcess({
  dataDir: join(folder, 'data'),
  port,
  env: { HOST: '127.0.0.1', ANALYSIS_THREADS: `${cpus().length}`, LOG_LEVEL: 'error', RATE_LIMIT_PER_MINUTE: '100000' },
});
const receiver = await startReceiver();
try {
  await service.ready();
  const tenant = await firstRunOf(join(folder, 'data'));
  const client = new Agent();
  const { id } = await createVerification(url, tenant, client, {});
  const read = async () => {
    const answer = await request(`${url}/v1/verifications/${id}`, {
      dispatcher: client,
      headers: { authorization: `Bearer ${tenant.rk_secret}` },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  };
  const create = () => createVerification(url, tenant, client, {});

  /** Milliseconds of each request, paced, until the time is over. */
  const measure = async () => {
    const times = { read: [] as number[], create: [] as number[] };
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
    return times;
  };

  const bytes = await photograph(4000, 3000);
  const phones = Array.from({ length: 50 }, (_, n) => phone(`127.0.3.${n + 1}`));
  let turn = 0;
  const send = () => submitPicture(url, tenant, phones[turn++ % phones.length]!, receiver, bytes);
  const waiting = () => receiver.sent.size - receiver.completed.size;
  await send();
  while (waiting() > 0) await sleep(50);

  const idle: Awaited<ReturnType<typeof measure>>[] = [];
  const busy: typeof idle = [];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await measure());
    let feeding = true;
    const feeder = (async () => {
      while (feeding) {
        if (waiting() < BACKLOG) await send();
        else await sleep(10);
      }
    })();
    while (waiting() < BACKLOG) await sleep(10);
    busy.push(await measure());
    feeding = false;
    await feeder;
    while (waiting() > 0) await sleep(50);
  }
  console.log('| request | percentile | nothing to analyse | every core analyses | times |\n|---|---|---|---|---|');
  for (const kind of ['read', 'create'] as const) {
    for (const p of [0.5, 0.99]) {
      const [quiet, loaded] = [idle, busy].map(all => median(all.map(times => percentile(times[kind], p)))) as [
        number,
        number,
      ];
      console.log(
        `| ${kind} a verification | p${p * 100} | ${quiet.toFixed(1)} ms | ${loaded.toFixed(1)} ms | ${(loaded / quiet).toFixed(1)} |`,
      );
    }
  }
} catch (error) {
  console.error(error, service.output());
  process.exitCode = 1;
} finally {
  await receiver.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
