import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { call } from './call.ts';
import { amber, bold, dim, green, red, table } from './print.ts';
import { type ReceivedWebhook, receiveWebhooks, type WebhookReceiver } from './receive-webhooks.ts';

const SIZE = { width: 1600, height: 1200 };
const VERDICT_TIMEOUT_MS = 60_000;
const WEBHOOK_TIMEOUT_MS = 10_000;

interface Credentials {
  key: string;
  webhookSecret: string | null;
}

/**
 * `firsthand demo`: draws a genuine photo and a photo of a screen, sends both through the running service as a tenant and an end user
 * would, and prints a table. Exits with 1 when an outcome is unexpected.
 */
export async function demo(o: { url: string; key?: string }): Promise<void> {
  const url = o.url.replace(/\/+$/, '');
  const credentials = await credentialsOf(o.key);
  const receiver = await receiveWebhooks();
  console.log(`${bold('Firsthand demo')} ${dim(`against ${url}`)}\n`);
  try {
    const rows = [
      await play(
        url,
        credentials,
        receiver,
        'First-hand photo',
        'verified',
        async () => (await simulateDirect(drawScene(7, SIZE), plainCapture(7, SIZE))).jpeg,
      ),
      await play(url, credentials, receiver, 'Photo of a screen', 'failed', async () => {
        const capture = plainCapture(8, SIZE);
        return (await simulateRecapture(drawScene(8, SIZE), plainDisplay(capture))).jpeg;
      }),
    ];
    console.log(
      `\n${table(
        ['Image', 'Verdict', 'Reason', 'Screen', 'AI', 'Object', 'Time', 'Webhooks', 'Signatures'],
        rows.map(row => row.cells),
      )}\n`,
    );
    if (rows.some(row => !row.expected)) process.exitCode = 1;
  } finally {
    await receiver.close();
  }
}

async function credentialsOf(key: string | undefined): Promise<Credentials> {
  const file = join(readConfig(loadEnvironment()).dataDir, 'first-run.json');
  const run = await readFile(file, 'utf8').then(
    text => JSON.parse(text) as { pk_test: string; webhook_secret: string },
    () => null,
  );
  if (key) return { key, webhookSecret: run?.webhook_secret ?? null };
  if (!run) throw new Error(`${file} does not exist. Start the service first (npm start), or pass --key.`);
  return { key: run.pk_test, webhookSecret: run.webhook_secret };
}

const isSigned = ({ raw, headers }: ReceivedWebhook, secret: string | null): boolean => {
  if (secret === null) return false;
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

async function play(
  url: string,
  { key, webhookSecret }: Credentials,
  receiver: WebhookReceiver,
  name: string,
  expected: string,
  picture: () => Promise<Buffer>,
) {
  console.log(bold(name));
  const jpeg = await step('draw the picture', picture);
  const verification = await step('create a verification', () =>
    call<Verification>(`${url}/v1/verifications`, {
      key,
      // The vision model answers this if the service has one; otherwise the result is `inconclusive`.
      body: { webhook_url: receiver.url, metadata: { demo: name }, expected_object: 'something grey' },
    }),
  );
  const upload = await step('get an upload URL', () =>
    call<UploadUrlResponse>(`${url}/v1/verifications/${verification.id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg', size_bytes: jpeg.length },
    }),
  );
  await step(`upload ${Math.round(jpeg.length / 1024)} kB`, async () => {
    const answer = await fetch(upload.upload_url, {
      method: 'PUT',
      headers: upload.headers,
      body: new Uint8Array(jpeg),
    });
    if (!answer.ok) throw new Error(`The upload failed with status ${answer.status}: ${await answer.text()}`);
  });
  const started = performance.now();
  await step('submit the photo', () =>
    call(`${url}/v1/verifications/${verification.id}/captures`, {
      body: {
        image_key: upload.image_key,
        image_sha256: createHash('sha256').update(jpeg).digest('hex'),
        surface: 'demo',
      },
    }),
  );
  const done = await step('wait for the verdict', async () => {
    const deadline = Date.now() + VERDICT_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const now = await call<Verification>(`${url}/v1/verifications/${verification.id}`, { key });
      if (now.verdict || ['expired', 'failed'].includes(now.status)) return now;
      await sleep(50);
    }
    throw new Error(`No verdict after ${VERDICT_TIMEOUT_MS / 1_000} s. Check that a worker is running.`);
  });
  const seconds = ((performance.now() - started) / 1_000).toFixed(2);
  const events = await step('wait for the webhooks', async () => {
    const deadline = Date.now() + WEBHOOK_TIMEOUT_MS;
    while (
      Date.now() < deadline &&
      !receiver.of(verification.id).some(({ event }) => event.type === 'verification.completed')
    ) {
      await sleep(50);
    }
    return receiver.of(verification.id);
  });
  const { verdict } = done;
  const screen = verdict?.signals.screen_detection as { screen_detected: boolean; confidence: number } | undefined;
  const ai = verdict?.signals.ai_detection as { label: string } | undefined;
  const label = verdict?.label ?? done.status;
  const paint = label === 'verified' ? green : label === 'suspicious' ? amber : red;
  const allSigned = events.length > 0 && events.every(webhook => isSigned(webhook, webhookSecret));
  return {
    expected: label === expected && allSigned,
    cells: [
      name,
      paint(`${label === 'verified' ? '✓' : '✗'} ${label}`),
      verdict?.reason_code ?? '–',
      screen ? `${screen.screen_detected ? 'yes' : 'no'} ${(screen.confidence * 100).toFixed(1)} %` : '–',
      ai?.label ?? '–',
      done.object_match?.status ?? '–',
      `${seconds} s`,
      String(events.length),
      webhookSecret === null ? 'not checked' : allSigned ? green('✓ all valid') : red('✗ invalid'),
    ],
  };
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`  ${dim('…')} ${what}`);
  const started = performance.now();
  try {
    const result = await work();
    process.stdout.write(`\r  ${green('✓')} ${what} ${dim(`${Math.round(performance.now() - started)} ms`)}\n`);
    return result;
  } catch (error) {
    process.stdout.write(`\r  ${red('✗')} ${what}\n`);
    throw error;
  }
}
