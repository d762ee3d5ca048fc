import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { StreamedEvent } from '@firsthand/sdk';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { sha256, sha256Hex } from '../../src/platform/lib/keyring.ts';
import { downloadBundle } from '../support/bundle.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { draw } from '../support/drawn.ts';
import { ask, submit, type TestService, until, untilStatus } from '../support/harness.ts';
import { errorsIn } from '../support/leftovers.ts';
import { startOnOwnDatabase } from '../support/own-database.ts';
import {
  copyMigrations,
  firstEvents,
  KEYS_FILE,
  load,
  MONITOR_FILE,
  RECORDINGS,
  type Recorded,
  readRecorded,
  writeFiles,
} from '../support/recorded.ts';
import { runHere } from '../support/run-here.ts';

/** Members that may differ: presigned addresses, and what a request or a delivery of today changes. The receiver has another port, too. */
const MAY_DIFFER = new Set(['image_url', 'preview_url', 'heatmap_url', 'last_used_at', 'failing_since']);

/** The service goes on a minute after the recording, whenever this test runs: links and sessions do not expire meanwhile. */
const PAUSE_MS = 60_000;

describe.each(readdirSync(RECORDINGS))('what version %s left', version => {
  const recording = join(RECORDINGS, version);
  const keys = join(recording, KEYS_FILE);
  let folder: string;
  let recorded: Recorded;
  beforeAll(async () => {
    recorded = await readRecorded(recording);
    folder = await mkdtemp(join(tmpdir(), 'fh-upgrade-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What `firsthand verify-evidence` answers who trusts only the keys of then. */
  async function verifyEvidence(bytes: Uint8Array) {
    const file = join(folder, 'bundle.zip');
    await writeFile(file, bytes);
    return runHere(['verify-evidence', file, '--trust', keys], { DATA_DIR: join(folder, 'nothing') });
  }

  it.each(['verified.zip', 'suspicious.zip'])(
    'verify-evidence accepts %s without a network, and rejects a changed byte',
    async name => {
      const bytes = await readFile(join(recording, name));
      const connect = vi.spyOn(Socket.prototype, 'connect');
      const fetched = vi.spyOn(globalThis, 'fetch');
      expect(await verifyEvidence(bytes)).toMatchObject({ code: 0 });
      expect(connect).not.toHaveBeenCalled();
      expect(fetched).not.toHaveBeenCalled();
      vi.restoreAllMocks();
      for (const share of [0.1, 0.5, 0.9]) {
        const changed = Buffer.from(bytes);
        changed[Math.floor(bytes.length * share)]! ^= 1;
        expect([1, 3]).toContain((await verifyEvidence(changed)).code);
      }
    },
  );

  it('verifyWebhook accepts each recorded webhook at its time, and rejects it later and with another body', async () => {
    const first = JSON.parse(Buffer.from(recorded.files['first-run.json']!, 'base64').toString()) as {
      webhook_secret: string;
    };
    expect(recorded.webhooks.length).toBeGreaterThan(0);
    for (const { headers, raw } of recorded.webhooks) {
      const now = Number(headers['webhook-timestamp']) * 1_000;
      const verify = (body: string, at: number) => verifyWebhook(body, headers, first.webhook_secret, { now: at });
      expect(await verify(raw, now)).toEqual(JSON.parse(raw));
      await expect(verify(raw, now + 301_000)).rejects.toMatchObject({ reason: 'too_old' });
      await expect(verify(`${raw} `, now)).rejects.toMatchObject({ reason: 'bad_signature' });
    }
  });

  describe('in this build', () => {
    let database: TestDatabase;
    let receiver: WebhookReceiver;
    let service: TestService;
    const began = performance.now();
    const now = () => new Date(Date.parse(recorded.recordedAt) + PAUSE_MS + performance.now() - began);
    beforeAll(async () => {
      receiver = await receiveWebhooks();
      database = await databaseOfRelease(recorded, join(folder, 'migrations'), receiver.url);
      await writeFiles(join(folder, 'data'), recorded.files);
      const env = {
        DATABASE_URL: database.url,
        ENCRYPTION_KEYS: recorded.encryptionKeys,
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      };
      service = await startOnOwnDatabase(join(folder, 'data'), env, now);
    });
    afterAll(async () => {
      await service?.stop();
      await receiver?.close();
      await database?.drop();
    });
    const read = async (id: string) =>
      (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body;

    it('every GET answers with all members and values that it had, to the keys of then', async () => {
      for (const { path, key, body } of recorded.answers) {
        const then = JSON.parse(
          JSON.stringify(body).replaceAll(recorded.url, () => service.url),
          (name, value: unknown) => (MAY_DIFFER.has(name) || value === recorded.receiver ? undefined : value),
        );
        const answer = await ask(service, path, key ? { key: service.tenant[key] } : {});
        expect({ status: answer.status, body: answer.body }, path).toMatchObject({ status: 200, body: then });
      }
    });

    it('photos are the bytes that were sent', async () => {
      for (const name of ['verified', 'suspicious'] as const) {
        const [capture] = (await read(recorded.verifications[name])).captures;
        const photo = await fetch(capture!.image_url!);
        expect(sha256Hex(new Uint8Array(await photo.arrayBuffer()))).toBe(capture!.sha256);
      }
    });

    it('the events of each verification are the same', async () => {
      const now = await firstEvents(service.url, service.tenant, recorded.events.length);
      expect(eventLines(now)).toEqual(eventLines(recorded.events));
    });

    it('the webhook that was refused is delivered, with the body of then and a signature of now', async () => {
      const hook = await until(
        async () => receiver.received.find(({ id }) => id === recorded.undelivered),
        'the webhook',
        20_000,
      );
      expect(hook.raw).toBe(recorded.events.find(({ id }) => id === recorded.undelivered)!.body);
      await verifyWebhook(hook.raw, hook.headers, service.tenant.webhook_secret, { now: now().getTime() });
      expect(receiver.received.map(({ id }) => id)).toEqual([recorded.undelivered]);
    });

    it('the open link takes its photo, gets a verdict, and goes on counting its events', async () => {
      const id = recorded.verifications.open;
      const sent = await submit(service, id, await draw({ colour: '#a87', width: 640, height: 480 }));
      expect(sent.status, sent.text).toBe(201);
      const ended = await untilStatus(service, id, ['completed', 'failed']);
      expect(ended.verdict?.label).toMatch(/^(verified|suspicious|failed)$/);
      await until(async () => receiver.of(id).length === 3, 'its webhooks', 20_000);
      expect(
        receiver
          .of(id)
          .map(({ event }) => [event.data.sequence, event.type])
          .sort(),
      ).toEqual([
        [1, 'verification.created'],
        [2, 'verification.capture_received'],
        [3, 'verification.completed'],
      ]);
    });

    it.each(['verified', 'suspicious', 'open'] as const)(
      'the bundle of the %s verification verifies with the keys of then',
      async name => {
        const bundle = await downloadBundle(service, recorded.verifications[name]);
        expect(await verifyEvidence(bundle)).toMatchObject({ code: 0 });
      },
    );

    it('the log continues the state that a monitor had seen, with new entries', async () => {
      const state = join(folder, 'data', MONITOR_FILE);
      const seen = await runHere(['monitor', `${service.url}/log`, '--trust', keys, '--state', state, '--once']);
      expect(seen).toMatchObject({ code: 0, out: expect.stringMatching(/, [1-9]\d* new, consistent/) });
    });

    it('the service logged no error', () => {
      expect(errorsIn(service.logged, [])).toEqual([]);
    });
  });
});

/** A line per event, by their ids: another cluster puts them in that order. */
const eventLines = (events: readonly StreamedEvent[]) =>
  events.map(({ id, type, livemode, body }) => `${id} ${type} ${livemode} ${body}`).toSorted();

/** A database as the release left it, whose webhooks go to `receiver`. */
async function databaseOfRelease(recorded: Recorded, folder: string, receiver: string): Promise<TestDatabase> {
  await mkdir(folder);
  await copyMigrations(recorded, folder);
  const database = await emptyDatabase();
  const pool = createPool(database.url, 3, () => {});
  await migrate(pool, pino({ level: 'silent' }), folder);
  await load(database.url, recorded.database);
  await pool.query('update webhook_endpoints set url = $1, url_sha256 = $2', [receiver, sha256(receiver)]);
  await pool.end();
  return database;
}
