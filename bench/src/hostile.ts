/**
 * Measures how much one account's pictures can harm other accounts, over HTTP on its own service and database:
 *
 *   npm run bench:hostile [-- --pictures 16 --waiting 1000 --write hostile.md]
 *
 * Memory: pictures of 100 megapixels, each sent as both frames, all at once, against the idle service. Fairness: the
 * time to a verdict behind another account's waiting pictures, against the time with nothing waiting.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { one, type Pool } from 'firsthand/platform/db/sql.ts';
import sharp from 'sharp';
import { MAIN } from '../../server/test/support/service-process.ts';
import { residentMb } from './cpu.ts';
import { median } from './measure.ts';
import { startOwnService } from './own-service.ts';
import {
  createVerification,
  phone,
  photograph,
  post,
  type Receiver,
  startReceiver,
  submitPicture,
} from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({ pictures: '16', waiting: '1000' });
const PICTURES = Number(options.pictures);
const WAITING = Number(options.waiting);
const THREADS = 2;
/** Captures of one verification: the maximum it accepts. */
const CAPTURES = 20;
/** Number of verdicts timed with nothing waiting, and of verdicts timed behind the other account. */
const SAMPLES = 5;

const service = await startOwnService({ ANALYSIS_THREADS: `${THREADS}` });
const { url, dataDir, tenant } = service;
const cleanups: (() => Promise<unknown>)[] = [service.close];
const report = createReport('What one account can do to the others with pictures');

async function runAll(): Promise<void> {
  const receiver = await startReceiver();
  cleanups.push(receiver.close);
  const photo = await photograph(1280, 960);
  const from = phone('127.0.4.1');
  // Warm up: the threads load and compile with their first pictures.
  for (let n = 0; n < 2 * THREADS; n += 1) await submitPicture(url, tenant, from, receiver, photo);
  await allCompleted(receiver);

  report.print(`${machine()}\n`);
  report.print('| what | measured | beside | ratio |\n|---|---|---|---|');
  await benchMemory(receiver);
  await benchFairness(receiver, photo);
}

async function allCompleted(receiver: Receiver): Promise<void> {
  while (receiver.completed.size < receiver.sent.size) await sleep(20);
}

// ---- Memory

async function benchMemory(receiver: Receiver): Promise<void> {
  const plain = () => sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#7a8' } });
  const kinds = [plain().png({ compressionLevel: 9 }), plain().jpeg({ progressive: true, chromaSubsampling: '4:4:4' })];
  const bodies = await Promise.all(
    kinds.map(async picture => pictureBody(await picture.toBuffer(), { asBothFrames: true })),
  );
  const idle = await residentMb(service.pid);
  receiver.reset();
  const sending = Array.from({ length: PICTURES }, (_, n) =>
    sendInline(tenant, `127.0.5.${n + 1}`, receiver, [bodies[n % bodies.length]!]),
  );
  await Promise.all(sending);
  await allCompleted(receiver);
  const peak = await residentMb(service.pid, 'VmHWM');
  report.print(
    `| resident memory, ${PICTURES} pictures of 100 megapixels at once, PNG and progressive JPEG in turns, peak | ${peak.toFixed(0)} MB | ${idle.toFixed(0)} MB before | ${(peak / idle).toFixed(1)} |`,
  );
}

const pictureBody = (bytes: Buffer, o: { asBothFrames: boolean }) => {
  const image = bytes.toString('base64');
  return { image_base64: image, ...(o.asBothFrames ? { motion_frame_base64: image } : {}) };
};

/** Creates a verification and sends its captures inline from one address. Resolves when all are accepted. */
async function sendInline(
  tenant: NewTenant,
  address: string,
  receiver: Receiver | null,
  bodies: readonly object[],
): Promise<void> {
  const from = phone(address);
  const { id } = await createVerification(url, tenant, from, {
    ...(receiver ? { webhook_url: receiver.url } : {}),
    max_captures: bodies.length,
    signals_required: ['screen', 'ai', 'reverse', 'depth'],
  });
  for (const body of bodies) await post(url, `/v1/verifications/${id}/captures`, body, from);
  receiver?.sent.set(id, Date.now());
  await from.close();
}

