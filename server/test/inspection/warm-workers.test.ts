import type { AnalysisPool } from '@firsthand/forensics/running/pool.ts';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDeps } from '../../src/open.ts';
import { one } from '../../src/platform/db/sql.ts';
import { type Service, startService } from '../../src/service.ts';
import type { CaptureRow } from '../../src/verification/verifications/row.ts';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { freePort } from '../support/service-process.ts';

let api: TestService;
let worker: Service | undefined;
beforeEach(async () => {
  api = await startTestService({ worker: false });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await api.stop();
});

/** Starts a worker without API beside it. Returns its address. */
async function startWorker(o: { threads: number; pictures?: (real: AnalysisPool) => AnalysisPool }): Promise<string> {
  const port = await freePort();
  const config = { ...api.deps.config, workerPort: port, host: '127.0.0.1', analysisThreads: o.threads };
  const opened = await openDeps(config, api.deps.log, { database: 'own' });
  if (o.pictures) opened.deps.pictures = o.pictures(opened.deps.pictures);
  worker = await startService(opened, { http: false, worker: true });
  return `http://127.0.0.1:${port}`;
}

const captureOf = (verificationId: string) =>
  one<CaptureRow & { analysis_attempts: number; analysis_due_at: Date; waits: boolean }>(
    api.deps.db,
    `select *, analysis_state = 'pending' and analysis_due_at <= now() as waits from captures where verification_id = $1`,
    [verificationId],
  );

async function submitted(bytes: Uint8Array): Promise<string> {
  const { id } = await createVerification(api, { max_captures: 1 });
  expect((await submit(api, id, bytes)).status).toBe(201);
  return id;
}

test('a worker takes no photo until its analysis threads are warm, and its /readyz answers 503 until then', async () => {
  const { promise: mayWarmUp, resolve: letWarmUp } = Promise.withResolvers<void>();
  const url = await startWorker({
    threads: 1,
    pictures: real => ({ ...real, warmUp: eachReady => mayWarmUp.then(() => real.warmUp(eachReady)) }),
  });
  const id = await submitted(await plain());
  // It looks for photos at least once a second.
  for (const end = performance.now() + 3_500; performance.now() < end; ) {
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'starting' }]);
    expect(await captureOf(id)).toMatchObject({ analysis_attempts: 0, waits: true });
  }
  letWarmUp();
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the worker to be ready');
  await untilStatus(api, id, ['completed']);
});

test('a worker that stops hands back at once the photo that none of its threads has begun', async () => {
  let handedOut = 0;
  const { promise: bothHandedOut, resolve } = Promise.withResolvers<void>();
  const analyze =
    (real: AnalysisPool): AnalysisPool['analyze'] =>
    request => {
      const answer = real.analyze(request);
      handedOut += 1;
      if (handedOut === 2) resolve();
      return answer;
    };
  const url = await startWorker({ threads: 2, pictures: real => ({ ...real, analyze: analyze(real) }) });
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the worker to be ready');
  // Two photos of this size are analysed one after the other, because of their memory.
  const large = await Promise.all(
    ['#58a', '#a85'].map(background =>
      sharp({ create: { width: 10_000, height: 10_000, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const ids = await Promise.all(large.map(submitted));
  const captures = () => Promise.all(ids.map(captureOf));
  await bothHandedOut;
  await worker!.stop();
  worker = undefined;
  const [done, handedBack] = (await captures()).toSorted((a, b) => b!.analysis_attempts - a!.analysis_attempts);
  expect([done, handedBack]).toMatchObject([
    { analysis_state: 'done', analysis_attempts: 1 },
    { analysis_state: 'pending', analysis_attempts: 0 },
  ]);
  expect(handedBack!.analysis_due_at.getTime()).toBeLessThan(done!.analyzed_at!.getTime());
});
