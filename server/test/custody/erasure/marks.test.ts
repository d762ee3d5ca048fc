import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, type TestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { startOnOwnDatabase } from '../../support/own-database.ts';
import { MAIN } from '../../support/service-process.ts';
import { MARKS, type Marked, plantMarks } from './marked.ts';
import { found, type Trace, tracesInDatabase, tracesInFolder } from './traces.ts';

let folder: string;
let dataDir: string;
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
let service: TestService;
let marked: Marked;
const logged: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-restore-'));
  dataDir = join(folder, 'data');
  mailbox = await openMailbox();
  await start();
});
afterAll(async () => {
  await service?.stop();
  await marked?.receiver.close();
  await mailbox?.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startOnOwnDatabase(dataDir, { SMTP_URL: mailbox.url });
}
async function stop(): Promise<void> {
  await service.stop();
  logged.push(...service.logged);
}

const all = Object.values(MARKS);
const traces = async (): Promise<Trace[]> => [
  ...(await tracesInDatabase(service.deps.db, service.deps.keyring, all)),
  ...(await tracesInFolder(join(dataDir, 'blobs'), all)),
];
/** The last webhook still needs its address; nothing else is left from the start. */
async function nothingLeft(): Promise<void> {
  expect((await traces()).filter(({ where }) => where !== 'public.webhook_endpoints')).toEqual([]);
  await until(async () => (await traces()).length === 0, 'the address to go');
}
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
const send = <T>(rest = '', body?: object) =>
  ask<T>(service, `/v1/verifications/${marked.id}${rest}`, { key: service.tenant.rk_secret, ...(body && { body }) });
let receipt: RedactionReceipt;

it('POST /v1/verifications/:id/redact leaves none of its marks in any table, any object of the store or any line of the log', async () => {
  marked = await plantMarks(service);
  const before = await traces();
  const planted = new Set(before.map(({ mark }) => mark));
  // A caller's key is stored as its hash, and an answer that was replaced is gone.
  expect(all.filter(mark => !planted.has(mark))).toEqual([MARKS.idempotencyKey, MARKS.replaced]);
  expect(before.length).toBeGreaterThan(30);
  await stop();
  copy(dataDir, join(folder, 'backup'));
  await start();

  // The picture, its preview and the strip of the trace.
  const links = marked.links.map(link => service.url + new URL(link).pathname + new URL(link).search);
  const statuses = () => Promise.all(links.map(async link => (await fetch(link)).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  const { status, text, body } = await send<RedactionReceipt>('/redact', {});
  expect(status, text).toBe(200);
  receipt = body;
  expect(await statuses()).toEqual([404, 404, 404]);
  const { bodies } = marked.receiver;
  await until(async () => bodies.some(body => body.includes('verification.redacted')), 'the webhook');
  expect(found(bodies.find(body => body.includes('verification.redacted'))!, all, 'webhook')).toEqual([]);
  await nothingLeft();
  const read = await send<Verification>();
  expect(found(read.text, all, 'view')).toEqual([]);
  expect(read.body).toMatchObject({ status: 'completed', captures: [], captures_count: 1 });
  await stop();
  expect(found(logged.join('\n'), all, 'log')).toEqual([]);
}, 240_000);

it('the first start after a restore erases again what a backup brought back, before it serves anybody', async () => {
  // The database as the backup has it; the blob store stays.
  await rm(join(dataDir, 'postgres'), { recursive: true });
  copy(join(folder, 'backup', 'postgres'), join(dataDir, 'postgres'));
  await start();
  expect(service.logged.join('\n')).toContain('verifications redacted since then were erased again');
  expect((await send()).body).toMatchObject({ redacted_at: receipt.redacted_at, captures: [] });
  expect((await send('/redaction')).body).toEqual(receipt);
  await nothingLeft();
  await stop();
  expect(found(logged.join('\n'), all, 'log')).toEqual([]);

  // The blob store as the backup has it, but for the receipts.
  for (const kind of ['captures', 'previews']) {
    await rm(join(dataDir, 'blobs', 'objects', kind), { recursive: true, force: true });
    copy(join(folder, 'backup', 'blobs', 'objects', kind), join(dataDir, 'blobs', 'objects', kind));
  }
  expect((await tracesInFolder(join(dataDir, 'blobs'), all)).length).toBeGreaterThan(0);
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'restore-check'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
  });
  expect(JSON.parse(stdout)).toEqual({ receipts: 1, erased_again: 0 });
  expect(await tracesInFolder(join(dataDir, 'blobs'), all)).toEqual([]);
  expect(await readFile(join(dataDir, 'first-run.json'), 'utf8')).toContain(service.tenant.tenant_id);
}, 240_000);
