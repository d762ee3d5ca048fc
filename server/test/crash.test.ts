import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadUrlResponse } from '@firsthand/contract/capture-flow.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification.ts';
import type { VerificationEvent } from '@firsthand/contract/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReceivedWebhook, receiveWebhooks, type WebhookReceiver } from '../src/commands/receive-webhooks.ts';
import type { NewTenant } from '../src/tenants/create.ts';
import { ask, type Reply, until } from './harness.ts';
import { plain } from './pictures.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from './service-process.ts';

const CHAOS_MS = 60_000;
const CLIENTS = 4;
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** What the service told somebody, who may rely on it from then on. */
interface Acknowledged {
  id: string;
  created: Verification;
  /** SHA-256 of each picture whose submission was answered 201. */
  captures: string[];
  /** The verification once a read showed it completed. */
  completed?: Verification;
}

describe('service killed at random moments', () => {
  let dataDir: string;
  let port: number;
  let service: ServiceProcess;
  let receiver: WebhookReceiver;
  let tenant: NewTenant;
  let chaos = true;
  let requests = 0;
  const kept: Acknowledged[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-crash-'));
    port = await freePort();
    // A receiver in trouble of its own now and then: what it refused must come again, under the same id.
    receiver = await receiveWebhooks(
      response => void response.writeHead(chaos && Math.random() < 0.1 ? 503 : 204).end(),
    );
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = () => {
    service = startServiceProcess({ dataDir, port });
  };

  /** A client that does not give up: no answer, or one that asks to wait, and it says the same again. */
  async function insist<T>(path: string, o: Parameters<typeof ask>[2]): Promise<Reply<T>> {
    for (;;) {
      requests += 1;
      const reply = await ask<T>({ url: `http://localhost:${port}` }, path, o).catch(() => null);
      if (reply && reply.status !== 429 && reply.status !== 503 && !reply.text.includes('idempotency_in_progress')) {
        return reply;
      }
      if (!chaos && reply === null) throw new Error(`${path} has no answer:\n${service.output()}`);
      await sleep(50);
    }
  }

  const read = async (id: string) => {
    const reply = await insist<Verification>(`/v1/verifications/${id}`, { key: tenant.pk_test });
    expect(reply.status, reply.text).toBe(200);
    return reply.body;
  };

  async function submitInline(id: string, bytes: Uint8Array): Promise<void> {
    const reply = await insist<EndUserView>(`/v1/verifications/${id}/captures`, {
      body: { image_base64: Buffer.from(bytes).toString('base64') },
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(reply.status, reply.text).toBe(201);
  }

  /** Where the answer to an upload was lost together with the service, a phone asks for another address. */
  async function submitUpload(id: string, bytes: Uint8Array): Promise<void> {
    for (;;) {
      const { status, body, text } = await insist<UploadUrlResponse>(`/v1/verifications/${id}/captures/upload-url`, {
        body: { contentType: 'image/jpeg' },
      });
      expect(status, text).toBe(201);
      const put = await fetch(body.upload_url, {
        method: 'PUT',
        headers: body.headers,
        body: new Uint8Array(bytes),
      }).catch(() => null);
      if (put === null) continue;
      expect(put.status).toBe(200);
      const reply = await insist<EndUserView>(`/v1/verifications/${id}/captures`, {
        body: { image_key: body.image_key, image_sha256: sha256(bytes) },
      });
      expect(reply.status, reply.text).toBe(201);
      return;
    }
  }

  let serial = 0;
  async function client(): Promise<void> {
    while (chaos) {
      serial += 1;
      const pictures = 1 + (serial % 2);
      const created = await insist<Verification>('/v1/verifications', {
        key: tenant.pk_test,
        body: { max_captures: pictures, webhook_url: receiver.url, metadata: { serial: `${serial}` } },
        headers: { 'idempotency-key': randomUUID() },
      });
      expect(created.status, created.text).toBe(201);
      const entry: Acknowledged = { id: created.body.id, created: created.body, captures: [] };
      kept.push(entry);
      for (let n = 1; n <= pictures; n += 1) {
        const bytes = await plain({
          width: 200 + (serial % 300),
          height: 160 + n,
          colour: `#${randomUUID().slice(0, 6)}`,
        });
        await (serial % 3 === 0 ? submitUpload(entry.id, bytes) : submitInline(entry.id, bytes));
        entry.captures.push(sha256(bytes));
      }
      if (serial % 4 === 0) {
        const seen = await read(entry.id);
        if (seen.status === 'completed') entry.completed = seen;
      }
    }
  }

  test('loses nothing that it acknowledged and does nothing twice', async () => {
    // The very first start is killed, too: while the database is created, migrated, or given its first tenant.
    for (const delay of [300, 1_500, 2_500]) {
      start();
      await sleep(delay);
      await service.kill();
    }
    start();
    await service.ready();
    tenant = await firstRunOf(dataDir);

    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    let lost = false;
    clients.catch(() => {
      lost = true;
    });
    const deadline = Date.now() + CHAOS_MS;
    let kills = 0;
    while (Date.now() < deadline && !lost) {
      const whileStarting = Math.random() < 0.25;
      if (!whileStarting) await service.ready();
      await sleep(Math.random() * (whileStarting ? 1_500 : 3_000));
      await service.kill();
      kills += 1;
      // Half the time the database dies with it, as under a kill of everything; else it is left without its parent.
      if (Math.random() < 0.5) await killDatabase();
      start();
    }
    await service.ready();
    chaos = false;
    await clients;

    const expected = kept.flatMap(({ id, captures }) => [
      `${id} 1 verification.created`,
      ...captures.map((_, n) => `${id} ${n + 2} verification.capture_received`),
      `${id} ${captures.length + 2} verification.completed`,
    ]);
    const taken = new Set<string>();
    await until(
      async () => {
        for (const hook of receiver.received) taken.add(nameOf(hook));
        return expected.every(name => taken.has(name));
      },
      'every webhook to arrive',
      240_000,
    ).catch(error => {
      const missing = expected.filter(name => !taken.has(name));
      throw new Error(`${error.message}; missing: ${missing.join(', ')}\n${service.output()}`);
    });

    for (const entry of kept) {
      const now = await read(entry.id);
      // A completed one may have a review open: of what is verified, a random share.
      const { captures: _none, review: _open, ...issued } = entry.created;
      expect(now).toMatchObject({ ...issued, status: 'completed', captures_count: entry.captures.length });
      expect(now.verdict?.label).toEqual(expect.any(String));
      expect(now.captures.map(capture => capture.sha256).toSorted()).toEqual(entry.captures.toSorted());
      if (entry.completed) {
        expect(now.verdict).toEqual(entry.completed.verdict);
        expect(now.completed_at).toBe(entry.completed.completed_at);
      }
      for (const capture of now.captures) {
        const original = await fetch(capture.image_url!);
        expect(sha256(new Uint8Array(await original.arrayBuffer()))).toBe(capture.sha256);
      }
    }

    // One id and the same bytes for each event, however often it came; and no event that nobody expected.
    const acknowledged = new Set(kept.map(entry => entry.id));
    const ids = new Map<string, string>();
    const bodies = new Map<string, string>();
    const webhook = new Webhook(tenant.webhook_secret);
    for (const hook of receiver.received) {
      webhook.verify(hook.raw, hook.headers as Record<string, string>);
      const id = hook.headers['webhook-id'] as string;
      expect(ids.get(nameOf(hook)) ?? id).toBe(id);
      expect(bodies.get(id) ?? hook.raw).toBe(hook.raw);
      ids.set(nameOf(hook), id);
      bodies.set(id, hook.raw);
      expect(acknowledged).toContain(eventOf(hook).data.id);
    }
    expect([...ids.keys()].toSorted()).toEqual(expected.toSorted());
    expect(await service.stop()).toBe(0);

    console.log(
      `${kills + 3} kills, ${requests} requests, ${kept.length} verifications, ` +
        `${kept.reduce((sum, entry) => sum + entry.captures.length, 0)} captures, ${receiver.received.length} webhook attempts`,
    );
    expect(kills).toBeGreaterThan(4);
    expect(kept.length).toBeGreaterThan(8);
  }, 600_000);

  const eventOf = (hook: ReceivedWebhook) => hook.event as VerificationEvent;
  const nameOf = (hook: ReceivedWebhook) => {
    const { type, data } = eventOf(hook);
    return `${data.id} ${data.sequence} ${type}`;
  };

  async function killDatabase(): Promise<void> {
    const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(text.split('\n')[0]);
    if (pid > 1) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It had ended.
      }
    }
  }
});
