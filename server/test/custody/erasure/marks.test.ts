import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, startTestService, type TestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { MARKS, type Marked, plantMarks } from './marked.ts';
import { found, type Trace, tracesInDatabase, tracesInFolder } from './traces.ts';

let service: TestService;
let marked: Marked;
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
  service = await startTestService({ env: { SMTP_URL: mailbox.url } });
  marked = await plantMarks(service);
}, 120_000);
afterAll(async () => {
  await marked?.receiver.close();
  await service?.stop();
  await mailbox?.close();
});

const all = Object.values(MARKS);
async function traces(): Promise<Trace[]> {
  return [
    ...(await tracesInDatabase(service.deps.db, service.deps.keyring, all)),
    ...(await tracesInFolder(join(service.deps.config.dataDir, 'blobs'), all)),
  ];
}

describe('POST /v1/verifications/:id/redact', () => {
  it('leaves none of its marks in any table, any object of the store or any line of the log', async () => {
    const before = await traces();
    const planted = new Set(before.map(({ mark }) => mark));
    const missing = all.filter(mark => !planted.has(mark));
    console.log(
      `${planted.size} of ${all.length} marks lie in ${new Set(before.map(({ where }) => where.replace(/.*blobs/, 'blobs').replace(/vfy_.*/, ''))).size} places; not seen: ${missing.join(', ')}`,
    );
    // A caller's key is stored as its hash, and an answer that was replaced is gone.
    expect(missing).toEqual([MARKS.idempotencyKey, MARKS.replaced]);

    const { status, text } = await ask<RedactionReceipt>(service, `/v1/verifications/${marked.id}/redact`, {
      key: service.tenant.rk_secret,
      body: {},
    });
    expect(status, text).toBe(200);
    // The picture, its preview and the strip of the trace.
    expect(marked.links).toHaveLength(3);
    for (const link of marked.links) expect((await fetch(link)).status).toBe(404);
    await until(async () => marked.receiver.bodies.some(body => body.includes('verification.redacted')), 'the webhook');
    const told = marked.receiver.bodies.find(body => body.includes('verification.redacted'))!;
    expect(found(told, all, 'webhook')).toEqual([]);
    // The address goes when the last webhook was sent there.
    const deadline = Date.now() + 20_000;
    while ((await traces()).length > 0 && Date.now() < deadline) await sleep(500);
    expect(await traces()).toEqual([]);
    expect(found(service.logged.join('\n'), all, 'log')).toEqual([]);
    const { body } = await ask<Verification>(service, `/v1/verifications/${marked.id}`, {
      key: service.tenant.rk_secret,
    });
    expect(found(JSON.stringify(body), all, 'view')).toEqual([]);
    expect(body).toMatchObject({ status: 'completed', captures: [], captures_count: 1 });
  });
});
