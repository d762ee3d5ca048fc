import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedWebhook, WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import type { Statistics, StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import type { EndUserView, Verification, VerificationList } from '@firsthand/contract/verification/verification.ts';
import type { VerificationEvent } from '@firsthand/contract/webhooks/webhooks.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { ask, type Reply, until } from './harness.ts';
import { watchLog } from './outside-log.ts';
import { phoneOf } from './phones.ts';
import { plain } from './pictures.ts';

const CLIENTS = 4;
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Acknowledgements: clients may rely on these. */
interface Acknowledged {
  id: string;
  created: Verification;
  /** SHA-256 of each picture whose submission was answered 201. */
  captures: string[];
  /** The verification once a read showed it completed. */
  completed?: Verification;
}

/** Clients of a service that is killed or replaced now and then, and what they may rely on. */
export function createLoad(o: {
  url: string;
  receiver: WebhookReceiver;
  output(): string;
  anyVersion?: boolean;
  clients?: number;
  /** Between the verifications of a client; none unless given. */
  pauseMs?: number;
}) {
  const kept: Acknowledged[] = [];
  const log = watchLog(o.url);
  let tenant: NewTenant;
  let chaos = true;
  let requests = 0;
  let serial = 0;

  /** A client that does not give up: no answer, or one that asks to wait, and it says the same again. */
  async function insist<T>(path: string, options: Parameters<typeof ask>[2]): Promise<Reply<T>> {
    for (;;) {
      requests += 1;
      const reply = await ask<T>(o, path, options).catch(() => null);
      if (reply && reply.status !== 429 && reply.status !== 503 && !reply.text.includes('idempotency_in_progress')) {
        return reply;
      }
      if (!chaos && reply === null) throw new Error(`${path} has no answer:\n${o.output()}`);
      await sleep(50);
    }
  }

  const read = async (id: string) => {
    const reply = await insist<Verification>(`/v1/verifications/${id}`, { key: tenant.pk_test });
    expect(reply.status, reply.text).toBe(200);
    return reply.body;
  };

  async function submitInline(id: string, bytes: Uint8Array, phone: Record<string, string>): Promise<void> {
    const reply = await insist<EndUserView>(`/v1/verifications/${id}/captures`, {
      body: { image_base64: Buffer.from(bytes).toString('base64') },
      headers: { ...phone, 'idempotency-key': randomUUID() },
    });
    expect(reply.status, reply.text).toBe(201);
  }

  /** Where the answer to an upload was lost together with the service, a phone asks for another address. */
  async function submitUpload(id: string, bytes: Uint8Array, phone: Record<string, string>): Promise<void> {
    for (;;) {
      const { status, body, text } = await insist<UploadUrlResponse>(`/v1/verifications/${id}/captures/upload-url`, {
        body: { contentType: 'image/jpeg' },
        headers: phone,
      });
      expect(status, text).toBe(201);
      const put = await fetch(body.upload_url, {
        method: 'PUT',
        headers: { ...body.headers, ...phone },
        body: new Uint8Array(bytes),
      }).catch(() => null);
      if (put === null) continue;
      expect(put.status).toBe(200);
      const reply = await insist<EndUserView>(`/v1/verifications/${id}/captures`, {
        body: { image_key: body.image_key, image_sha256: sha256(bytes) },
        headers: phone,
      });
      expect(reply.status, reply.text).toBe(201);
      return;
    }
  }

  async function client(): Promise<void> {
    while (chaos) {
      serial += 1;
      const pictures = 1 + (serial % 2);
      const created = await insist<Verification>('/v1/verifications', {
        key: tenant.pk_test,
        body: { max_captures: pictures, webhook_url: o.receiver.url, metadata: { serial: `${serial}` } },
        headers: { 'idempotency-key': randomUUID() },
      });
      expect(created.status, created.text).toBe(201);
      const entry: Acknowledged = { id: created.body.id, created: created.body, captures: [] };
      kept.push(entry);
      const phone = phoneOf(serial);
      for (let n = 1; n <= pictures; n += 1) {
        const bytes = await plain({
          width: 200 + (serial % 300),
          height: 160 + n,
          colour: `#${randomUUID().slice(0, 6)}`,
        });
        await (serial % 3 === 0 ? submitUpload : submitInline)(entry.id, bytes, phone);
        entry.captures.push(sha256(bytes));
      }
      if (serial % 4 === 0) {
        const seen = await read(entry.id);
        if (seen.status === 'completed') entry.completed = seen;
      }
      if (o.pauseMs) await sleep(o.pauseMs);
    }
  }

  async function watch(): Promise<void> {
    while (chaos) {
      // A service that was just killed shows nothing.
      await log.look().catch(error => {
        if (error.name === 'AssertionError') throw error;
      });
      await sleep(250);
    }
  }

  async function expectRecords(): Promise<void> {
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
  }

  const expectedWebhooks = () =>
    kept.flatMap(({ id, captures }) => [
      `${id} 1 verification.created`,
      ...captures.map((_, n) => `${id} ${n + 2} verification.capture_received`),
      `${id} ${captures.length + 2} verification.completed`,
    ]);

  async function expectWebhooks(): Promise<void> {
    const expected = expectedWebhooks();
    const taken = new Set<string>();
    await until(
      async () => {
        for (const hook of o.receiver.received) taken.add(nameOf(hook));
        return expected.every(name => taken.has(name));
      },
      'every webhook to arrive',
      240_000,
    ).catch(error => {
      const missing = expected.filter(name => !taken.has(name));
      throw new Error(`${error.message}; missing: ${missing.join(', ')}\n${o.output()}`);
    });
  }

  /** One id and the same bytes for each event, however often it came; and no event that nobody expected. */
  function expectOneOfEach(): void {
    const acknowledged = new Set(kept.map(entry => entry.id));
    const ids = new Map<string, string>();
    const bodies = new Map<string, string>();
    const webhook = new Webhook(tenant.webhook_secret);
    for (const hook of o.receiver.received) {
      webhook.verify(hook.raw, hook.headers as Record<string, string>);
      const id = hook.headers['webhook-id'] as string;
      expect(ids.get(nameOf(hook)) ?? id).toBe(id);
      expect(bodies.get(id) ?? hook.raw).toBe(hook.raw);
      ids.set(nameOf(hook), id);
      bodies.set(id, hook.raw);
      expect(acknowledged).toContain(eventOf(hook).data.id);
    }
    expect([...ids.keys()].toSorted()).toEqual(expectedWebhooks().toSorted());
  }

  /** Each acknowledged photo and verdict has one entry of the log; the log has no other, and only ever grew. */
  async function expectOneEntryEach(): Promise<void> {
    const keys = (await insist<EvidenceKeys>('/v1/evidence-keys', {})).body;
    const trusted = parseTrust(JSON.stringify(keys));
    const places: string[] = [];
    for (const { id, captures } of kept) {
      const bytes = await until(async () => {
        const answer = await fetch(`${o.url}/v1/verifications/${id}/evidence`, {
          headers: { authorization: `Bearer ${tenant.pk_test}` },
        });
        return answer.status === 200 && new Uint8Array(await answer.arrayBuffer());
      }, `the bundle of ${id}`);
      const report = await verifyBundle(Readable.from([bytes]), { trusted });
      expect(report.faults).toEqual([]);
      expect(report.exit_code).toBe(0);
      expect(report.photos.map(photo => photo.sha256).toSorted()).toEqual(captures.toSorted());
      expect(report.log!.indices).toHaveLength(captures.length + 1);
      places.push(...report.log!.indices);
    }
    const leaves = await log.readAll();
    expect(places.map(Number).toSorted((a, b) => a - b)).toEqual(leaves.map((_, index) => index));
    expect(new Set(leaves).size).toBe(leaves.length);
  }

  /** The statistics count each verification once: those of the clients, and the one that every start of an API makes. */
  async function expectCounts(): Promise<void> {
    const list = await insist<VerificationList>('/v1/verifications?limit=1', { key: tenant.pk_test });
    const { body, status, text } = await insist<Statistics>('/v1/statistics?mode=test&by=verdict', {
      key: tenant.rk_secret,
    });
    expect(status, text).toBe(200);
    const count = (of: (bucket: StatisticsBucket) => number) =>
      body.buckets.reduce((sum, bucket) => sum + of(bucket), 0);
    expect(count(({ created }) => created)).toBe(list.body.total_estimate);
    expect(count(({ completed }) => completed)).toBe(kept.length);
    expect(count(({ groups }) => groups!.reduce((sum, { completed }) => sum + completed, 0))).toBe(kept.length);
  }

  return {
    kept,
    /** Runs the clients while `kill` does its work, until that ends. Throws when a client was told something wrong. */
    async during(of: NewTenant, kill: (lost: () => boolean) => Promise<void>): Promise<void> {
      tenant = of;
      let lost = false;
      const clients = Promise.all([watch(), ...Array.from({ length: o.clients ?? CLIENTS }, client)]);
      clients.catch(() => {
        lost = true;
      });
      await kill(() => lost);
      chaos = false;
      await clients;
    },
    /** Holds everything that was acknowledged against what the service says now. */
    async expectKept(): Promise<void> {
      await expectWebhooks();
      await expectRecords();
      await expectCounts();
      expectOneOfEach();
      await expectOneEntryEach();
    },
    summary: () =>
      `${requests} requests, ${kept.length} verifications, ` +
      `${kept.reduce((sum, entry) => sum + entry.captures.length, 0)} captures, ` +
      `${o.receiver.received.length} webhook attempts, ${log.seen.length} states of the log seen`,
  };
}

const eventOf = (hook: ReceivedWebhook) => hook.event as VerificationEvent;
const nameOf = (hook: ReceivedWebhook) => {
  const { type, data } = eventOf(hook);
  return `${data.id} ${data.sequence} ${type}`;
};
