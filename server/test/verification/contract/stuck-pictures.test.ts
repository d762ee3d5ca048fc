import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createOverdueSweep } from '../../../src/inspection/analysis/overdue.ts';
import { one } from '../../../src/platform/db/sql.ts';
import { CAPTURES } from '../../../src/verification/captures/analysis-queue.ts';
import type { CaptureRow } from '../../../src/verification/verifications/row.ts';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

type Row = CaptureRow & { analysis_attempts: number };

const captureOf = async (service: TestService, verificationId: string): Promise<Row> =>
  (await one<Row>(service.deps.db, 'select * from captures where verification_id = $1', [verificationId]))!;
const fileOf = (service: TestService, capture: Row) =>
  join(
    service.deps.config.dataDir,
    'blobs',
    'objects',
    `${capture.image_blob}@`,
    encodeURIComponent(capture.content_type),
  );

/** A verification with one picture in, before any worker looks at it. */
async function submitted(service: TestService, bytes: Uint8Array, more: object = {}) {
  const { id } = await createVerification(service, { max_captures: 1, ...more });
  const reply = await submit(service, id, bytes);
  expect(reply.status, reply.text).toBe(201);
  return { id, capture: await captureOf(service, id) };
}

describe('capture analysis', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await receiveWebhooks();
    service = await startTestService({ worker: false, config: { analysisRetrySeconds: [0.1, 0.2] } });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });
  let worker: TestService | undefined;
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  const startWorkerNode = async (config = {}) => {
    worker = await startTestService({ beside: service, config: { analysisRetrySeconds: [0.1, 0.2], ...config } });
    return worker;
  };

  test('fails the verification when the stored bytes differ from the submitted ones, and names both hashes', async () => {
    const { id, capture } = await submitted(service, await plain({ colour: '#123456' }), { webhook_url: receiver.url });
    await writeFile(fileOf(service, capture), await plain({ colour: '#654321' }));
    await startWorkerNode();
    await untilStatus(service, id, ['failed']);
    const after = await captureOf(service, id);
    expect(after.analysis_error).toContain(capture.sha256);
    expect(after.analysis_attempts).toBe(1);
    await until(async () => receiver.received.some(({ event }) => event.type === 'verification.failed'), 'the webhook');
  });

  test('fails after three attempts when the bytes are gone', async () => {
    const { id, capture } = await submitted(service, await plain({ colour: '#0000ff' }));
    await rm(fileOf(service, capture));
    await startWorkerNode();
    await untilStatus(service, id, ['failed']);
    const after = await captureOf(service, id);
    expect(after.analysis_attempts).toBe(3);
    expect(after.analysis_error).toContain('there is no object');
  });

  test('waits for an unavailable store and loses nothing', async () => {
    const { id, capture } = await submitted(service, await plain({ colour: '#00ff00' }));
    const due = (at: string) =>
      service.deps.db.query('update captures set analysis_due_at = $2 where id = $1', [capture.id, at]);
    await due('infinity');
    const { logged } = await startWorkerNode();
    const blobs = join(service.deps.config.dataDir, 'blobs');
    await rename(blobs, `${blobs}-away`);
    try {
      await due('now');
      await until(
        async () => logged.filter(line => line.includes('it will be tried again')).length >= 2,
        'two attempts',
      );
      // An attempt counts while it runs.
      const waiting = async () => {
        const { analysis_state, analysis_attempts } = await captureOf(service, id);
        return [analysis_state, analysis_attempts];
      };
      await expect.poll(waiting).toEqual(['pending', 0]);
    } finally {
      await rename(`${blobs}-away`, blobs);
    }
    expect((await untilStatus(service, id, ['completed', 'failed'])).status).toBe('completed');
  });

  /** Takes an analysis thread some seconds. */
  const laborious = () =>
    sharp({
      create: {
        width: 4000,
        height: 3000,
        channels: 3,
        noise: { type: 'gaussian', mean: 128, sigma: 50 },
        background: '#888',
      },
    })
      .jpeg({ quality: 40 })
      .toBuffer();

  test.each([
    ['crashes its thread', { timeoutMs: 60_000, memoryMb: 4 }, /thread ended/],
    ['hangs its thread', { timeoutMs: 50, memoryMb: 768 }, /took longer than 50 ms/],
  ])('fails after three attempts when it %s', async (_how, limits, message) => {
    const { id } = await submitted(service, await laborious(), { signals_required: ['screen'] });
    const node = await startWorkerNode();
    await node.deps.pictures.close();
    // A real pool whose bound this picture breaks.
    node.deps.pictures = createAnalysisPool({ threads: 1, ...limits });
    await untilStatus(service, id, ['failed']);
    const after = await captureOf(service, id);
    expect(after.analysis_error).toMatch(message);
    expect(after.analysis_attempts).toBe(3);
  });

  test('fails after three lost claims, without a fourth run', async () => {
    const { id, capture } = await submitted(service, await plain({ colour: '#ff00ff' }));
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await CAPTURES.claim(service.deps.db)).toMatchObject({ id: capture.id, analysis_attempts: attempt });
      // As long as the claim lasts nobody else gets it; then its node is dead.
      expect(await CAPTURES.claim(service.deps.db)).toBeUndefined();
      await service.deps.db.query('update captures set analysis_due_at = now() where id = $1', [capture.id]);
    }
    await startWorkerNode();
    await untilStatus(service, id, ['failed']);
    expect((await captureOf(service, id)).analysis_error).toContain('no attempt of 3 came back');
  });

  test('leaves a photo to another node at most 10 s after its own died', async () => {
    const { capture } = await submitted(service, await plain({ colour: '#00ffff' }));
    await CAPTURES.claim(service.deps.db);
    const claim = await one<{ seconds: number }>(
      service.deps.db,
      'select extract(epoch from analysis_due_at - now())::float8 as seconds from captures where id = $1',
      [capture.id],
    );
    expect(claim!.seconds).toBeGreaterThan(0);
    expect(claim!.seconds).toBeLessThanOrEqual(10);
  });

  test('fails when its result cannot be written, whatever the reason', async () => {
    const { id, capture } = await submitted(service, await plain({ colour: '#ffff00' }));
    await service.deps.db.query(
      `alter table captures add constraint refuses_this check (id <> '${capture.id}' or analysis_state <> 'done')`,
    );
    await startWorkerNode();
    await untilStatus(service, id, ['failed']);
    expect((await captureOf(service, id)).analysis_error).toContain('refuses_this');
    await service.deps.db.query('alter table captures drop constraint refuses_this');
  });
});

describe('sweep of overdue analyses', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service.stop());

  test('reports captures that wait longer than ten minutes in log and metrics, and leaves them waiting', async () => {
    const { capture } = await submitted(service, await plain());
    await service.deps.db.query("update captures set created_at = now() - interval '11 minutes' where id = $1", [
      capture.id,
    ]);
    await createOverdueSweep()(service.deps);
    expect(
      service.logged.some(line => line.includes('have waited longer than 10 minutes') && line.includes(capture.id)),
    ).toBe(true);
    expect(await service.deps.metrics.registry.metrics()).toMatch(/firsthand_captures_overdue 1\b/);
    expect((await captureOf(service, capture.verification_id)).analysis_state).toBe('pending');
  });

  test('settles a verification whose captures were all analysed ten minutes ago', async () => {
    const { id, capture } = await submitted(service, await plain());
    await service.deps.db.query(
      "update captures set analysis_state = 'failed', analyzed_at = now() - interval '11 minutes' where id = $1",
      [capture.id],
    );
    await createOverdueSweep()(service.deps);
    expect((await untilStatus(service, id, ['failed'])).status).toBe('failed');
  });
});
