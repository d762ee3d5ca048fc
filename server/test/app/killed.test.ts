import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerification, startTestService, type TestService } from '../support/harness.ts';

const PHOTOS = 3;

describe('The queue of @firsthand/react-native', () => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-killed-'));
    service = await startTestService({ worker: false });
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the app once. `saved`: the photos that it said it keeps. */
  const run = (phone: string, token: string, killAt: number, when: string) =>
    new Promise<{ saved: string[]; killed: boolean }>((resolve, reject) => {
      const program = join(import.meta.dirname, 'run-app.ts');
      const app = spawn(process.execPath, [program, phone, service.url, token, String(killAt), when]);
      let said = '';
      let errors = '';
      app.stdout.on('data', chunk => {
        said += chunk;
      });
      app.stderr.on('data', chunk => {
        errors += chunk;
      });
      app.on('close', (code, signal) => {
        if (code === 0 || signal === 'SIGKILL') {
          resolve({ saved: said.split('\n').filter(line => line !== ''), killed: signal === 'SIGKILL' });
        } else reject(new Error(errors));
      });
    });

  it.each(['before', 'half'])(
    'delivers each photo that it said it keeps exactly once, killed at every change of the disk (%s it)',
    async when => {
      const steps = [{ type: 'image', key: 'photo', min: PHOTOS, max: PHOTOS }];
      const { id } = await createVerification(service, { steps });
      const phone = join(folder, when);
      const saved: string[] = [];
      let kills = 0;
      // Each run is killed one change later than the one before, so each kind of change is hit with an empty queue and a full one.
      for (let killAt = 1; ; killAt++) {
        const ran = await run(phone, id, killAt, when);
        saved.push(...ran.saved);
        if (!ran.killed) break;
        kills += 1;
        expect(kills).toBeLessThan(40);
      }
      expect(kills).toBeGreaterThan(5);
      const { rows } = await service.deps.db.query<{ sha256: string }>(
        'select sha256 from captures where verification_id = $1',
        [id],
      );
      const arrived = rows.map(({ sha256 }) => sha256);
      expect(arrived).toHaveLength(PHOTOS);
      expect(new Set(arrived).size).toBe(PHOTOS);
      for (const photo of saved) expect(arrived).toContain(photo);
      expect(await readdir(join(phone, 'documents'))).toEqual([]);
    },
  );
});
