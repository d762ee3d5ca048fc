import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { Phase } from '../../src/platform/http/health.ts';
import { startTestService } from '../support/harness.ts';
import { firstRunOf, freePort, startServiceProcess } from '../support/service-process.ts';

test('/readyz answers 503 until the first tenant and the worker exist, and again while draining', async () => {
  const service = await startTestService({ worker: false });
  let phase: Phase = 'starting';
  const app = await createApp(service.deps, { phase: () => phase });
  const said: [number, string][] = [];
  for (const next of ['starting', 'serving', 'draining'] as const) {
    phase = next;
    const answer = await app.inject('/readyz');
    said.push([answer.statusCode, answer.json().status]);
  }
  await app.close();
  await service.stop();
  expect(said).toEqual([
    [503, 'starting'],
    [200, 'ready'],
    [503, 'draining'],
  ]);
});

test('/readyz answers 200 only when first-run.json exists', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-ready-'));
  const service = startServiceProcess({ dataDir, port: await freePort() });
  try {
    await service.ready();
    expect((await firstRunOf(dataDir)).pk_test).toMatch(/^pk_test_/);
    expect(await service.stop()).toBe(0);
  } finally {
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});
