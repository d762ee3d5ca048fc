// Measures creates, captures, verdicts and webhooks with 1, 2 and 4 processes beside what this machine could do at most:
//   node bench/src/scaling.ts [--photos 60] [--seconds 6] [--write FILE]
// The limit is computed from the processor time that all processes together take for one, this program's clients included: so many would
// take all processors whole. Other programs take their part: how much of the rest was used shows whether the machine was the bound.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { newId } from 'firsthand/platform/lib/ids.ts';
import sharp from 'sharp';
import { Agent } from 'undici';
import { firstRunOf } from '../../server/test/support/service-process.ts';
import { cpuSeconds, idleSeconds, postmasterOf } from './cpu.ts';
import { type Node, type OwnNodes, withOwnNodes } from './own-nodes.ts';
import { phone, photograph, post } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({ photos: '60', seconds: '6' });
const PHOTOS = Number(options.photos);
const CREATE_MS = Number(options.seconds) * 1_000;
const PROCESSES = [1, 2, 4] as const;
/** Requests under way at once, over all API processes. */
const CLIENTS = 16;
/** Webhooks measured, and sent by each worker before: a new process takes twice the time for its first thousands. */
const WEBHOOKS = 6_000;
const WARM_WEBHOOKS = 3_000;
const CORES = availableParallelism();

const WORKS = ['creates', 'captures', 'verdicts', 'webhooks'] as const;
type Work = (typeof WORKS)[number];

interface Measured {
  perSecond: number;
  /** Of all processes, for one. */
  cpuMs: number;
  /** Used of the processor time that other programs left. */
  share: number;
}

const report = createReport('From one process to four');
await withOwnNodes(
  {
    settings: { max_connections: '200' },
    env: { DATABASE_POOL_SIZE: '8', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  },
  measure,
);
report.write(options.write);

async function measure(nodes: OwnNodes): Promise<void> {
  const receiver = await receiveWebhooks();
  nodes.atEnd(receiver.close);
  const photo = await photograph(1280, 960);
  report.print(
    `${machine()}. Clients, receiver and PostgreSQL run on the ` +
      'same machine. Creates and captures: 1, 2 and 4 API processes; verdicts and webhooks: 1, 2 and 4 workers with one analysis thread ' +
      'each. Photos of 1280 × 960.\n',
  );
  const found: Record<Work, Measured>[] = [];
  for (const processes of PROCESSES) {
    const measured = await atOnce(nodes, processes, photo, receiver.url);
    found.push(measured);
    console.error(processes, measured);
  }
  printTable(found);
}

async function startAll({ start }: OwnNodes, command: 'serve' | 'work', count: number): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let n = 0; n < count; n += 1) nodes.push(await start(command));
  return nodes;
}

/** Measures `work` of these nodes, which resolves to how many it did. */
async function timed({ dataDir }: OwnNodes, nodes: Node[], work: () => Promise<number>): Promise<Measured> {
  const postmaster = await postmasterOf(dataDir);
  const ours = () => cpuSeconds(process.pid, postmaster, ...nodes.map(node => node.pid));
  const [cpuBefore, idleBefore, began] = [await ours(), await idleSeconds(), performance.now()];
  const count = await work();
  const elapsed = (performance.now() - began) / 1_000;
  const used = (await ours()) - cpuBefore;
  const idle = (await idleSeconds()) - idleBefore;
  return { perSecond: count / elapsed, cpuMs: (1_000 * used) / count, share: used / (used + idle) };
}

