import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { parseNote } from '@firsthand/evidence/note.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/custody/backup/backup.ts';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { ask, until } from '../support/harness.ts';
import { PHONES, phoneOf } from '../support/phones.ts';
import { plain } from '../support/pictures.ts';
import { firstRunOf, freePort, MAIN, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const CLIENTS = 2;
/** A quick machine would reach the limits of requests within the backup. */
const SETTINGS = { ...PHONES, RATE_LIMIT_PER_MINUTE: '1000000' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The machine that is lost, and the one that the backup is restored on. */
describe('backup of a service under load', () => {
  let folder: string;
  let port: number;
  let service: ServiceProcess;
  let tenant: NewTenant;
  let loading = true;
  /** Picture hashes by verification, as acknowledged. */
  const acknowledged = new Map<string, string[]>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-backup-'));
    port = await freePort();
  });
  afterAll(async () => {
    loading = false;
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const command = async (dataDir: string, ...words: string[]): Promise<Record<string, unknown>> => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: join(folder, dataDir) };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words], { env, cwd: folder });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const read = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: tenant.pk_test })).body;
  const checkpoint = async () =>
    parseCheckpoint(
      parseNote(await (await fetch(`${service.url}/log/checkpoint`)).arrayBuffer().then(Buffer.from)).text,
    );

  async function client(): Promise<void> {
    while (loading) {
      const created = await ask<Verification>(service, '/v1/verifications', { key: tenant.pk_test, body: {} });
      expect(created.status, created.text).toBe(201);
      const hashes: string[] = [];
      acknowledged.set(created.body.id, hashes);
      const bytes = await plain({ width: 240, height: 180, colour: `#${randomUUID().slice(0, 6)}` });
      const body = { image_base64: Buffer.from(bytes).toString('base64') };
      const headers = phoneOf(acknowledged.size);
      const sent = await ask(service, `/v1/verifications/${created.body.id}/captures`, { body, headers });
      expect(sent.status, sent.text).toBe(201);
      hashes.push(sha256(bytes));
    }
  }

  it('keeps everything acknowledged before it, and the service goes on after the loss of the machine', async () => {
    service = startServiceProcess({ dataDir: join(folder, 'data'), port, env: SETTINGS });
    await service.ready();
    tenant = await firstRunOf(join(folder, 'data'));
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    /** Fails as soon as a client does. */
    const untilLoad = (more: number, what: string) => {
      const from = acknowledged.size;
      return Promise.race([clients, until(async () => acknowledged.size > from + more, what)]);
    };
    await untilLoad(10, 'some load');

    const before = new Map([...acknowledged].map(([id, hashes]) => [id, [...hashes]]));
    const report = await command('data', 'backup', join(folder, 'backup'));
    expect(report).toMatchObject({ photos: true, files: expect.any(Number) });
    // The log goes on, so that the restored one could fork it.
    await untilLoad(5, 'load after the backup');
    loading = false;
    await clients;
    const [firstId] = before.keys();
    await until(async () => (await read(firstId!)).status === 'completed', 'a verdict');
    await sleep(1_500);
    const lost = await checkpoint();
    await service.kill();
    await rm(join(folder, 'data'), { recursive: true });

    const restored = await command('new', 'restore', join(folder, 'backup'));
    expect(restored).toMatchObject({ files: report.files, photos: true, log_origin: `${lost.origin}/epoch-2` });
    service = startServiceProcess({ dataDir: join(folder, 'new'), port });
    await service.ready();
    expect(await firstRunOf(join(folder, 'new'))).toEqual(tenant);
    for (const [id, hashes] of before) {
      const found = await until(async () => {
        const now = await read(id);
        return (hashes.length === 0 || now.status === 'completed') && now;
      }, `a verdict for ${id}`);
      for (const hash of hashes) expect(found.captures.map(capture => capture.sha256)).toContain(hash);
      for (const capture of found.captures) {
        const original = await fetch(capture.image_url!);
        expect(sha256(new Uint8Array(await original.arrayBuffer()))).toBe(capture.sha256);
      }
    }
    // The restored log has another name, so it never contradicts what the lost machine published.
    await until(async () => (await checkpoint()).origin === `${lost.origin}/epoch-2`, 'a checkpoint of the new epoch');
    const created = await ask<Verification>(service, '/v1/verifications', { key: tenant.pk_test, body: {} });
    expect(created.status, created.text).toBe(201);
    expect(await service.stop()).toBe(0);
  }, 240_000);

  it('of a stopped service is the same, and a name that is taken is refused', async () => {
    const made = await command('new', 'backup', join(folder, 'second'));
    expect(made).toMatchObject({ photos: true });
    expect((await readdir(folder)).filter(name => name.includes('partial'))).toEqual([]);
    await expect(command('new', 'backup', join(folder, 'second'))).rejects.toThrow(/is there already/);
  }, 60_000);

  it('is refused where a file was changed, and leaves the data folder empty', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'second', 'manifest.json'), 'utf8')) as Manifest;
    const { path } = manifest.files.find(file => file.path.startsWith('blobs/objects/'))!;
    await writeFile(join(folder, 'second', path), 'another picture');
    await expect(command('third', 'restore', join(folder, 'second'))).rejects.toThrow(/is not as it was made/);
    expect(await readdir(join(folder, 'third'))).toEqual([]);
  }, 60_000);

  it('is restored only into an empty data folder', async () => {
    await expect(command('new', 'restore', join(folder, 'backup'))).rejects.toThrow(/is not empty/);
  }, 60_000);
});
