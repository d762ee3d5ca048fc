import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, type TestService, until } from '../../support/harness.ts';
import { startOnOwnDatabase } from '../../support/own-database.ts';
import { MAIN } from '../../support/service-process.ts';
import { MARKS, type Marked, plantMarks } from './marked.ts';
import { type Trace, tracesInDatabase, tracesInFolder } from './traces.ts';

let folder: string;
let dataDir: string;
let running: TestService | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-restore-'));
  dataDir = join(folder, 'data');
});
afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = async () => (running = await startOnOwnDatabase(dataDir));

const all = Object.values(MARKS);
const traces = async (service: TestService): Promise<Trace[]> => [
  ...(await tracesInDatabase(service.deps.db, service.deps.keyring, all)),
  ...(await tracesInFolder(join(dataDir, 'blobs'), all)),
];
/** The last webhook still needs its address; nothing else is left from the start. */
async function nothingLeft(service: TestService): Promise<void> {
  expect((await traces(service)).filter(({ where }) => where !== 'public.webhook_endpoints')).toEqual([]);
  await until(async () => (await traces(service)).length === 0, 'the address to go');
}
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

it('the first start after a restore erases again what a backup brought back, before it serves anybody', async () => {
  let service = await start();
  const key = service.tenant.rk_secret;
  const marked: Marked = await plantMarks(service);
  expect((await traces(service)).length).toBeGreaterThan(30);
  await service.stop();
  copy(dataDir, join(folder, 'backup'));

  service = await start();
  const { body: receipt } = await ask<RedactionReceipt>(service, `/v1/verifications/${marked.id}/redact`, {
    key,
    body: {},
  });
  expect(receipt.verification_id).toBe(marked.id);
  await nothingLeft(service);
  await service.stop();

  // The database as the backup has it; the blob store stays.
  await rm(join(dataDir, 'postgres'), { recursive: true });
  copy(join(folder, 'backup', 'postgres'), join(dataDir, 'postgres'));
  service = await start();
  expect(service.logged.join('\n')).toContain('verifications redacted since then were erased again');
  const read = await ask<Verification>(service, `/v1/verifications/${marked.id}`, { key });
  expect(read.body).toMatchObject({ redacted_at: receipt.redacted_at, captures: [] });
  expect((await ask(service, `/v1/verifications/${marked.id}/redaction`, { key })).body).toEqual(receipt);
  await nothingLeft(service);
  await marked.receiver.close();
  expect(tracesIn(service.logged)).toEqual([]);
  await service.stop();

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

const tracesIn = (lines: readonly string[]) => all.filter(mark => lines.some(line => line.includes(mark)));