// ---- Fairness

async function benchFairness(receiver: Receiver, photo: Buffer): Promise<void> {
  const pool = await service.openPool(2);
  const created = await promisify(execFile)(process.execPath, [MAIN, 'create-tenant', 'Flood'], {
    env: { ...process.env, DATA_DIR: dataDir },
  });
  const other = JSON.parse(created.stdout) as NewTenant;

  const quiet = await verdicts(tenant, receiver, photo, pool, other);
  const verifications = Array.from({ length: Math.ceil(WAITING / CAPTURES) }, (_, n) => n);
  // Equal bytes count as one capture of a verification, so each picture ends in unique bytes that decoders ignore.
  const bodies = Array.from({ length: CAPTURES }, (_, n) =>
    pictureBody(Buffer.concat([photo, Buffer.from(`${n}`)]), { asBothFrames: false }),
  );
  for (let at = 0; at < verifications.length; at += 10) {
    const some = verifications.slice(at, at + 10);
    await Promise.all(some.map(n => sendInline(other, `127.0.6.${n + 1}`, null, bodies)));
  }
  const before = await waiting(pool, other);
  const behind = await verdicts(tenant, receiver, photo, pool, other);
  const [quietMs, behindMs] = [median(quiet.ms), median(behind.ms)];
  report.print(
    `| accepted photo to verdict behind ${before} waiting pictures of another account, p50 of ${SAMPLES} | ${behindMs.toFixed(0)} ms | ${quietMs.toFixed(0)} ms with nothing waiting | ${(behindMs / quietMs).toFixed(1)} |`,
  );
  report.print(
    `| analyses of the other account that began before the photo's, most of ${SAMPLES} | ${Math.max(...behind.overtaken)} | ${THREADS} threads | ${(Math.max(...behind.overtaken) / THREADS).toFixed(1)} |`,
  );
}

const waiting = async (pool: Pool, tenant: NewTenant): Promise<number> => {
  const row = await one<{ count: number }>(
    pool,
    `select count(*)::int as count from captures c join verifications v on v.id = c.verification_id
     where v.tenant_id = $1 and c.analysis_state = 'pending'`,
    [tenant.tenant_id],
  );
  return row!.count;
};

/**
 * Returns the milliseconds from acceptance to verdict, one photo after another, and the number of analyses of `other` that began meanwhile.
 */
async function verdicts(tenant: NewTenant, receiver: Receiver, photo: Buffer, pool: Pool, other: NewTenant) {
  const from = phone('127.0.4.2');
  const ms: number[] = [];
  const overtaken: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    receiver.reset();
    await submitPicture(url, tenant, from, receiver, photo);
    const [[id, sentAt]] = [...receiver.sent] as [[string, number]];
    const accepted = await begun(pool, other, id);
    let last = accepted;
    while (!last.own) last = await begun(pool, other, id);
    overtaken.push(last.others - accepted.others);
    await allCompleted(receiver);
    ms.push(receiver.completed.get(id)!.verdictAt - sentAt);
  }
  await from.close();
  return { ms, overtaken };
}

/** Returns whether the analysis of a verification's capture has begun, and how many of `other` have. */
async function begun(pool: Pool, other: NewTenant, id: string): Promise<{ own: boolean; others: number }> {
  const row = await one<{ own: boolean; others: number }>(
    pool,
    `select (select bool_and(analysis_attempts > 0) from captures where verification_id = $1) as own,
       (select count(*)::int from captures c join verifications v on v.id = c.verification_id
        where v.tenant_id = $2 and c.analysis_attempts > 0) as others`,
    [id, other.tenant_id],
  );
  return row!;
}

try {
  await runAll();
  report.write(options.write);
} catch (error) {
  // Prints the error before the cleanup, which may fail too.
  console.error(error, service.output());
  process.exitCode = 1;
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