async function inTurn(goesOn: (n: number) => boolean, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (goesOn(next)) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function atOnce(
  nodes: OwnNodes,
  processes: number,
  photo: Buffer,
  webhook_url: string,
): Promise<Record<Work, Measured>> {
  const apis = await startAll(nodes, 'serve', processes);
  const urlOf = (n: number) => apis[n % apis.length]!.url;
  const { creates, ids } = await createAll(nodes, apis, urlOf, webhook_url);
  const bodies = await Promise.all(Array.from({ length: PHOTOS }, (_, n) => bodyOf(photo, processes, n)));
  const captures = await timed(nodes, apis, async () => {
    await inTurn(
      n => n < PHOTOS,
      async n => {
        const dispatcher = phone(`127.0.${10 + processes}.${1 + (n % 250)}`);
        await post(urlOf(n), `/v1/verifications/${ids[n]}/captures`, bodies[n]!, dispatcher);
        await dispatcher.close();
      },
    );
    return PHOTOS;
  });
  // What waits is kept from the workers until all of them are ready.
  await nodes.pool.query("update captures set analysis_due_at = 'infinity' where analysis_state = 'pending'");
  await nodes.pool.query('delete from event_outbox');
  const workers = await startAll(nodes, 'work', processes);
  const verdicts = await timed(nodes, workers, () => analyseAll(nodes));
  await tell(nodes, ids[0]!, WARM_WEBHOOKS * processes);
  const webhooks = await timed(nodes, workers, () => tell(nodes, ids[0]!, WEBHOOKS));
  for (const node of [...workers, ...apis]) await node.stop();
  return { creates, captures, verdicts, webhooks };
}

async function createAll(nodes: OwnNodes, apis: Node[], urlOf: (n: number) => string, webhook_url: string) {
  const tenant = await firstRunOf(nodes.dataDir);
  const agent = new Agent();
  const ids: string[] = [];
  const create = async (n: number) => {
    const body = { max_captures: 1, webhook_url };
    ids.push((await post<Verification>(urlOf(n), '/v1/verifications', body, agent, tenant.pk_test)).id);
  };
  // Whatever is compiled or filled once.
  await inTurn(n => n < 200, create);
  const creates = await timed(nodes, apis, async () => {
    const before = ids.length;
    const end = performance.now() + CREATE_MS;
    await inTurn(() => performance.now() < end, create);
    return ids.length - before;
  });
  await agent.close();
  return { creates, ids };
}

/** The body of a capture whose photo is like no other. */
async function bodyOf(photo: Buffer, processes: number, n: number): Promise<{ image_base64: string }> {
  const tinted = await sharp(photo)
    .modulate({ brightness: 1 + n / 1_000 })
    .withExif({ IFD0: { ImageDescription: `${processes} ${n}` } })
    .jpeg({ quality: 92 })
    .toBuffer();
  return { image_base64: tinted.toString('base64') };
}

async function analyseAll({ pool, number }: OwnNodes): Promise<number> {
  await pool.query("update captures set analysis_due_at = now() where analysis_state = 'pending'");
  while ((await number("select count(*) as n from captures where analysis_state = 'pending'")) > 0) await sleep(20);
  return PHOTOS;
}

/** Records further events of one verification, all to the same address, and waits until their webhooks are sent. */
async function tell({ pool, number }: OwnNodes, id: string, count: number): Promise<number> {
  const events = Array.from({ length: count }, () => newId('evt'));
  await pool.query(
    `insert into events (id, tenant_id, livemode, verification_id, type, public_type, body, created_at)
     select n.id, e.tenant_id, e.livemode, e.verification_id, e.type, e.public_type, e.body, now()
     from events e cross join unnest($1::text[]) as n (id) where e.verification_id = $2 and e.sequence = 1`,
    [events, id],
  );
  await pool.query('insert into event_outbox select unnest($1::text[])', [events]);
  const left = `select (select count(*) from event_outbox) + (select count(*) from webhook_queue)
    + (select count(*) from webhook_claims) as n`;
  while ((await number(left)) > 0) await sleep(20);
  return count;
}

function printTable(found: Record<Work, Measured>[]): void {
  report.print(
    `| a second | ${PROCESSES.join(' | ')} | processor time for one | all ${CORES} cores would do | used of the free processor time |\n|---|---|---|---|---|---|---|`,
  );
  const shown = (value: number) => value.toFixed(value < 100 ? 1 : 0);
  for (const what of WORKS) {
    const each = found.map(measured => measured[what]);
    const cheapest = Math.min(...each.map(({ cpuMs }) => cpuMs));
    report.row(
      what,
      ...each.map(({ perSecond }) => shown(perSecond)),
      `${each.map(({ cpuMs }) => shown(cpuMs)).join(', ')} ms`,
      shown((1_000 * CORES) / cheapest),
      each.map(({ share }) => `${(100 * share).toFixed(0)}%`).join(', '),
    );
  }
}
