import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { createChance } from '../../support/chance.ts';
import { ask, type Reply, submit, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { tracesInFolder } from './traces.ts';

const chance = createChance();

const KILLS = 3;
const EACH = 4;

let dataDir: string;
let port: number;
let service: ServiceProcess;
let tenant: NewTenant;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fh-erase-kill-'));
  port = await freePort();
  service = startServiceProcess({ dataDir, port });
  await service.ready();
  tenant = await firstRunOf(dataDir);
}, 120_000);
afterAll(async () => {
  await service?.kill();
  await rm(dataDir, { recursive: true, force: true });
});

const send = <T>(path: string, o: Parameters<typeof ask>[2] = {}): Promise<Reply<T>> =>
  ask<T>({ url: `http://localhost:${port}` }, path, { key: tenant.rk_secret, ...o });

async function completed(mark: string): Promise<string> {
  const made = await send<Verification>('/v1/verifications', { body: { max_captures: 1, metadata: { mark } } });
  const { id } = made.body;
  const bytes = Buffer.concat([await plain(), Buffer.from(mark)]);
  expect((await submit({ url: `http://localhost:${port}` }, id, bytes)).status).toBe(201);
  await until(
    async () => (await send<Verification>(`/v1/verifications/${id}`)).body.status === 'completed',
    'completion',
  );
  return id;
}

it('a redaction that is killed at any moment has happened whole or not at all, and ends complete', async () => {
  const outcomes = { whole: 0, not: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const marks = Array.from({ length: EACH }, (_, at) => `mark-of-kill-${kill}-${at}-end`);
    const ids = await Promise.all(marks.map(completed));
    // One after another, so that the kill hits one of them at a moment of its own.
    let answered = 0;
    const running = (async () => {
      for (const id of ids) {
        await send(`/v1/verifications/${id}/redact`, { body: {} }).catch(() => null);
        answered += 1;
      }
    })();
    await until(async () => answered >= kill, 'redactions to be answered');
    await sleep(chance() * 40);
    await service.kill();
    await running;
    service = startServiceProcess({ dataDir, port });
    await service.ready();
    for (const [at, id] of ids.entries()) {
      const { body } = await send<Verification>(`/v1/verifications/${id}`);
      const receipt = await send<RedactionReceipt>(`/v1/verifications/${id}/redaction`);
      if (body.redacted_at) {
        outcomes.whole += 1;
        expect(receipt.body.redacted_at).toBe(body.redacted_at);
        expect(body).toMatchObject({ captures: [] });
        expect(JSON.stringify(body)).not.toContain(marks[at]);
        // Nobody asks again: what the killed process left, the worker does.
        await until(
          async () => (await tracesInFolder(join(dataDir, 'blobs'), [marks[at]!])).length === 0,
          'the pictures to go',
          120_000,
        );
      } else {
        outcomes.not += 1;
        expect(receipt.status).toBe(404);
        expect(body.config.metadata).toEqual({ mark: marks[at] });
        const picture = await fetch(body.captures[0]!.image_url!);
        expect([picture.status, (await picture.text()).includes(marks[at]!)]).toEqual([200, true]);
      }
      const again = await send<RedactionReceipt>(`/v1/verifications/${id}/redact`, { body: {} });
      expect(again.status).toBe(200);
      if (body.redacted_at) expect(again.body).toEqual(receipt.body);
    }
    expect(await tracesInFolder(join(dataDir, 'blobs'), marks)).toEqual([]);
  }
  console.log(`${KILLS} kills: ${outcomes.whole} redactions had happened, ${outcomes.not} had not`);
  expect(outcomes.whole + outcomes.not).toBe(KILLS * EACH);
  expect(await service.stop()).toBe(0);
}, 400_000);
