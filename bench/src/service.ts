// `npm run bench [-- --write FILE]`: measures the service over HTTP, each number beside a limit measured in the same run.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import { openDiskStore } from 'firsthand/platform/blobs/disk.ts';
import { type Pool, transaction } from 'firsthand/platform/db/sql.ts';
import { newId } from 'firsthand/platform/lib/ids.ts';
import { issue } from 'firsthand/verification/verifications/issue.ts';
import sharp from 'sharp';
import { Agent } from 'undici';
import { cpuSeconds, residentMb } from './cpu.ts';
import { milliseconds, rate, sideBySide, watchPeak } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { createVerification, phone, photograph, type Receiver, startReceiver, submitPicture } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({});
const POOL_SIZE = 12;
const CONCURRENCY = 16;
const THREADS = 2;
const ROUNDS = 3;
const IDLE_MS = 30_000;
const MB = 1_048_576;

const rows: [what: string, measured: string, limit: string, against: string][] = [];
const note = (what: string, measured: string, limit: string, against: string) => {
  rows.push([what, measured, limit, against]);
  console.error(`  ${what}: ${measured} (${against}: ${limit})`);
};
const perSecond = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)}/s`;
const inMs = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const share = (measured: number, limit: number) => `${Math.round((100 * measured) / limit)}%`;

const service = await startOwnService({ DATABASE_POOL_SIZE: `${POOL_SIZE}`, ANALYSIS_THREADS: `${THREADS}` });
const { url, folder, tenant } = service;
const cleanups: (() => Promise<unknown>)[] = [service.close];

async function runAll(): Promise<void> {
  console.error(`The service was ready after ${inMs(service.readyAfterMs)}, its database created.`);
  const pool = await service.openPool(POOL_SIZE);
  const receiver = await startReceiver();
  cleanups.push(receiver.close);

  await untilIdle();
  // V8 collects what the start left behind only after some fifteen seconds without work.
  await sleep(IDLE_MS);
  const idle = await residentMb(service.pid);
  await benchCreation(pool);
  await benchCaptures(receiver, await photograph(1280, 960));
  await benchLarge();
  await benchMemory(receiver, idle);
}

/** The analysis threads load their models after the service is ready, which takes the processor from the first bench. */
async function untilIdle(): Promise<void> {
  let before = await cpuSeconds(service.pid);
  for (;;) {
    await sleep(1_000);
    const now = await cpuSeconds(service.pid);
    if (now - before < 0.1) return;
    before = now;
  }
}

// ---- Creation

async function benchCreation(pool: Pool): Promise<void> {
  const agent = new Agent({ connections: CONCURRENCY });
  const create = () => createVerification(url, tenant, agent, {});
  const bare = await bareTransaction(pool);
  const load = { concurrency: CONCURRENCY, seconds: 3 };
  await rate(create, { ...load, seconds: 1 });
  await rate(bare, { ...load, seconds: 1 });
  const { measured, limit } = await sideBySide(
    ROUNDS,
    () => rate(create, load),
    () => rate(bare, load),
  );
  await agent.close();
  note(
    'verifications created',
    perSecond(measured),
    perSecond(limit),
    `bare transactions of the same inserts, same pool size (${share(measured, limit)})`,
  );
}

/** Records the statements that create a verification, and returns a function that repeats them with new ids. */
async function bareTransaction(pool: Pool): Promise<() => Promise<void>> {
  const written: { text: string; values: unknown[] }[] = [];
  const undone = new Error('rolled back');
  let id = '';
  await transaction(pool, async tx => {
    const query = tx.query.bind(tx);
    const record = (text: string, values: unknown[] = []) => {
      if (!/^\s*select\s+(?!graphile_worker)/i.test(text)) written.push({ text, values });
      return query(text, values);
    };
    tx.query = record as typeof tx.query;
    const context = { clock: { now: () => new Date() }, origins: { public: url, capture: url } };
    try {
      ({ id } = await issue(tx, context, { tenantId: tenant.tenant_id, livemode: false, request: {} }));
    } finally {
      tx.query = query;
    }
    throw undone;
  }).catch(error => {
    if (error !== undone) throw error;
  });
  const event = JSON.stringify(written).match(/evt_[0-9A-Z]{26}/)?.[0];
  if (!event || written.length !== 2)
    throw new Error('creating a verification no longer writes what the bench expects');

  return async () => {
    const fresh: Record<string, string> = { [id]: newId('vfy'), [event]: newId('evt') };
    const renew = (value: unknown) =>
      typeof value === 'string' ? value.replace(/(vfy|evt)_[0-9A-Z]{26}/g, id => fresh[id] ?? id) : value;
    const connection = await pool.connect();
    try {
      await connection.query('begin');
      for (const { text, values } of written) await connection.query(text, values.map(renew));
      await connection.query('commit');
    } finally {
      connection.release();
    }
  };
}

// ---- Captures

const openAnalysis = (bytes: Buffer, threads: number) => {
  const { analyze, close } = createAnalysisPool({ threads, timeoutMs: 60_000, memoryMb: 768 });
  return { analyse: () => analyze({ bytes, signals: ['screen', 'ai'] }), close };
};

/** Analyses per second with every thread busy and nothing else running. */
async function limitOfAnalysis(bytes: Buffer): Promise<number> {
  const { analyse, close } = openAnalysis(bytes, THREADS);
  // Warm up: each thread loads and compiles with its first picture.
  await rate(analyse, { concurrency: THREADS, seconds: 2 });
  const analysed = await rate(analyse, { concurrency: THREADS, seconds: 4 });
  await close();
  return analysed;
}

async function benchCaptures(receiver: Receiver, bytes: Buffer): Promise<void> {
  const phones = Array.from({ length: 200 }, (_, n) => phone(`127.0.1.${n + 1}`));
  let turn = 0;
  const submit = async () => {
    turn += 1;
    return submitPicture(url, tenant, phones[turn % phones.length]!, receiver, bytes);
  };
  const before = await limitOfAnalysis(bytes);
  await benchAccepted(submit, bytes);
  const { waiting, through } = await throughput(receiver);
  // Measures the limit again, so that it is known before and after the run it is compared with.
  const after = await limitOfAnalysis(bytes);
  const analysed = (before + after) / 2;
  note(
    `captures to a verdict and its webhook (${waiting} waiting)`,
    perSecond(through),
    perSecond(analysed),
    `the analysis with nothing else running, ${THREADS} threads (${share(through, analysed)})`,
  );
  await Promise.all(phones.map(agent => agent.close()));
}

async function benchAccepted(submit: () => Promise<unknown>, bytes: Buffer): Promise<void> {
  const store = await openDiskStore({ folder: join(folder, 'limit'), secrets: [Buffer.alloc(32)], origin: () => url });
  const write = () => store.put(`captures/${newId('vfy')}/${newId('cap')}`, bytes, { contentType: 'image/jpeg' });
  const load = { concurrency: 8, seconds: 2 };
  const { measured, limit } = await sideBySide(
    ROUNDS,
    () => rate(submit, load),
    () => rate(write, load),
  );
  note(
    'captures accepted (created, uploaded, submitted)',
    perSecond(measured),
    perSecond(limit),
    `the same ${Math.round(bytes.length / 1024)} kB written durably to the same disk (${share(measured, limit)})`,
  );
}

/** How many verdicts a second the service reaches while accepted captures wait. */
async function throughput({ sent, completed }: Receiver): Promise<{ waiting: number; through: number }> {
  const already = completed.size;
  const began = performance.now();
  while (completed.size < sent.size) await sleep(20);
  const seconds = (performance.now() - began) / 1_000;
  return { waiting: sent.size - already, through: (completed.size - already) / seconds };
}

// ---- Large pictures

async function benchLarge(): Promise<void> {
  const bytes = await photograph(4000, 3000);
  const { analyse, close } = openAnalysis(bytes, 1);
  const decode = () => sharp(bytes).raw().toBuffer();
  const { measured, limit } = await sideBySide(
    ROUNDS,
    () => milliseconds(analyse, 3),
    () => milliseconds(decode, 3),
  );
  await close();
  note(
    `analysis of a 12-megapixel JPEG (${(bytes.length / MB).toFixed(1)} MB)`,
    inMs(measured),
    inMs(limit),
    `one plain full decode of it by sharp (${(measured / limit).toFixed(1)} times)`,
  );
}

async function benchMemory(receiver: Receiver, idle: number): Promise<void> {
  const bytes = await photograph(4000, 3000);
  const phones = Array.from({ length: 16 }, (_, n) => phone(`127.0.2.${n + 1}`));
  const stop = watchPeak(() => residentMb(service.pid));
  receiver.reset();
  await Promise.all(phones.map(agent => submitPicture(url, tenant, agent, receiver, bytes)));
  while (receiver.completed.size < receiver.sent.size) await sleep(20);
  const peak = await stop();
  await Promise.all(phones.map(agent => agent.close()));
  const pixels = (THREADS * 4000 * 3000 * 3) / MB;
  note(
    'resident memory, 16 phones send 12 megapixels at once (peak)',
    `${Math.round(peak)} MB`,
    `${Math.round(idle)} MB`,
    `idle ${IDLE_MS / 1_000} s after its start; ${THREADS} decoded pictures are ${Math.round(pixels)} MB`,
  );
}

function printTable(): void {
  const report = createReport('What the service costs');
  report.print(`\n${machine()}\n\n| What | Measured | Limit | The limit is |\n|---|---|---|---|`);
  for (const row of rows) report.row(...row);
  report.write(options.write);
}

try {
  await runAll();
  printTable();
} catch (error) {
  // Prints the error before the cleanup, which may fail too.
  console.error(error, service.output());
  process.exitCode = 1;
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
