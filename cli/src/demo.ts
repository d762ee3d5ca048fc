import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Firsthand, TimeoutError } from '@firsthand/sdk';
import { verifyWebhook } from '@firsthand/sdk/webhooks';
import { noFirstRun, type RemoteOptions, readFirstRun } from './connection.ts';
import { amber, bold, dim, green, red, table } from './print.ts';
import { type ReceivedWebhook, receiveWebhooks, type WebhookReceiver } from './receive-webhooks.ts';

const VERDICT_TIMEOUT_MS = 60_000;
const WEBHOOK_TIMEOUT_MS = 10_000;

const NO_WEBHOOKS = `No webhook reached this machine. A public service sends webhooks to private addresses only if WEBHOOK_ALLOW_CIDRS lists them.
To receive webhooks here from any service, run \`firsthand listen\`.
`;

interface Credentials {
  key: string;
  webhookSecret: string | null;
}

/**
 * `firsthand demo`: sends a genuine photo and a photo of a screen through the running service, as a tenant and an end user would, and
 * prints a table. Exits with 1 when an outcome is unexpected.
 */
export async function demo(o: RemoteOptions): Promise<void> {
  const { key, webhookSecret } = await credentialsOf(o.key);
  const client = new Firsthand(key, { baseUrl: o.url });
  const receiver = await receiveWebhooks();
  const run = { client, webhookSecret, receiver };
  console.log(`${bold('Firsthand demo')} ${dim(`against ${o.url}`)}\n`);
  try {
    const rows = [
      await play({ ...run, name: 'First-hand photo', expected: 'verified', picture: 'first-hand.jpg' }),
      await play({ ...run, name: 'Photo of a screen', expected: 'failed', picture: 'screen.jpg' }),
    ];
    console.log(
      `\n${table(
        ['Image', 'Verdict', 'Reason', 'Screen', 'AI', 'Object', 'Time', 'Webhooks', 'Signatures'],
        rows.map(row => row.cells),
      )}\n`,
    );
    if (rows.some(row => row.webhooks === 0)) console.log(NO_WEBHOOKS);
    if (rows.some(row => !row.expected)) process.exitCode = 1;
  } finally {
    await receiver.close();
  }
}

async function credentialsOf(key: string | undefined): Promise<Credentials> {
  const run = await readFirstRun();
  if (key) return { key, webhookSecret: run?.webhook_secret ?? null };
  if (!run) throw noFirstRun();
  return { key: run.pk_test, webhookSecret: run.webhook_secret };
}

const isSigned = ({ raw, headers }: ReceivedWebhook, secret: string): Promise<boolean> =>
  verifyWebhook(raw, headers, secret).then(
    () => true,
    () => false,
  );

interface Play {
  client: Firsthand;
  webhookSecret: string | null;
  receiver: WebhookReceiver;
  name: string;
  /** The verdict that the picture should get. */
  expected: string;
  picture: string;
}

/** Sends one picture through the service and waits for its verdict and webhooks. */
async function play({ client, webhookSecret, receiver, name, expected, picture }: Play) {
  console.log(bold(name));
  const jpeg = await step('read the picture', () => readFile(new URL(`../pictures/${picture}`, import.meta.url)));
  const verification = await step('create a verification', () =>
    client.verifications.create({
      webhook_url: receiver.url,
      metadata: { demo: name },
      // The vision model answers this if the service has one; otherwise the result is `inconclusive`.
      expected_object: 'something grey',
    }),
  );
  const started = performance.now();
  await step(`upload and submit ${Math.round(jpeg.length / 1024)} kB`, () =>
    client.captures.upload(verification.id, jpeg, { surface: 'demo' }),
  );
  const done = await step('wait for the verdict', () =>
    client.verifications.waitForVerdict(verification.id, { waitMs: VERDICT_TIMEOUT_MS }).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) throw error;
      throw new Error(`No verdict after ${VERDICT_TIMEOUT_MS / 1_000} s. Check that a worker is running.`);
    }),
  );
  const seconds = ((performance.now() - started) / 1_000).toFixed(2);
  const events = await step('wait for the webhooks', () => completedEvents(receiver, verification.id));
  const signed =
    webhookSecret === null ? [] : await Promise.all(events.map(webhook => isSigned(webhook, webhookSecret)));
  const allSigned = signed.every(Boolean);
  return {
    expected: labelOf(done) === expected && events.length > 0 && allSigned,
    webhooks: events.length,
    cells: [
      name,
      ...verdictCells(done),
      `${seconds} s`,
      String(events.length),
      signaturesCell(events.length, webhookSecret === null ? null : allSigned),
    ],
  };
}

/** The webhooks of a verification, as soon as it is completed or nobody waits any longer. */
async function completedEvents(receiver: WebhookReceiver, id: string): Promise<ReceivedWebhook[]> {
  const deadline = Date.now() + WEBHOOK_TIMEOUT_MS;
  const isCompleted = () => receiver.of(id).some(({ event }) => event.type === 'verification.completed');
  while (Date.now() < deadline && !isCompleted()) await sleep(50);
  return receiver.of(id);
}

type Done = Awaited<ReturnType<Firsthand['verifications']['waitForVerdict']>>;

const labelOf = ({ verdict, status }: Done): string => verdict?.label ?? status;

function verdictCells(done: Done): string[] {
  const { verdict } = done;
  const screen = verdict?.signals.screen_detection as { screen_detected: boolean; confidence: number } | undefined;
  const ai = verdict?.signals.ai_detection as { label: string } | undefined;
  const label = labelOf(done);
  const paint = label === 'verified' ? green : label === 'suspicious' ? amber : red;
  return [
    paint(`${label === 'verified' ? '✓' : '✗'} ${label}`),
    verdict?.reason_code ?? '–',
    screen ? `${screen.screen_detected ? 'yes' : 'no'} ${(screen.confidence * 100).toFixed(1)} %` : '–',
    ai?.label ?? '–',
    done.object_match?.status ?? '–',
  ];
}

function signaturesCell(webhooks: number, allSigned: boolean | null): string {
  if (webhooks === 0) return amber('none came');
  if (allSigned === null) return 'not checked';
  return allSigned ? green('✓ all valid') : red('✗ invalid');
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
